package prove_test

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/prove"
)

// The tower can be entered, but three points are impossible in one turn.
const tower = `name: Ada
description: Keeps a tower.
persona_identity_prompt: You are Ada.
machines:
  - machine_key: tower
    pass_threshold: 3
    states:
      - {state_key: door, is_initial_state: true}
      - {state_key: inside, is_terminal_state: true}
    transitions:
      - {from_state_key: door, to_state_key: inside, decision_type: pass, score_delta: 2}
      - {from_state_key: door, decision_type: reject, score_delta: -1}
`

// A proof contains for each ending whether it is possible, the scores, and a way to it.
func ExamplePersona() {
	doc, _, _ := personas.Parse("tower.yaml", []byte(tower))
	report, err := prove.Persona(&doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, end := range report.Machines[0].Outcomes {
		if !end.Reachable {
			fmt.Println(end.Outcome, "cannot come:", end.Reason)
			continue
		}
		fmt.Println(end.Outcome, "in", end.Witness.Len(), "turn, with", *end.Min, "to", *end.Max)
	}
	fmt.Println("holds:", report.Holds())
	// Output:
	// ACCEPT cannot come: the greatest score in a terminal state is 2, below the pass_threshold of 3
	// REJECT in 1 turn, with -1 to 2
	// KICK_OUT cannot come: there is no kick_out transition
	// holds: false
}
