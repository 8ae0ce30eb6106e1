package graph

import (
	"cmp"
	"math/rand"
	"runtime"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// crowded returns a persona with one arrow of n transitions, and n links between the same machines.
func crowded(n int) *personas.Persona {
	p := &personas.Persona{Name: "p"}
	for _, key := range []string{"a", "b", "c"} {
		p.Machines = append(p.Machines, personas.Machine{Key: key, States: []personas.State{{Key: "a", IsInitial: true}, {Key: "b", IsTerminal: true}}})
	}
	for i := range n {
		p.Machines[0].Transitions = append(p.Machines[0].Transitions, personas.Transition{From: "a", To: "b", Decision: personas.DecidePass, ScoreDelta: i + 1})
		p.Links = append(p.Links, personas.Link{Source: "a", Target: []string{"b", "c"}[i%2], Condition: personas.IfScoreGTE, Score: i})
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
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := draw()
		runtime.ReadMemStats(&after)
		bytes := after.TotalAlloc - before.TotalAlloc
		assert.True(t, bytes <= 1<<30 && err == nil, "%s: %d bytes, %v", name, bytes, err)
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
		if cellWidth(text) > float64(width) && got != string(want)+"…" {
			t.Errorf("width %d: %q, want %q", width, got, string(want)+"…")
		}
	}
}

// TestCrossingsAreCountedInOnePass: counting crossings in one pass gives the same result as comparing all pairs.
func TestCrossingsAreCountedInOnePass(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 200 {
		l := &layout{cells: make([]cell, 12)}
		for i := range l.cells {
			l.cells[i].place = random.Intn(8)
		}
		a, b := random.Perm(12)[:random.Intn(7)], random.Perm(12)[:random.Intn(7)]
		want := 0
		for _, x := range a {
			for _, y := range b {
				want += cmp.Compare(l.cells[x].place, l.cells[y].place)
			}
		}
		got := l.crossingsSaved(a, b)
		assert.Must(t, got == want, "%v and %v: %d, want %d", a, b, got, want)
	}
}
