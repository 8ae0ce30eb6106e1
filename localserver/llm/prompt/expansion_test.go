package prompt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/personas"
)

// conditionsInput returns an input with a state of the given number of transitions, each with a
// condition of the given number of characters after expansion.
func conditionsInput(transitions, characters int) llm.Input {
	p := &personas.Persona{Variables: []personas.Variable{{Key: "a", Value: strings.Repeat("x", characters)}}}
	m := personas.Machine{Key: "m", States: []personas.State{{Key: "s"}}}
	input := llm.Input{}
	for i := range transitions {
		m.Transitions = append(m.Transitions, personas.Transition{From: "s", To: "s", Decision: personas.DecidePass, Condition: "{{a}}"})
		input.Outgoing = append(input.Outgoing, i)
	}
	p.Machines = []personas.Machine{m}
	input.Persona, input.Machine, input.State = p, &p.Machines[0], &p.Machines[0].States[0]
	return input
}

// TestInstructionsAreBounded: each text of a request is bounded, and all of them
// together; at the limit they are sent, and past it the place is named.
func TestInstructionsAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		transitions, characters int
		criterion, place        string
	}{
		"one text at the limit":  {1, 64000, "", ""},
		"one text past it":       {1, 64001, "", "condition has more than 64000 characters"},
		"all texts at the limit": {16, 64000, "", ""},
		"all texts past it":      {16, 64000, "x", "the instructions up to condition has more than 1024000 characters"},
		"far more than can be":   {100000, 64000, "", "the instructions up to condition"},
	} {
		t.Run(name, func(t *testing.T) {
			input := conditionsInput(c.transitions, c.characters)
			input.State.Criteria.Pass = c.criterion
			_, err := prompt.New().NewQuestion(input)
			tooLong, ok := errors.AsType[*llm.ExpansionError](err)
			if (err != nil) != (c.place != "") || err != nil && (!ok || !strings.HasPrefix(tooLong.Error(), c.place)) {
				t.Errorf("built with %v", err)
			}
		})
	}
}
