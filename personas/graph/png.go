package graph

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/parley-npc/parley/personas"
)

// A PNG has twice the size of the SVG for high-resolution screens. Above maxPixels or maxSide, the
// picture is scaled down.
const (
	pngScale  = 2.0
	maxPixels = 16 << 20
	maxSide   = 1<<15 - 1
)

// PNG returns the picture of SVG in light colours as a PNG image. Errors are those of SVG.
func PNG(p *personas.Persona, options Options) ([]byte, error) {
	s, err := drawingOf(p, options)
	if err != nil {
		return nil, err
	}
	c := newCanvas(s)
	for i := range s.shapes {
		if err := c.drawShape(&s.shapes[i]); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, c.pixels); err != nil {
		return nil, fmt.Errorf("encode the picture: %w", err)
	}
	return out.Bytes(), nil
}

type canvas struct {
	scale   float64
	pixels  *image.RGBA
	measure *ruler
	faces   map[faceKey]font.Face
	paints  map[string]*image.Uniform // by hue

	rasterizer vector.Rasterizer
}

type faceKey struct {
	size float64
	bold bool
}

func newCanvas(s *drawing) *canvas {
	scale := min(pngScale, math.Sqrt(maxPixels/(s.width*s.height)), maxSide/s.width, maxSide/s.height)
	w, h := max(int(s.width*scale), 1), max(int(s.height*scale), 1)
	return &canvas{
		scale: scale, pixels: image.NewRGBA(image.Rect(0, 0, w, h)), measure: s.ruler,
		faces: map[faceKey]font.Face{}, paints: map[string]*image.Uniform{},
	}
}

func (c *canvas) drawShape(sh *shape) error {
	switch sh.kind {
	case textShape:
		return c.drawText(sh)
	case boxShape:
		c.paintOutline(sh, roundedOutline(sh.origin, sh.width, sh.height, sh.radius), true)
	case discShape:
		r := sh.radius
		c.paintOutline(sh, roundedOutline(point{sh.origin.x - r, sh.origin.y - r}, 2*r, 2*r, r), true)
	case polyShape:
		c.paintOutline(sh, sh.points, true)
	case lineShape:
		c.paintOutline(sh, flattenCourse(sh.points), false)
	}
	return nil
}

func (c *canvas) paintOutline(sh *shape, outline []point, closed bool) {
	if sh.fill != hueNone {
		c.fillPolygon(outline, sh.fill)
	}
	if sh.stroke != hueNone {
		if closed {
			outline = append(slices.Clip(outline), outline[0])
		}
		for _, area := range strokeLines(cutDashes(outline, sh.dash), sh.line) {
			c.fillPolygon(area, sh.stroke)
		}
	}
}

func (c *canvas) paintOf(hue string) *image.Uniform {
	if c.paints[hue] == nil {
		paint := color.RGBA{A: 255}
		// A test parses all colours of the table.
		_, _ = fmt.Sscanf(hues[hue].light, "#%02x%02x%02x", &paint.R, &paint.G, &paint.B)
		c.paints[hue] = image.NewUniform(paint)
	}
	return c.paints[hue]
}

func (c *canvas) drawText(sh *shape) error {
	face, err := c.fontFace(faceKey{sh.size, sh.bold})
	if err != nil {
		return err
	}
	point := sh.origin
	if sh.middle {
		point.x -= c.measure.textWidth(sh.text, sh.size, sh.bold) / 2
	}
	d := font.Drawer{Dst: c.pixels, Src: c.paintOf(sh.fill), Face: face}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6(point.x * c.scale * 64), Y: fixed.Int26_6(point.y * c.scale * 64)}
	d.DrawString(sh.text)
	return nil
}

func (c *canvas) fontFace(key faceKey) (font.Face, error) {
	if f := c.faces[key]; f != nil {
		return f, nil
	}
	options := &opentype.FaceOptions{Size: key.size * c.scale, DPI: 72, Hinting: font.HintingNone}
	f, err := opentype.NewFace(c.measure.fontFor(key.bold), options)
	if err != nil {
		return nil, fmt.Errorf("read the font: %w", err)
	}
	c.faces[key] = f
	return f, nil
}

// fillPolygon takes time in proportion to the bounding box, so strokes are filled in pieces.
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

func flattenCourse(course []point) []point {
	line := make([]point, 1, 1+64*(len(course)/3))
	line[0] = course[0]
	for i := 1; i+2 < len(course); i += 3 {
		from, a, b, to := course[i-1], course[i], course[i+1], course[i+2]
		steps := min(max(int(math.Hypot(to.x-from.x, to.y-from.y)/4), 8), 64)
		for step := range steps {
			line = append(line, cubicAt(from, a, b, to, float64(step+1)/float64(steps)))
		}
	}
	return line
}

func cubicAt(p, a, b, q point, t float64) point {
	u := 1 - t
	x, y, z, w := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return point{x*p.x + y*a.x + z*b.x + w*q.x, x*p.y + y*a.y + z*b.y + w*q.y}
}

func roundedOutline(corner point, width, height, radius float64) []point {
	radius = min(radius, width/2, height/2)
	corners := [4]point{
		{corner.x + width - radius, corner.y + radius}, {corner.x + width - radius, corner.y + height - radius},
		{corner.x + radius, corner.y + height - radius}, {corner.x + radius, corner.y + radius},
	}
	var outline []point
	for i, c := range corners {
		for step := range 9 {
			angle := math.Pi / 2 * (float64(i-1) + float64(step)/8)
			outline = append(outline, point{c.x + radius*math.Cos(angle), c.y + radius*math.Sin(angle)})
		}
	}
	return outline
}

func cutDashes(line []point, pattern []float64) [][]point {
	if len(pattern) == 0 {
		return [][]point{line}
	}
	var dashes [][]point
	current := []point{line[0]}
	n, remaining := 0, pattern[0]
	for _, to := range line[1:] {
		from := lastOf(current)
		length := math.Hypot(to.x-from.x, to.y-from.y)
		for length > remaining {
			from = pointBetween(from, to, remaining/length)
			length -= remaining
			if n%2 == 0 {
				dashes = append(dashes, append(current, from))
			}
			n++
			current, remaining = []point{from}, pattern[n%len(pattern)]
		}
		remaining -= length
		current = append(current, to)
	}
	if n%2 == 0 {
		dashes = append(dashes, current)
	}
	return dashes
}

func pointBetween(a, b point, t float64) point { return point{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t} }

// strokeLines returns slightly overlapping polygons, to avoid visible seams.
func strokeLines(lines [][]point, width float64) [][]point {
	half := width / 2
	var areas [][]point
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			a, b := line[i-1], line[i]
			if length := math.Hypot(b.x-a.x, b.y-a.y); length > 0.01 {
				extension := seam / length
				a, b = pointBetween(a, b, -extension), pointBetween(a, b, 1+extension)
				d := math.Hypot(b.x-a.x, b.y-a.y)
				x, y := -(b.y-a.y)/d*half, (b.x-a.x)/d*half
				areas = append(areas, []point{{a.x + x, a.y + y}, {b.x + x, b.y + y}, {b.x - x, b.y - y}, {a.x - x, a.y - y}})
			}
		}
	}
	return areas
}

const seam = 0.25
