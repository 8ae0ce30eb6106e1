package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// ErrCoverage means that a text is not a coverage report for the persona.
var ErrCoverage = errors.New("not a coverage report for this persona")

// coverageFile is a coverage file as `parley persona test --coverage` writes it:
//
//	{"personas": [{"file": "personas/hotel.yaml",
//	  "states":      [{"machine_key": "check-in", "state_key": "desk", "count": 3}],
//	  "transitions": [{"machine_key": "check-in", "index": 0, "count": 2}]}]}
//
// Other members are ignored. Elements that are not listed count as never reached.
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

// MarkCoverage returns marks for the elements that play-throughs reached. src is the content of a
// coverage file. If it covers several personas, file selects one of them. file is the path of the
// persona's file, or the last element of the path if that is unique.
func MarkCoverage(p *personas.Persona, file string, src []byte) (*Marks, error) {
	var all coverageFile
	if err := json.Unmarshal(src, &all); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCoverage, err)
	}
	one, err := all.findPersona(file)
	if err != nil {
		return nil, err
	}
	m := &Marks{States: map[StateRef]Mark{}, Transitions: map[TransitionRef]Mark{}, Legend: []Mark{{Hit, "covered"}, {Missed, "not covered"}}}
	for i := range p.Machines {
		machine := &p.Machines[i]
		for j := range machine.States {
			m.States[StateRef{machine.Key, machine.States[j].Key}] = coverageMark("0")
		}
		for j := range machine.Transitions {
			m.Transitions[TransitionRef{machine.Key, j}] = coverageMark("0")
		}
	}
	for _, s := range one.States {
		m.States[StateRef{s.Machine, s.State}] = coverageMark(s.Count)
	}
	for _, t := range one.Transitions {
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
		one := &c.Personas[i]
		if slashPath(one.File) == file {
			return one, nil
		}
		if path.Base(slashPath(one.File)) == path.Base(file) || len(c.Personas) == 1 && one.File == "" {
			same = append(same, one)
		}
	}
	if len(same) != 1 {
		return nil, fmt.Errorf("%w: it has %d entries for %s; make it with `parley persona test --coverage FILE`", ErrCoverage, len(same), plainLine(file))
	}
	return same[0], nil
}

func slashPath(file string) string { return path.Clean(strings.ReplaceAll(file, `\`, "/")) }
