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

// Bounds of a PNG. A PNG has twice the size of the SVG, for high-resolution screens. If it would
// have too many pixels, in total or per side, it is made smaller.
const (
	pngScale  = 2.0
	maxPixels = 16 << 20
	maxSide   = 1<<15 - 1
)

// PNG returns the picture that SVG draws, in its light colours, as a PNG image. It returns the same
// errors as SVG.
func PNG(p *personas.Persona, o Options) ([]byte, error) {
	s, err := drawingOf(p, o)
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
	faces   map[faceOf]font.Face
	paints  map[string]*image.Uniform // by hue

	rasterizer vector.Rasterizer
}

type faceOf struct {
	size float64
	bold bool
}

func newCanvas(s *drawing) *canvas {
	scale := min(pngScale, math.Sqrt(maxPixels/(s.width*s.height)), maxSide/s.width, maxSide/s.height)
	w, h := max(int(s.width*scale), 1), max(int(s.height*scale), 1)
	return &canvas{scale: scale, pixels: image.NewRGBA(image.Rect(0, 0, w, h)), measure: s.ruler, faces: map[faceOf]font.Face{}, paints: map[string]*image.Uniform{}}
}

func (c *canvas) drawShape(x *shape) error {
	switch x.kind {
	case textShape:
		return c.drawText(x)
	case boxShape:
		c.paintOutline(x, roundedOutline(x.at, x.width, x.height, x.radius), true)
	case discShape:
		r := x.radius
		c.paintOutline(x, roundedOutline(point{x.at.x - r, x.at.y - r}, 2*r, 2*r, r), true)
	case polyShape:
		c.paintOutline(x, x.points, true)
	case lineShape:
		c.paintOutline(x, flattenCourse(x.points), false)
	}
	return nil
}

func (c *canvas) paintOutline(x *shape, outline []point, closed bool) {
	if x.fill != hueNone {
		c.fillPolygon(outline, x.fill)
	}
	if x.stroke != hueNone {
		if closed {
			outline = append(slices.Clip(outline), outline[0])
		}
		for _, area := range strokeLines(cutDashes(outline, x.dash), x.line) {
			c.fillPolygon(area, x.stroke)
		}
	}
}

func (c *canvas) paintOf(hue string) *image.Uniform {
	if c.paints[hue] == nil {
		paint := color.RGBA{A: 255}
		// The table contains only colours of this form. A test parses them all.
		_, _ = fmt.Sscanf(hues[hue].light, "#%02x%02x%02x", &paint.R, &paint.G, &paint.B)
		c.paints[hue] = image.NewUniform(paint)
	}
	return c.paints[hue]
}

func (c *canvas) drawText(x *shape) error {
	face, err := c.fontFace(faceOf{x.size, x.bold})
	if err != nil {
		return err
	}
	at := x.at
	if x.middle {
		at.x -= c.measure.textWidth(x.text, x.size, x.bold) / 2
	}
	d := font.Drawer{Dst: c.pixels, Src: c.paintOf(x.fill), Face: face}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6(at.x * c.scale * 64), Y: fixed.Int26_6(at.y * c.scale * 64)}
	d.DrawString(x.text)
	return nil
}

func (c *canvas) fontFace(of faceOf) (font.Face, error) {
	if f := c.faces[of]; f != nil {
		return f, nil
	}
	f, err := opentype.NewFace(c.measure.fontFor(of.bold), &opentype.FaceOptions{Size: of.size * c.scale, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil, fmt.Errorf("read the font: %w", err)
	}
	c.faces[of] = f
	return f, nil
}
