package graph

import (
	"image"
	"math"
	"testing"
	"time"

	"golang.org/x/image/vector"
)

// paperOf returns an empty canvas.
func paperOf(width, height float64) *canvas {
	c := newCanvas(&drawing{width: width / pngScale, height: height / pngScale})
	c.scale = 1
	return c
}

// TestPiecesAreSeamless: a polygon that is filled in pieces looks as one that is filled
// at once.
func TestPiecesAreSeamless(t *testing.T) {
	polygons := map[string][]point{
		"a thin line": {{3, 4}, {590, 431}, {588.5, 433}, {1.5, 6.5}},
		"a star":      {{300, 10}, {450, 440}, {20, 180}, {580, 180.25}, {120.5, 440}},
		"a box":       roundedOutline(point{20.3, 30.6}, 500, 300, 40),
		"a course":    strokeLines([][]point{flattenCourse([]point{{5, 5}, {5, 400}, {590, 20}, {590, 440}})}, 3.2)[0],
		"over edges":  {{-50, 100}, {700, 50}, {650, 500}, {300, 600}},
	}
	for name, polygon := range polygons {
		c := paperOf(600, 450)
		c.fillPolygon(polygon, hueInk)
		whole := image.NewRGBA(c.pixels.Rect)
		r := vector.NewRasterizer(600, 450)
		r.MoveTo(float32(polygon[0].x), float32(polygon[0].y))
		for _, p := range polygon[1:] {
			r.LineTo(float32(p.x), float32(p.y))
		}
		r.ClosePath()
		r.Draw(whole, whole.Rect, c.paintOf(hueInk), image.Point{})
		for i := range whole.Pix {
			if apart := math.Abs(float64(whole.Pix[i]) - float64(c.pixels.Pix[i])); apart > 8 {
				t.Errorf("%s: pixel %d,%d is %d, want %d", name, i/4%600, i/2400, c.pixels.Pix[i], whole.Pix[i])
				break
			}
		}
	}
}

// TestThinLinesAreCheap: a thin line from corner to corner costs what it covers, and not
// the picture around it: a thousand of them once took 9 seconds.
func TestThinLinesAreCheap(t *testing.T) {
	c := paperOf(4000, 4000)
	fill := func(polygon []point) time.Duration {
		best := time.Hour
		for range 3 {
			began := time.Now()
			c.fillPolygon(polygon, hueInk)
			best = min(best, time.Since(began))
		}
		return best
	}
	square := fill([]point{{0, 0}, {4000, 0}, {4000, 4000}, {0, 4000}})
	if line := fill([]point{{0, 0}, {4000, 3997}, {4000, 4000}, {0, 3}}); line > square/4 {
		t.Errorf("the line took %v, the whole picture %v", line, square)
	}
}

// TestPicturesHaveSides: the sides of a very large picture are limited to the number of pixels that
// programs read.
func TestPicturesHaveSides(t *testing.T) {
	for width, want := range map[float64]int{maxSide / pngScale: maxSide, maxSide/pngScale + 1: maxSide, 40_000: maxSide, 100: 200} {
		for i, c := range []*canvas{newCanvas(&drawing{width: width, height: 9}), newCanvas(&drawing{width: 9, height: width})} {
			size := c.pixels.Rect.Size()
			if long := max(size.X, size.Y); long > want || long < want-1 || (size.X > size.Y) != (i == 0) {
				t.Errorf("%g wide: %v, want %d", width, size, want)
			}
		}
	}
}
