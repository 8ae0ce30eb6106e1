package personas_test

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// A gate is a small persona: its initial state waits for the password.
const gate = `name: Hobb
description: He keeps the gate.
persona_identity_prompt: You are Hobb. You open the gate for the password.
machines:
  - machine_key: gate
    scoring_mode: pass_fail
    states:
      - {state_key: shut, is_initial_state: true}
      - {state_key: open, is_terminal_state: true}
    transitions:
      - {from_state_key: shut, to_state_key: open, decision_type: pass, condition: The password.}
`

// A persona is read from YAML or JSON.
func ExampleParse() {
	persona, places, faults := personas.Parse("gate.yaml", []byte(gate))
	fmt.Println(persona.Name, len(persona.Machines), len(faults))
	at := places.Lookup("machines[0].states[1].state_key")
	fmt.Printf("%s is in line %d\n", persona.Machines[0].States[1].Key, at.Line)
	// Output:
	// Hobb 1 0
	// open is in line 9
}

// Unreadable values are reported with their position, and the rest is still read.
func ExampleParse_faults() {
	persona, _, faults := personas.Parse("gate.yaml", []byte("name: Hobb\nmachines: none\n"))
	fmt.Println(persona.Name)
	for _, f := range faults {
		fmt.Printf("%d:%d: %s\n", f.Line, f.Column, f.Message)
	}
	// Output:
	// Hobb
	// 1:1: description is missing, and every persona needs it; add it
	// 1:1: persona_identity_prompt is missing, and every persona needs it; add it
	// 2:11: machines must be a list, but it is the string "none"
}
