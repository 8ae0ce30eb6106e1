package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/playtest"
)

// TestReadingIsBounded: a play file that needs too many comparisons is refused, one below the bound is not.
func TestReadingIsBounded(t *testing.T) {
	off := &personas.Offline{}
	for i := range 2000 {
		off.Examples.Pass = append(off.Examples.Pass, personas.Example{Say: fmt.Sprint(i, strings.Repeat(" herring", 100))})
	}
	tested := &testedPersona{File: &personafiles.File{Doc: personas.Persona{Machines: []personas.Machine{{
		States:      []personas.State{{Key: "a", Offline: off}, {Key: "z"}},
		Transitions: []personas.Transition{{From: "a", To: "z", Decision: personas.DecidePass}},
	}}}}}
	texts := intent.CountTexts(&tested.Doc)
	assert.True(t, texts >= 100_000 && texts <= 800_000, "%d bytes are compared", texts)
	for said, refused := range map[int]bool{maxRead / texts: false, maxRead/texts + 1: true} {
		p := &playFile{name: "a.play.yaml", persona: tested, doc: playtest.File{Plays: []playtest.Play{{Steps: []playtest.Step{{Say: strings.Repeat("é", said)}}}}}}
		p.checkReading("p.yaml")
		if (len(p.faults) > 0) != refused || refused && !strings.Contains(p.faults[0].Message, fmt.Sprintf("have %d characters, and a state of p.yaml compares each message with %d bytes", said, texts)) {
			t.Errorf("%d characters: %v", said, p.faults)
		}
	}
}
