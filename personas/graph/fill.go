package graph

import (
	"image"
	"math"
)

// fillPolygon fills a polygon. Its cost is proportional to the area of the bounding box, so strokes
// are filled in pieces.
func (c *canvas) fillPolygon(polygon []point, hue string) {
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, p := range polygon {
		low = point{min(low.x, p.x*c.scale), min(low.y, p.y*c.scale)}
		high = point{max(high.x, p.x*c.scale), max(high.y, p.y*c.scale)}
	}
	box := image.Rect(int(math.Floor(low.x)), int(math.Floor(low.y)), int(math.Ceil(high.x)), int(math.Ceil(high.y)))
	if box = box.Intersect(c.pixels.Rect); box.Empty() {
		return
	}
	r := &c.rasterizer
	r.Reset(box.Dx(), box.Dy())
	for i, p := range polygon {
		x, y := float32(p.x*c.scale-float64(box.Min.X)), float32(p.y*c.scale-float64(box.Min.Y))
		if i == 0 {
			r.MoveTo(x, y)
		} else {
			r.LineTo(x, y)
		}
	}
	r.ClosePath()
	r.Draw(c.pixels, box, c.paintOf(hue), image.Point{})
}
