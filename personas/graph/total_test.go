package graph

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/personatest"
)

// TestPicturesAreBoundedAsAWhole: a persona of thousands of machines or links is rejected before
// its layout is computed. Mermaid and text draw it.
func TestPicturesAreBoundedAsAWhole(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"machines", "links of all to all", "all to all", "layers"} {
		s := personatest.Find(name)
		p, _, faults := personas.Parse(s.File(), []byte(s.Text(1<<20, 1)))
		if len(faults) > 0 {
			t.Fatal(faults[0])
		}
		if _, err := SVG(&p, Options{}); !errors.Is(err, ErrTooLarge) || !strings.ContainsAny(err.Error(), "0123456789") {
			t.Errorf("%s as SVG: %v", name, err)
		}
		if _, err := PNG(&p, Options{}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s as PNG: %v", name, err)
		}
		if text, err := Terminal(&p, Options{}, 80); err != nil || text == "" {
			t.Errorf("%s as text: %v", name, err)
		}
	}
}

// TestLinksOfTwoMachinesAreJoined: thousands of links between the same machines are drawn as a few
// arrows.
func TestLinksOfTwoMachinesAreJoined(t *testing.T) {
	t.Parallel()
	s := personatest.Find("links of two machines")
	p, _, _ := personas.Parse(s.File(), []byte(s.Text(1<<20, 1)))
	svg, err := SVG(&p, Options{})
	if more := strings.Count(svg, "more links"); err != nil || more != 1 {
		t.Errorf("%d arrows for many links, %v", more, err)
	}
}
