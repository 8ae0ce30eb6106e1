// Package graph draws a persona's machines with their states and transitions, and the links that
// unlock one machine when another ends. The formats are Mermaid, DOT, SVG, PNG, and text for a
// terminal. It has its own layered layout and runs no external programs. The output is
// deterministic. Texts of a persona are escaped in every format, and their control characters are
// removed. The package reads no files. It uses the prover (personas/prove) to find out what can
// happen in a machine.
package graph

import (
	"errors"
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// Options select what is drawn. The zero value draws all machines, coloured by decision.
type Options struct {
	Machine string // if not "", draws only the machine with this key
	Marks   *Marks // if not nil, colours by these marks instead of by decision
}

// Bounds of SVG and PNG. A larger picture would be unreadable.
const (
	MaxStates        = 1000 // per machine
	MaxMachineArrows = 2000 // per machine
	MaxBoxes         = 2000 // states and machines in all
	MaxArrows        = 4000 // arrows in all
	MaxLinks         = 500
)

// Errors.
var (
	// ErrMachine means that the persona does not contain the machine of Options.
	ErrMachine = errors.New("the persona has no such machine")
	// ErrTooLarge means that a machine or the persona exceeds these bounds.
	ErrTooLarge = errors.New("too large for a picture; use the format mermaid, dot or terminal")
)

func choosePicture(p *personas.Persona, o Options) (*picture, error) {
	pic := newPicture(p, o)
	if o.Machine != "" && len(pic.machines) == 0 {
		return nil, fmt.Errorf("%w: %q", ErrMachine, o.Machine)
	}
	return pic, nil
}

func (p *picture) checkSize() error {
	boxes, arrows := len(p.machines), 0
	for _, m := range p.machines {
		boxes, arrows = boxes+len(m.states), arrows+len(m.arrows)
		if len(m.states) > MaxStates || len(m.arrows) > MaxMachineArrows {
			return fmt.Errorf("machine %q has %d states and %d arrows, but a picture can show at most %d and %d: %w",
				m.key, len(m.states), len(m.arrows), MaxStates, MaxMachineArrows, ErrTooLarge)
		}
	}
	if boxes > MaxBoxes || arrows > MaxArrows || len(p.links) > MaxLinks {
		return fmt.Errorf("the persona has %d machines and states, %d arrows and %d links, but a picture can show at most %d, %d and %d; choose a machine with --machine: %w",
			boxes, arrows, len(p.links), MaxBoxes, MaxArrows, MaxLinks, ErrTooLarge)
	}
	return nil
}
