package intent

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

var testPolicy = Policy{
	"pass":     {Probability: 0.4},
	"reject":   {Probability: 0.7, Near: 0.1, Behind: 0.05, Sure: 0.95, Ask: 0.5},
	"kick_out": {Probability: 0.9, Near: 0.2, Ask: 0.6},
}

func TestDecide(t *testing.T) {
	t.Parallel()
	near := func(near, other float64) *Evidence { return &Evidence{Near: near, Other: other} }
	for _, c := range []struct {
		name    string
		choices []Choice
		mayAsk  bool
		want    int
		ask     bool
	}{
		{"most probable", []Choice{{Decision: "pass", Probability: 0.7}, {Decision: "redirect", Probability: 0.1}, {Decision: "aside", Probability: 0.2}}, true, 0, false},
		{"several ways to pass are one decision", []Choice{{Decision: "pass", Probability: 0.3}, {Decision: "pass", Probability: 0.2}, {Decision: "redirect", Probability: 0.45}, {Decision: "aside", Probability: 0.05}}, true, 0, false},
		{"a doubtful pass is none", []Choice{{Decision: "pass", Probability: 0.38}, {Decision: "redirect", Probability: 0.3}, {Decision: "aside", Probability: 0.32}}, true, 2, false},
		{"a doubtful kick_out is asked about", []Choice{{Decision: "pass", Probability: 0.1}, {Decision: "kick_out", Probability: 0.8}, {Decision: "aside", Probability: 0.1}}, true, 1, true},
		{"and is an aside where nobody may ask", []Choice{{Decision: "pass", Probability: 0.05}, {Decision: "kick_out", Probability: 0.8}, {Decision: "aside", Probability: 0.15}}, false, 2, false},
		{"a reject like no example is asked about", []Choice{{Decision: "reject", Probability: 0.9, Evidence: near(0.05, 0)}, {Decision: "aside", Probability: 0.1}}, true, 0, true},
		{"one near to an example of an aside too", []Choice{{Decision: "reject", Probability: 0.6, Evidence: near(0.42, 0.73)}, {Decision: "aside", Probability: 0.4}}, false, 1, false},
		{"a sure one needs no example", []Choice{{Decision: "reject", Probability: 0.96, Evidence: near(0.05, 0)}, {Decision: "aside", Probability: 0.04}}, true, 0, false},
		{"a redirect needs nothing", []Choice{{Decision: "redirect", Probability: 0.5, Evidence: near(0, 0.9)}, {Decision: "aside", Probability: 0.5}}, true, 0, false},
		{"no pass where an insult is twice as probable", []Choice{{Decision: "kick_out", Probability: 0.85}, {Decision: "pass", Probability: 0.41}, {Decision: "aside", Probability: 0.13}}, false, 2, false},
		{"but one that is nearly as probable", []Choice{{Decision: "kick_out", Probability: 0.55}, {Decision: "pass", Probability: 0.45}}, false, 1, false},
		{"a pass that loses needs what a reject does", []Choice{{Decision: "pass", Probability: 0.55, Loses: true, Evidence: near(0.05, 0)}, {Decision: "pass", Probability: 0.41, Evidence: near(0.05, 0)}, {Decision: "aside", Probability: 0.04}}, true, 0, true},
		{"and is one like a reject", []Choice{{Decision: "pass", Probability: 0.75, Loses: true, Evidence: near(0.3, 0)}, {Decision: "pass", Probability: 0.25, Evidence: near(0.05, 0)}}, true, 0, false},
		{"a doubtful reject is asked about", []Choice{{Decision: "reject", Probability: 0.6, Evidence: near(0.3, 0)}, {Decision: "aside", Probability: 0.4}}, true, 0, true},
		{"directly after a question it is made", []Choice{{Decision: "reject", Probability: 0.6, Evidence: near(0.3, 0)}, {Decision: "aside", Probability: 0.4}}, false, 0, false},
		{"all held back", []Choice{{Decision: "reject", Probability: 0.6, Evidence: near(0, 0)}, {Decision: "kick_out", Probability: 0.3}, {Decision: "aside", Probability: 0.1}}, false, 2, false},
	} {
		got := testPolicy.Decide(c.choices, c.mayAsk)
		assert.True(t, got.Choice == c.want && got.Ask == c.ask, "%s: %+v, want choice %d, ask %t", c.name, got, c.want, c.ask)
	}
}
