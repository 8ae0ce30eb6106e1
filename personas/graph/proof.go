package graph

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/prove"
)

// MarkProof returns marks from the prover. A mark shows that an element is impossible, or the
// minimum number of messages to reach it. It returns the errors of the prover.
func MarkProof(p *personas.Persona) (*Marks, error) {
	report, err := prove.Persona(p)
	if err != nil {
		return nil, fmt.Errorf("colour by proof: %w", err)
	}
	m := &Marks{
		States: map[StateRef]Mark{}, Transitions: map[TransitionRef]Mark{},
		Legend: []Mark{{Hit, "possible"}, {Never, "never"}},
	}
	for _, machine := range report.Machines {
		for _, s := range machine.States {
			m.States[StateRef{machine.Key, s.Key}] = proofMark(s.Reachable, s.Witness.Len())
		}
		for _, t := range machine.Transitions {
			m.Transitions[TransitionRef{machine.Key, t.Index}] = proofMark(t.Fires, 0)
		}
	}
	return m, nil
}

func proofMark(possible bool, messages int) Mark {
	switch {
	case !possible:
		return Mark{Never, "never"}
	case messages == 1:
		return Mark{Hit, "from 1 message"}
	case messages > 1:
		return Mark{Hit, fmt.Sprintf("from %d messages", messages)}
	}
	return Mark{Tone: Hit}
}
