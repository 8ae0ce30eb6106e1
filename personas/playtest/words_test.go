package playtest

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestPlacesInWords: messages about a play file name positions in words, never by an index from 0.
func TestPlacesInWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"persona: p\nplays:\n  - name: By night\n    steps: [{say: a}, {say: b, expect: {decisoin: pass}}]": `expect of the second step of play "By night" has no member "decisoin"; did you mean "decision"?`,
		"persona: p\nplays: [{steps: [{say: a}]}, {steps: [{say: [1]}]}]":                                   "say of the first step of the second play must be a text",
		"persona: p\nplays: [{steps: {say: a}}]":                                                            "steps of the first play must be a list",
		"persona: p\nsteps: [{say: a, expect: {outcome: accepted}}]":                                        `none; did you mean "ACCEPT"?`,
		"persona: p\nsteps: [{say: a, expect: {decision: passs}}]":                                          `did you mean "pass"?`,
		"persona: p\nsteps:\n  - say: a\n    expect: {reply: Five, coins}":                                  `write it as: expect: {reply: "Five, coins"}`,
		"persona: p\nsteps: [{saay: a}]":                                                                    `the first step has no member "saay"; did you mean "say"?`,
	} {
		_, _, faults := Parse("a.play.yaml", []byte(text))
		if len(faults) != 1 || !strings.Contains(faults[0].Message, want) || strings.Contains(faults[0].Message, "[0]") {
			t.Errorf("%s\n%v", text, faults)
		}
	}
}

// TestAllMistakesOfAPlayFile: all texts with missing quotes are reported.
func TestAllMistakesOfAPlayFile(t *testing.T) {
	t.Parallel()
	_, _, faults := Parse("a.play.yaml", []byte("persona: p\nsteps:\n  - say: Hello: you\n  - say: {{player_name}} here\n  - say: *waves*\n"))
	assert.True(t, len(faults) == 3 && faults[2].Line == 5, "%v", faults)
}
