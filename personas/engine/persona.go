package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// Persona contains the compiled machines and links of a persona. It is immutable.
//
// The caller stores the unlocked machines of each player as an unordered list. The list starts
// empty and grows by the result of Complete. A reset of the progress clears the list.
type Persona struct {
	order     []string
	machines  map[string]*Machine
	open      map[string]bool // machines without required link
	linked    map[string]bool // machines with an incoming link
	places    map[string]int  // index of each machine in order
	links     []personas.Link
	linksFrom map[string][]int
	primary   string
}

// CompilePersona compiles a document. A missing or invalid machine returns ErrDocument. The same is
// true for a link with an unknown machine or condition.
func CompilePersona(doc *personas.Persona) (*Persona, error) {
	persona := &Persona{
		machines: make(map[string]*Machine, len(doc.Machines)),
		open:     make(map[string]bool, len(doc.Machines)),
		linked:   make(map[string]bool, len(doc.Machines)),
		places:   make(map[string]int, len(doc.Machines)),

		linksFrom: map[string][]int{},
	}
	if len(doc.Machines) == 0 {
		return nil, fmt.Errorf("%w: the persona has no machines", ErrDocument)
	}
	if err := persona.addMachines(doc.Machines); err != nil {
		return nil, err
	}
	if err := persona.addLinks(doc.Links); err != nil {
		return nil, err
	}
	persona.findOpen(doc.Machines)
	return persona, nil
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

var conditions = []personas.Condition{
	personas.IfOutcome, personas.IfScoreGTE, personas.IfScoreLTE, personas.Always,
}

func (p *Persona) addLinks(links []personas.Link) error {
	for i := range links {
		l := &links[i]
		isKnown := slices.Contains(conditions, l.Condition)
		if p.machines[l.Source] == nil || p.machines[l.Target] == nil || !isKnown {
			return fmt.Errorf("%w: link %d, from %q to %q if %q, has an unknown machine or condition",
				ErrDocument, i, l.Source, l.Target, l.Condition)
		}
		p.linked[l.Target] = true
		p.linksFrom[l.Source] = append(p.linksFrom[l.Source], i)
	}
	p.links = slices.Clone(links)
	return nil
}

// findOpen chooses the first entry machine as primary. Otherwise the primary machine is the first
// one without an incoming link, or else the first.
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

// Machine returns the machine with the given key, or nil.
func (p *Persona) Machine(key string) *Machine { return p.machines[key] }

// Primary returns the key of the default first machine.
func (p *Persona) Primary() string { return p.primary }

// HasLinks reports whether the persona has machine links.
func (p *Persona) HasLinks() bool { return len(p.links) > 0 }

// IsLinked reports whether a link leads to the machine.
func (p *Persona) IsLinked(key string) bool { return p.linked[key] }

// Opens reports whether a link opens for the given outcome and score of the source machine.
// NoOutcome opens no link.
func Opens(l *personas.Link, outcome personas.Outcome, score int) bool {
	if outcome == personas.NoOutcome {
		return false
	}
	switch l.Condition {
	case personas.Always:
		return true
	case personas.IfOutcome:
		return outcome == l.Outcome
	case personas.IfScoreGTE:
		return score >= l.Score
	case personas.IfScoreLTE:
		return score <= l.Score
	}
	return false
}

// IsAvailable reports whether a player with the given unlocked machines can start the machine. An
// unknown machine returns false.
func (p *Persona) IsAvailable(key string, unlocked []string) bool {
	if p.machines[key] == nil {
		return false
	}
	return p.open[key] || slices.Contains(unlocked, key)
}

// Available returns the machines that a player can start, in document order.
func (p *Persona) Available(unlocked []string) []string {
	isUnlocked := makeSet(unlocked)
	var keys []string
	for _, key := range p.order {
		if p.open[key] || isUnlocked[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

// Complete returns the machines that a completion unlocks, in document order. Already unlocked
// machines are omitted.
func (p *Persona) Complete(unlocked []string, machine string, outcome personas.Outcome, score int) []string {
	if len(p.linksFrom[machine]) == 0 {
		return nil
	}
	return p.Unlock(makeSet(unlocked), machine, outcome, score)
}

// Unlock is like Complete, but takes a set of unlocked machines and adds the result to the set.
func (p *Persona) Unlock(unlocked map[string]bool, machine string, outcome personas.Outcome, score int) []string {
	var keys []string
	for _, i := range p.linksFrom[machine] {
		link := &p.links[i]
		if !p.open[link.Target] && !unlocked[link.Target] && Opens(link, outcome, score) {
			unlocked[link.Target] = true
			keys = append(keys, link.Target)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Compare(p.places[a], p.places[b]) })
	return keys
}

// AutoAdvance reports whether the player moves from source to target automatically. A link with
// is_auto_advance must open after the given outcome and score. The target must be unlocked by the
// same completion.
func (p *Persona) AutoAdvance(source, target string, outcome personas.Outcome, score int) bool {
	return slices.ContainsFunc(p.linksFrom[source], func(i int) bool {
		l := &p.links[i]
		return l.AutoAdvance && l.Target == target && Opens(l, outcome, score)
	})
}

func makeSet(keys []string) map[string]bool {
	set := make(map[string]bool, len(keys))
	for _, key := range keys {
		set[key] = true
	}
	return set
}

// Relationship returns the relationship level of a player with a persona. The level is the sum of
// all session scores, plus 1 per ACCEPT, -1 per REJECT and -2 per KICK_OUT.
func Relationship(sessions []Session) int {
	level := 0
	for _, s := range sessions {
		level = addSaturated(level, addSaturated(s.Score, outcomeWeights[s.Outcome]))
	}
	return level
}

var outcomeWeights = map[personas.Outcome]int{personas.Accept: 1, personas.Reject: -1, personas.KickOut: -2}

// TotalScore returns the sum of scores without overflow.
func TotalScore(scores []int) int {
	total := 0
	for _, s := range scores {
		total = addSaturated(total, s)
	}
	return total
}
