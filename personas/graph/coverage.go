package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// ErrCoverage is a text that is no coverage of the persona.
var ErrCoverage = errors.New("no coverage of this persona")

// covered is a coverage file as `parley persona test --coverage` writes it:
//
//	{"personas": [{"file": "personas/hotel.yaml",
//	  "states":      [{"machine_key": "check-in", "state_key": "desk", "count": 3}],
//	  "transitions": [{"machine_key": "check-in", "index": 0, "count": 2}]}]}
//
// Members that are not named here are ignored, and what is not listed counts as
// never reached.
type covered struct {
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

// Coverage marks what play-throughs reached, from the text of a coverage file.
// The file may be about several personas: file names the one that is drawn, by
// its path or, where only one has it, by the last part of its path.
func Coverage(p *personas.Persona, file string, src []byte) (*Marks, error) {
	var all covered
	if err := json.Unmarshal(src, &all); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCoverage, err)
	}
	one, err := all.find(file)
	if err != nil {
		return nil, err
	}
	m := &Marks{States: map[StateRef]Mark{}, Moves: map[MoveRef]Mark{}, Legend: []Mark{{Hit, "covered"}, {Missed, "not covered"}}}
	for i := range p.Machines {
		m.missAll(&p.Machines[i])
	}
	for _, s := range one.States {
		m.States[StateRef{s.Machine, s.State}] = counted(s.Count)
	}
	for _, t := range one.Transitions {
		m.Moves[MoveRef{t.Machine, t.Index}] = counted(t.Count)
	}
	return m, nil
}

func (m *Marks) missAll(machine *personas.Machine) {
	for i := range machine.States {
		m.States[StateRef{machine.Key, machine.States[i].Key}] = counted("0")
	}
	for i := range machine.Transitions {
		m.Moves[MoveRef{machine.Key, i}] = counted("0")
	}
}

func counted(n json.Number) Mark {
	count, err := n.Float64()
	if err != nil || count <= 0 {
		return Mark{Missed, "0×"}
	}
	return Mark{Hit, fmt.Sprintf("%.0f×", count)}
}

func (c *covered) find(file string) (*coveredPersona, error) {
	file = slashed(file)
	var same []*coveredPersona
	for i := range c.Personas {
		one := &c.Personas[i]
		if slashed(one.File) == file {
			return one, nil
		}
		if path.Base(slashed(one.File)) == path.Base(file) || len(c.Personas) == 1 && one.File == "" {
			same = append(same, one)
		}
	}
	if len(same) != 1 {
		return nil, fmt.Errorf("%w: it has %d entries for %s; make it with `parley persona test --coverage FILE`", ErrCoverage, len(same), plain(file))
	}
	return same[0], nil
}

func slashed(file string) string { return path.Clean(strings.ReplaceAll(file, `\`, "/")) }
