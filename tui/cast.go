package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

// persona is a persona as a player sees it. Every text in it is clean; keys and
// ids are as the service gave them, because calls need them.
type persona struct {
	id       string
	name     string
	about    string
	machines []machine
	links    []personas.Link
}

type machine struct {
	id, key   string
	title     string
	about     string
	scoring   bool
	threshold int
	states    []state
	// moves are the transitions as the document has them; rules is nil where the
	// service does not show the whole machine.
	moves []personas.Transition
	rules *engine.Machine
}

type state struct {
	key, title   string
	initial      bool
	terminal     bool
	maxRedirects int // -1: none
}

func newPersona(id string, full wire.FullPersona) *persona {
	c := &persona{id: id, name: Clean(full.Persona.Name), about: Clean(full.Persona.Description), links: full.Links}
	if full.Persona.ID != "" {
		c.id = full.Persona.ID
	}
	for i := range full.Machines {
		c.machines = append(c.machines, newMachine(&full.Machines[i]))
	}
	return c
}

func newMachine(m *wire.Machine) machine {
	view := machine{
		id:        cmp.Or(m.ID, m.Key),
		key:       m.Key,
		title:     Clean(m.Title()),
		about:     Clean(m.Description),
		scoring:   m.Mode() == personas.Scoring,
		threshold: m.Threshold(),
	}
	for _, i := range shownOrder(m.States) {
		view.states = append(view.states, newState(&m.States[i]))
	}
	view.moves = m.Transitions
	if rules, err := engine.Compile(&m.Machine); err == nil {
		view.rules = rules
	}
	return view
}

func newState(s *personas.State) state {
	view := state{key: s.Key, title: Clean(s.Title()), initial: s.IsInitial, terminal: s.IsTerminal, maxRedirects: -1}
	if s.MaxRedirects != nil {
		view.maxRedirects = *s.MaxRedirects
	}
	return view
}

// shownOrder sorts states by display_order, whose default is the position.
func shownOrder(states []personas.State) []int {
	order := make([]int, len(states))
	for i := range order {
		order[i] = i
	}
	at := func(i int) int {
		if p := states[i].DisplayOrder; p != nil {
			return *p
		}
		return i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at(a), at(b)) })
	return order
}

// findMachine finds a machine by id or key. A service may hide machines; then the
// id stands for the name.
func (c *persona) findMachine(idOrKey string) *machine {
	for i := range c.machines {
		if m := &c.machines[i]; idOrKey != "" && (m.id == idOrKey || m.key == idOrKey) {
			return m
		}
	}
	return &machine{id: idOrKey, key: idOrKey, title: Clean(idOrKey), scoring: true, threshold: personas.DefaultPassThreshold}
}

// findState finds a state by key; an unknown one is called by its key.
func (m *machine) findState(key string) *state {
	for i := range m.states {
		if m.states[i].key == key {
			return &m.states[i]
		}
	}
	return &state{key: key, title: Clean(key), maxRedirects: -1}
}

// initialState is the key of the state in which the machine begins.
func (m *machine) initialState() string {
	for _, s := range m.states {
		if s.initial {
			return s.key
		}
	}
	return ""
}

// nextMachine finds the machine to which a completion moves the player straight on:
// the first unlocked one, in the links' order, to which a satisfied link with
// is_auto_advance leads.
func (c *persona) nextMachine(from string, outcome string, score int, unlocked []string) string {
	key := c.findMachine(from).key
	for _, l := range c.links {
		if !l.AutoAdvance || l.Source != key || !engine.Opens(&l, personas.Outcome(outcome), score) {
			continue
		}
		target := c.findMachine(l.Target)
		if slices.Contains(unlocked, target.id) || slices.Contains(unlocked, target.key) {
			return target.id
		}
	}
	return ""
}

// unlockWords says what opens a locked machine, as far as the persona is public:
// "needs The gate: accepted, or The well: 2 or more".
func (c *persona) unlockWords(m *machine) string {
	var ways []string
	for _, l := range c.links {
		if l.Target == m.key {
			ways = append(ways, c.linkWords(l))
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return "needs " + strings.Join(ways, ", or ")
}

func (c *persona) linkWords(l personas.Link) string {
	source := c.findMachine(l.Source).title
	switch l.Condition {
	case personas.IfOutcome:
		return source + ": " + outcomeWords(string(l.Outcome))
	case personas.IfScoreGTE:
		return fmt.Sprintf("%s: %d or more", source, l.Score)
	case personas.IfScoreLTE:
		return fmt.Sprintf("%s: %d or less", source, l.Score)
	}
	return source + ": any ending"
}
