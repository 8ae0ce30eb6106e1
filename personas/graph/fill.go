package graph

import (
	"image"
	"math"
)

// side is one side of a polygon in pixels.
type side struct{ from, to point }

// maxPiece is the maximum number of pixels to rasterise at a time, unless a row is wider. The
// rasteriser visits every pixel of a bounding box, and the box of a thin diagonal line is the whole
// picture.
const maxPiece = 256

// fillPolygon fills a polygon.
func (c *canvas) fillPolygon(polygon []point, hue string) {
	c.sides = c.sides[:0]
	top, bottom := math.Inf(1), math.Inf(-1)
	before := c.toPixels(lastOf(polygon))
	for _, p := range polygon {
		at := c.toPixels(p)
		c.sides = append(c.sides, side{before, at})
		top, bottom = min(top, at.y), max(bottom, at.y)
		before = at
	}
	size := c.pixels.Rect.Max
	c.fillRows(c.sides, c.paintOf(hue), max(int(math.Floor(top)), 0), min(int(math.Ceil(bottom)), size.Y))
}

func (c *canvas) toPixels(p point) point { return point{p.x * c.scale, p.y * c.scale} }

// fillRows fills the part of a polygon that lies in rows of pixels: as halves, as long as
// the box around it is large. All pieces are whole pixels, so no seam is seen.
func (c *canvas) fillRows(sides []side, source image.Image, top, bottom int) {
	if top >= bottom {
		return
	}
	held := len(c.sides)
	box := c.cutSides(sides, top, bottom)
	part := c.sides[held:]
	switch middle := (top + bottom) / 2; {
	case box.Empty():
	case box.Dx()*box.Dy() > maxPiece && middle > top:
		c.fillRows(part, source, top, middle)
		c.fillRows(part, source, middle, bottom)
	default:
		c.fillPiece(part, source, box)
	}
	c.sides = c.sides[:held]
}

// cutSides adds the parts of the sides between two heights to those of the canvas, and returns
// their bounding box in pixels.
func (c *canvas) cutSides(sides []side, top, bottom int) image.Rectangle {
	low, high := math.Inf(1), math.Inf(-1)
	for _, e := range sides {
		if e, ok := e.cutAt(float64(top), float64(bottom)); ok {
			c.sides = append(c.sides, e)
			low, high = min(low, e.from.x, e.to.x), max(high, e.from.x, e.to.x)
		}
	}
	if low > high {
		return image.Rectangle{}
	}
	return image.Rect(int(math.Floor(low)), top, int(math.Floor(high))+1, bottom).Intersect(c.pixels.Rect)
}

// cutAt returns the part of a side between two heights. It returns false if that is empty or the
// side is horizontal, since a horizontal side does not bound pixels of a row.
func (e side) cutAt(top, bottom float64) (side, bool) {
	if max(e.from.y, e.to.y) <= top || min(e.from.y, e.to.y) >= bottom || e.from.y == e.to.y {
		return e, false
	}
	return side{e.pointAt(min(max(e.from.y, top), bottom)), e.pointAt(min(max(e.to.y, top), bottom))}, true
}

// pointAt returns the point of a side at a height, with exact end points.
func (e side) pointAt(y float64) point {
	switch y {
	case e.from.y:
		return e.from
	case e.to.y:
		return e.to
	}
	return point{e.from.x + (e.to.x-e.from.x)*(y-e.from.y)/(e.to.y-e.from.y), y}
}

// fillPiece fills the pixels of a box, with all sides that lie in its rows.
func (c *canvas) fillPiece(sides []side, source image.Image, box image.Rectangle) {
	r := &c.rasterizer
	r.Reset(box.Dx(), box.Dy())
	at := func(p point) (float32, float32) {
		return float32(p.x - float64(box.Min.X)), float32(p.y - float64(box.Min.Y))
	}
	for _, e := range sides {
		r.MoveTo(at(e.from))
		r.LineTo(at(e.to))
	}
	r.Draw(c.pixels, box, source, image.Point{})
}
