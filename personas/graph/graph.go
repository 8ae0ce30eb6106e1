// Package graph draws personas: machines with their states and transitions, and the links that
// unlock one machine through another, as Mermaid, DOT, SVG, PNG and as text for a terminal. The
// layout is our own, in layers, without external programs. It is deterministic. Text of a persona
// is escaped in every format, and a picture never contains its control characters. The package
// never reads files and does not define the behaviour of a machine: it asks the prover
// (personas/prove) for what can happen.
package graph

import (
	"errors"
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// Options select the drawing. The zero value draws all machines, coloured by decision.
type Options struct {
	Machine string // draw only the machine with this key
	Marks   *Marks // colour by these instead of by decision
}

// Bounds of SVG and PNG. A picture beyond them could not be read.
const (
	MaxStates = 1000 // per machine
	MaxMoves  = 2000 // per machine
	MaxBoxes  = 2000 // states and machines in all
	MaxArrows = 4000 // arrows and links in all
)

// Refusals.
var (
	// ErrMachine is a machine that the persona does not have.
	ErrMachine = errors.New("the persona has no such machine")
	// ErrTooLarge is a machine or a persona beyond these bounds.
	ErrTooLarge = errors.New("too large for a picture; mermaid, dot and terminal draw it all the same")
)

// choosePicture makes the picture that the options ask for.
func choosePicture(p *personas.Persona, o Options) (*picture, error) {
	pic := newPicture(p, o)
	if o.Machine != "" && len(pic.machines) == 0 {
		return nil, fmt.Errorf("%w: %q", ErrMachine, o.Machine)
	}
	return pic, nil
}

// checkSize refuses a picture that has a machine beyond the bounds.
func (p *picture) checkSize() error {
	boxes, arrows := len(p.machines), len(p.links)
	for _, m := range p.machines {
		boxes, arrows = boxes+len(m.states), arrows+len(m.moves)
		if len(m.states) > MaxStates || len(m.moves) > MaxMoves {
			return fmt.Errorf("machine %q has %d states and %d arrows, and a picture holds at most %d and %d: %w",
				m.key, len(m.states), len(m.moves), MaxStates, MaxMoves, ErrTooLarge)
		}
	}
	if boxes > MaxBoxes || arrows > MaxArrows {
		return fmt.Errorf("the persona has %d machines and states and %d arrows and links, and a picture holds at most %d and %d in all; choose one with --machine: %w",
			boxes, arrows, MaxBoxes, MaxArrows, ErrTooLarge)
	}
	return nil
}
