package graph

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
)

// TestPicturesAreBoundedAsAWhole: thousands of machines or links are only drawn as Mermaid and text.
func TestPicturesAreBoundedAsAWhole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"machines", "links of all to all", "all to all", "layers"} {
		s := personatest.Find(name)
		p, _, faults := personas.Parse(s.File(), []byte(s.Text(1<<20, 1)))
		assert.Must(t, len(faults) == 0, faults)
		_, err := SVG(&p, Options{})
		assert.True(t, errors.Is(err, ErrTooLarge) && strings.ContainsAny(err.Error(), "0123456789"), "%s as SVG: %v", name, err)
		_, err = PNG(&p, Options{})
		assert.ErrorIs(t, err, ErrTooLarge, "%s as PNG", name)
		text, err := Terminal(&p, Options{}, 80)
		assert.True(t, err == nil && text != "", "%s as text: %v", name, err)
	}
}

// TestLinksOfTwoMachinesAreJoined: thousands of links between the same machines are drawn as a few arrows.
func TestLinksOfTwoMachinesAreJoined(t *testing.T) {
	t.Parallel()
	s := personatest.Find("links of two machines")
	p, _, _ := personas.Parse(s.File(), []byte(s.Text(1<<20, 1)))
	svg, err := SVG(&p, Options{})
	if more := strings.Count(svg, "more links"); err != nil || more != 1 {
		t.Errorf("%d arrows for many links, %v", more, err)
	}
}
