package graph

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
)

// crowded returns a persona with one arrow of n transitions, and MaxLinks links from one machine to two others.
func crowded(n int) *personas.Persona {
	p := &personas.Persona{Name: "p"}
	for _, key := range []string{"a", "b", "c"} {
		p.Machines = append(p.Machines, personas.Machine{Key: key, States: []personas.State{{Key: "a", IsInitial: true}, {Key: "b", IsTerminal: true}}})
	}
	for i := range n {
		p.Machines[0].Transitions = append(p.Machines[0].Transitions, personas.Transition{From: "a", To: "b", Decision: personas.DecidePass, ScoreDelta: i + 1})
		if i < MaxLinks {
			p.Links = append(p.Links, personas.Link{Source: "a", Target: []string{"b", "c"}[i%2], Condition: personas.IfScoreGTE, Score: i})
		}
	}
	return p
}

// TestCrowdedPicturesAreCheap: a long label is measured a few times, not once for each removed character.
func TestCrowdedPicturesAreCheap(t *testing.T) {
	p := crowded(10_000)
	for name, draw := range map[string]func() error{
		"svg":      func() error { _, err := SVG(p, Options{}); return err },
		"terminal": func() error { _, err := Terminal(p, Options{}, 80); return err },
		"mermaid":  func() error { _, err := Mermaid(p, Options{}); return err },
	} {
		bytes := assert.Allocated(func() { assert.NoError(t, draw(), name) })
		assert.True(t, bytes <= 1<<30, "%s: %d bytes", name, bytes)
	}
}

// A clipped text is the longest prefix that fits, as with clipping letter by letter.
func TestClipKeepsWhatFits(t *testing.T) {
	text := strings.Repeat("a日é ", 30)
	for width := range 200 {
		got := clip(text, float64(width), cellWidth)
		want := []rune(text)
		for len(want) > 0 && cellWidth(string(want)+"…") > float64(width) {
			want = want[:len(want)-1]
		}
		assert.True(t, cellWidth(text) <= float64(width) || got == string(want)+"…", "width %d: %q, want %q", width, got, string(want)+"…")
	}
}

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

// TestPicturesAreBoundedAsAWhole: thousands of machines or links are only drawn as Mermaid and text.
func TestPicturesAreBoundedAsAWhole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"machines", "links of two machines", "links of all to all", "all to all", "layers"} {
		p := personatest.Parse(t, name, 1<<20)
		_, err := SVG(p, Options{})
		assert.True(t, errors.Is(err, ErrTooLarge) && strings.ContainsAny(err.Error(), "0123456789"), "%s as SVG: %v", name, err)
		_, err = PNG(p, Options{})
		assert.ErrorIs(t, err, ErrTooLarge, "%s as PNG", name)
		text, err := Terminal(p, Options{}, 80)
		assert.True(t, err == nil && text != "", "%s as text: %v", name, err)
	}
}
