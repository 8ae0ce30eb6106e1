package graph

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/personatest"
)

const hotelCoverage = `{"total": 1, "personas": [{"file": "other.yaml"}, {"file": "samples\\hotel.yaml",
  "states": [{"machine_key": "check-in", "state_key": "desk", "count": 12}, {"machine_key": "check-in", "state_key": "rules", "count": 0}],
  "transitions": [{"machine_key": "check-in", "index": 0, "count": 3, "more": true}]}]}`

func TestCoverage(t *testing.T) {
	p := *personatest.Sample(t, "hotel")
	m := assert.Value(MarkCoverage("./samples/hotel.yaml", []byte(hotelCoverage)))(t)
	for state, want := range map[string]Mark{"desk": {Hit, "12×"}, "rules": {Missed, "0×"}, "key": {Missed, "0×"}} {
		t.Run(state, func(t *testing.T) { assert.Equal(t, m.stateMark("check-in", state), want, state) })
	}
	got := m.transitionMark("check-in", 0)
	assert.True(t, got == (Mark{Hit, "3×"}) && m.transitionMark("breakfast", 0).Tone == Missed, "transitions: %v, %v", got, m.transitionMark("breakfast", 0))
	checkFormats(t, &p, Options{Marks: m})
	svg, err := SVG(&p, Options{Marks: m})
	assert.NoError(t, err, "the SVG does not show the coverage")
	assert.Contains(t, svg, ">12×<", "the SVG does not show the coverage")
	assert.Contains(t, svg, ">not covered<", "the SVG does not show the coverage")
	assert.Contains(t, svg, "f-hit-bg", "the SVG does not show the coverage")
	assert.Value(MarkCoverage("elsewhere/hotel.yaml", []byte(hotelCoverage)))(t, "the same name in another folder")
	for _, bad := range []string{"", "[]", "{}", `{"personas": [{"file": "a/hotel.yaml"}, {"file": "b/hotel.yaml"}]}`, `{"personas": [{"file": "gate.yaml"}]}`} {
		_, err := MarkCoverage("hotel.yaml", []byte(bad))
		assert.ErrorIs(t, err, ErrCoverage, bad)
	}
}

func FuzzCoverage(f *testing.F) {
	f.Add(hotelCoverage)
	f.Add(`{"personas":[{"states":[{"count":-1e400}],"transitions":[{"index":-1,"count":"x"}]}]}`)
	f.Fuzz(func(t *testing.T, src string) {
		p := linkedPersona(4)
		if m, err := MarkCoverage("hotel.yaml", []byte(src)); err == nil {
			checkFormats(t, &p, Options{Marks: m})
		}
	})
}

func TestProof(t *testing.T) {
	p := linkedPersona(6)
	m := &p.Machines[0]
	m.States = append(m.States, personas.State{Key: "attic"})
	m.Transitions = append(m.Transitions, personas.Transition{From: "attic", To: "room-1", Decision: personas.DecidePass})
	marks, err := MarkProof(&p)
	assert.NoError(t, err)
	for state, want := range map[string]Mark{"room-0": {Tone: Hit}, "room-1": {Hit, "from 1 message"}, "room-2": {Hit, "from 2 messages"}, "attic": {Never, "never"}} {
		t.Run(state, func(t *testing.T) { assert.Equal(t, marks.stateMark("rooms", state), want, state) })
	}
	assert.Equal(t, marks.transitionMark("rooms", len(m.Transitions)-1), Mark{Never, "never"}, "a transition out of the attic")
	checkFormats(t, &p, Options{Marks: marks})
	m.States = nil
	_, err = MarkProof(&p)
	assert.ErrorIs(t, err, engine.ErrDocument, "a machine without states")
}

func TestMarksOfOneArrow(t *testing.T) {
	for _, table := range []struct{ a, b, want Mark }{
		{Mark{}, Mark{Hit, "1×"}, Mark{Hit, "1×"}},
		{Mark{Hit, "1×"}, Mark{}, Mark{Hit, "1×"}},
		{Mark{Missed, "0×"}, Mark{Hit, "2×"}, Mark{Hit, "0×, 2×"}},
		{Mark{Never, "never"}, Mark{Never, "never"}, Mark{Never, "never"}},
	} {
		t.Run(fmt.Sprintf("%q and %q", table.a.Note, table.b.Note), func(t *testing.T) {
			assert.Equal(t, table.a.combineWith(table.b), table.want, "%v and %v", table.a, table.b)
		})
	}
}

// TestHues: every hue has two colours in the required form, and text has enough contrast on its background.
func TestHues(t *testing.T) {
	for name, hue := range hues {
		for _, text := range []string{hue.light, hue.dark} {
			assert.Must(t, len(text) == 7, "%s: %q is not a colour", name, text)
			assert.Equal(t, strings.Trim(text[1:], "0123456789abcdef"), "", name)
			assert.Equal(t, text[0], '#', name)
		}
	}
	for _, ink := range []string{hueInk, hueFaint, hueLink, huePass, hueRedir, hueReject, hueKick} {
		for _, ground := range []string{huePaper, hueGroup} {
			c := contrastRatio(hues[ink].light, hues[ground].light)
			assert.True(t, c >= 4.5, "%s on %s: contrast %.1f in light", ink, ground, c)
			c = contrastRatio(hues[ink].dark, hues[ground].dark)
			assert.True(t, c >= 4.5, "%s on %s: contrast %.1f in dark", ink, ground, c)
		}
	}
}

// contrastRatio returns the contrast of two colours as defined by WCAG 2, which requires 4.5 for text.
func contrastRatio(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(text string) float64 {
	var rgb [3]uint8
	if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
		return math.NaN()
	}
	linear := func(c uint8) float64 {
		v := float64(c) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(rgb[0]) + 0.7152*linear(rgb[1]) + 0.0722*linear(rgb[2])
}
