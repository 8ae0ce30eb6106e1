package conversation

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestChoicesAreShown: an author sees each choice's probability as a bar, and how the judge was asked.
func TestChoicesAreShown(t *testing.T) {
	row := 0
	e := ExplainedTurn{machine: &Machine{}, TurnTrace: wire.TurnTrace{
		Choices: []wire.TraceChoice{{Decision: "kick_out", Probability: 0.02}, {Decision: "pass", Transition: &row, Probability: 0.81}, {Decision: "aside", Probability: 0.17}},
		Method:  "letter", Milliseconds: 640, Usage: map[string]wire.Usage{"evaluation": {Model: "openai/x", In: 1200, Out: 2, Cached: 1100}},
	}}
	text := strings.Join(WhyLines(&e), "\n")
	for _, want := range []string{"Choices: pass ######## 81 %, aside ## 17 %, kick out 2 %; by letter in 0.6 s.", "read 1,200 (1,100 cached), wrote 2"} {
		assert.Contains(t, text, want)
	}
}
