package graph

import (
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// paperOf returns an empty canvas.
func paperOf(width, height float64) *canvas {
	c := newCanvas(&drawing{width: width / pngScale, height: height / pngScale})
	c.scale = 1
	return c
}

// TestStrokesAreSeamless: the pieces of a stroke touch, so that its middle is drawn without gaps.
func TestStrokesAreSeamless(t *testing.T) {
	course := flattenCourse([]point{{5, 5}, {5, 400}, {590, 20}, {590, 440}})
	c := paperOf(600, 450)
	for _, area := range strokeLines([][]point{course}, 3.2) {
		c.fillPolygon(area, hueInk)
	}
	for i := 1; i < len(course); i++ {
		for step := range 8 {
			p := pointBetween(course[i-1], course[i], float64(step)/8)
			_, _, _, alpha := c.pixels.At(int(p.x), int(p.y)).RGBA()
			assert.True(t, alpha >= 0xf000, "at %v the ink is %x", p, alpha)
		}
	}
}

// TestThinLinesAreCheap: the cost of a thin line depends on its own area.
func TestThinLinesAreCheap(t *testing.T) {
	c := paperOf(4000, 4000)
	fill := func(polygons [][]point) time.Duration {
		best := time.Hour
		for range 3 {
			began := time.Now()
			for _, polygon := range polygons {
				c.fillPolygon(polygon, hueInk)
			}
			best = min(best, time.Since(began))
		}
		return best
	}
	square := fill([][]point{{{0, 0}, {4000, 0}, {4000, 4000}, {0, 4000}}})
	course := flattenCourse([]point{{0, 0}, {1000, 1000}, {3000, 3000}, {4000, 4000}})
	line := fill(strokeLines([][]point{course}, 3))
	assert.True(t, line <= square/4, "the line took %v, the whole picture %v", line, square)
}

// TestPicturesHaveSides: the sides of a very large picture are limited to the number of pixels that programs read.
func TestPicturesHaveSides(t *testing.T) {
	for width, want := range map[float64]int{maxSide / pngScale: maxSide, maxSide/pngScale + 1: maxSide, 40_000: maxSide, 100: 200} {
		for i, c := range []*canvas{newCanvas(&drawing{width: width, height: 9}), newCanvas(&drawing{width: 9, height: width})} {
			size := c.pixels.Rect.Size()
			long := max(size.X, size.Y)
			assert.True(t, long <= want && long >= want-1 && (size.X > size.Y) == (i == 0), "%g wide: %v, want %d", width, size, want)
		}
	}
}
