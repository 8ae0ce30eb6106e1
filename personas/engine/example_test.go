package engine_test

import (
	"errors"
	"fmt"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

const merchant = `name: Vex
description: Sells maps, and doubts everybody.
persona_identity_prompt: You are Vex.
machines:
  - machine_key: haggle
    pass_threshold: 2
    states:
      - {state_key: asking, is_initial_state: true, max_redirects: 2}
      - {state_key: sold, is_terminal_state: true}
    transitions:
      - {from_state_key: asking, to_state_key: sold, decision_type: pass, score_delta: 2}
      - {from_state_key: asking, decision_type: reject, score_delta: -1}
`

// A machine applies a verdict to a session. It does not judge the player's message itself.
func Example() {
	doc, _, _ := personas.Parse("merchant.yaml", []byte(merchant))
	persona, err := engine.CompilePersona(&doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	haggle := persona.Machine(persona.Primary())
	session := haggle.Start()
	for _, verdict := range []engine.Verdict{engine.None, engine.Fire(0)} {
		result, err := haggle.Step(session, verdict)
		if err != nil {
			fmt.Println(err)
			return
		}
		session = result.Session
		fmt.Printf("%s: %s, score %d, outcome %q\n", result.Decision, session.State, session.Score, session.Outcome)
	}
	_, err = haggle.Step(session, engine.None)
	fmt.Println(errors.Is(err, engine.ErrFinished))
	// Output:
	// redirect: asking, score 0, outcome ""
	// pass: sold, score 2, outcome "ACCEPT"
	// true
}
