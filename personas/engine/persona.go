package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// Persona contains the compiled machines and links of a persona. It is immutable.
//
// The caller must store the keys of the player's unlocked machines. It starts with an empty list,
// appends the result of Complete, and clears the list when the player's progress is reset. The
// order does not matter.
type Persona struct {
	order    []string
	machines map[string]*Machine
	open     map[string]bool // machines that need no link
	linked   map[string]bool // machines with an incoming link
	places   map[string]int  // index of each machine in order
	links    []personas.Link
	// linksFrom holds the indexes of the links that leave each machine.
	linksFrom map[string][]int
	primary   string
}

// CompilePersona compiles a document. It returns ErrDocument if the persona lacks machines, if a
// machine is invalid for Compile or has an empty or duplicate key, or if a link has an unknown
// machine or condition.
func CompilePersona(doc *personas.Persona) (*Persona, error) {
	p := &Persona{
		machines: make(map[string]*Machine, len(doc.Machines)),
		open:     make(map[string]bool, len(doc.Machines)),
		linked:   make(map[string]bool, len(doc.Machines)),
		places:   make(map[string]int, len(doc.Machines)),

		linksFrom: map[string][]int{},
	}
	if len(doc.Machines) == 0 {
		return nil, fmt.Errorf("%w: the persona has no machines", ErrDocument)
	}
	if err := p.addMachines(doc.Machines); err != nil {
		return nil, err
	}
	if err := p.addLinks(doc.Links); err != nil {
		return nil, err
	}
	p.findOpen(doc.Machines)
	return p, nil
}

func (p *Persona) addMachines(docs []personas.Machine) error {
	for i := range docs {
		key := docs[i].Key
		if key == "" || p.machines[key] != nil {
			return fmt.Errorf("%w: machine %d has an empty or duplicate key %q", ErrDocument, i, key)
		}
		m, err := Compile(&docs[i])
		if err != nil {
			return err
		}
		p.machines[key] = m
		p.places[key] = len(p.order)
		p.order = append(p.order, key)
	}
	return nil
}

func (p *Persona) addLinks(links []personas.Link) error {
	for i := range links {
		l := &links[i]
		isKnown := slices.Contains([]personas.Condition{personas.IfOutcome, personas.IfScoreGTE, personas.IfScoreLTE, personas.Always}, l.Condition)
		if p.machines[l.Source] == nil || p.machines[l.Target] == nil || !isKnown {
			return fmt.Errorf("%w: link %d, from %q to %q if %q, has an unknown machine or condition", ErrDocument, i, l.Source, l.Target, l.Condition)
		}
		p.linked[l.Target] = true
		p.linksFrom[l.Source] = append(p.linksFrom[l.Source], i)
	}
	p.links = slices.Clone(links)
	return nil
}

// findOpen finds the machines that need no link, and the primary machine. The primary machine is
// the first entry machine. Without an entry machine, it is the first machine to which no link
// leads, or else the first machine.
func (p *Persona) findOpen(docs []personas.Machine) {
	entry, free := "", ""
	for i := range docs {
		key := docs[i].Key
		p.open[key] = docs[i].IsEntry || !p.linked[key]
		if entry == "" && docs[i].IsEntry {
			entry = key
		}
		if free == "" && !p.linked[key] {
			free = key
		}
	}
	p.primary = cmp.Or(entry, free, p.order[0])
}

// Keys returns the keys of the machines in document order.
func (p *Persona) Keys() []string { return slices.Clone(p.order) }

// Machine returns the machine with a key, or nil.
func (p *Persona) Machine(key string) *Machine { return p.machines[key] }

// Primary returns the key of the machine with which a player starts by default.
func (p *Persona) Primary() string { return p.primary }

// HasLinks reports whether the persona has any machine links.
func (p *Persona) HasLinks() bool { return len(p.links) > 0 }

// IsLinked reports whether a link leads to the machine.
func (p *Persona) IsLinked(key string) bool { return p.linked[key] }
