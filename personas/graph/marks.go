package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/prove"
)

// Tone is the colour of a state or transition in a picture with marks.
type Tone int

// The tones. Each has a colour and a note, so no picture depends on colours alone.
const (
	Plain  Tone = iota
	Hit         // reached by a play-through, or possible
	Missed      // not reached by any play-through
	Never       // impossible
)

// Mark is the tone of one element with a short note, such as "12x" or "never".
type Mark struct {
	Tone Tone
	Note string
}

// StateRef identifies a state of a persona.
type StateRef struct{ Machine, State string }

// TransitionRef identifies a transition by its index in the machine.
type TransitionRef struct {
	Machine string
	Index   int
}

// Marks contains the marks of a picture.
type Marks struct {
	States      map[StateRef]Mark
	Transitions map[TransitionRef]Mark
	Legend      []Mark // meanings of the tones, in order
	Others      Mark   // mark of all other elements
}

func (m *Marks) stateMark(machine, key string) Mark {
	if m == nil {
		return Mark{}
	}
	if mark, ok := m.States[StateRef{machine, key}]; ok {
		return mark
	}
	return m.Others
}

func (m *Marks) transitionMark(machine string, index int) Mark {
	if m == nil {
		return Mark{}
	}
	if mark, ok := m.Transitions[TransitionRef{machine, index}]; ok {
		return mark
	}
	return m.Others
}

func (m Mark) combineWith(other Mark) Mark {
	switch {
	case m == (Mark{}) || m == other:
		return other
	case other == (Mark{}):
		return m
	}
	combined := Mark{Tone: m.Tone, Note: m.Note}
	if other.Tone == Hit {
		combined.Tone = Hit
	}
	if m.Note != "" && other.Note != "" {
		combined.Note = m.Note + ", " + other.Note
	}
	return combined
}

// MarkProof returns marks from package prove. A mark shows an impossible element, or the minimum
// number of messages to reach the element. Errors are those of prove.Persona.
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

// ErrCoverage means that a text is not a coverage report for the persona.
var ErrCoverage = errors.New("not a coverage report for this persona")

// coverageFile is the output of `parley persona test --coverage`. Unlisted elements were never
// reached. For example:
//
//	{"personas": [{"file": "personas/hotel.yaml",
//	  "states":      [{"machine_key": "check-in", "state_key": "desk", "count": 3}],
//	  "transitions": [{"machine_key": "check-in", "index": 0, "count": 2}]}]}
type coverageFile struct {
	Personas []coveredPersona `json:"personas"`
}

type coveredPersona struct {
	File   string `json:"file"`
	States []struct {
		Machine string      `json:"machine_key"`
		State   string      `json:"state_key"`
		Count   json.Number `json:"count"`
	} `json:"states"`
	Transitions []struct {
		Machine string      `json:"machine_key"`
		Index   int         `json:"index"`
		Count   json.Number `json:"count"`
	} `json:"transitions"`
}

// MarkCoverage returns marks for the elements reached by play-throughs, from the coverage file in
// src. If the report covers several personas, file selects one by path or by unique base name.
func MarkCoverage(file string, src []byte) (*Marks, error) {
	var all coverageFile
	if err := json.Unmarshal(src, &all); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCoverage, err)
	}
	covered, err := all.findPersona(file)
	if err != nil {
		return nil, err
	}
	m := &Marks{
		States: map[StateRef]Mark{}, Transitions: map[TransitionRef]Mark{},
		Legend: []Mark{{Hit, "covered"}, {Missed, "not covered"}}, Others: coverageMark("0"),
	}
	for _, s := range covered.States {
		m.States[StateRef{s.Machine, s.State}] = coverageMark(s.Count)
	}
	for _, t := range covered.Transitions {
		m.Transitions[TransitionRef{t.Machine, t.Index}] = coverageMark(t.Count)
	}
	return m, nil
}

func coverageMark(n json.Number) Mark {
	count, err := n.Float64()
	if err != nil || count <= 0 {
		return Mark{Missed, "0×"}
	}
	return Mark{Hit, fmt.Sprintf("%.0f×", count)}
}

func (c *coverageFile) findPersona(file string) (*coveredPersona, error) {
	file = slashPath(file)
	var same []*coveredPersona
	for i := range c.Personas {
		covered := &c.Personas[i]
		if slashPath(covered.File) == file {
			return covered, nil
		}
		if path.Base(slashPath(covered.File)) == path.Base(file) || len(c.Personas) == 1 && covered.File == "" {
			same = append(same, covered)
		}
	}
	if len(same) != 1 {
		return nil, fmt.Errorf("%w: it has %d entries for %s; make it with `parley persona test --coverage FILE`",
			ErrCoverage, len(same), plainLine(file))
	}
	return same[0], nil
}

func slashPath(file string) string { return path.Clean(strings.ReplaceAll(file, `\`, "/")) }
