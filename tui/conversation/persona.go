package conversation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Persona is the part of a persona that the chat uses. All texts are clean. Keys and ids are
// unchanged.
type Persona struct {
	ID        string
	name      string
	About     string
	Hue       int    // degrees
	Portrait  string // data URI
	Machines  []Machine
	Links     []personas.Link
	variables map[string]personas.Variable
	// The first call of each function is slow.
	possibleEndings func() []string
	usesGender      func() bool
}

// Machine is a machine of a persona, without the parts that the service hides.
type Machine struct {
	ID, Key   string
	Title     string
	about     string
	Goal      string // the player's aim
	isEntry   bool
	Scoring   bool
	Threshold int
	inputs    []string // keys of variables from other machines
	failBound int      // inclusive maximum of a losing score
	states    []State
	// rules is nil if the service hides parts of the machine.
	moves []personas.Transition
	rules *engine.Machine
}

// State is a state of a machine.
type State struct {
	Key, Title   string
	ending       string
	initial      bool
	Terminal     bool
	MaxRedirects int // -1: no limit
	// isPatient means that small talk is always free (docs/persona-file.md, "patience").
	isPatient bool
	// losesByNo reports whether a plain "no" may lose. The first call is slow. losesByNo is nil if
	// rules is nil.
	losesByNo func() bool
}

// NewPersona returns the Persona for a response of the service. id is the default for
// full.Persona.ID.
func NewPersona(id string, full wire.FullPersona) *Persona {
	persona := &Persona{
		ID: id, name: terminal.Clean(full.Persona.Name),
		About: terminal.Clean(full.Persona.Description), Links: full.Links,
	}
	if full.Persona.ID != "" {
		persona.ID = full.Persona.ID
	}
	persona.Hue, persona.Portrait = personas.HueOf(full.Hue, persona.ID), full.Portrait
	doc := &personas.Persona{Language: full.Language, Offline: full.Offline}
	for i := range full.Machines {
		persona.Machines = append(persona.Machines, newMachine(doc, &full.Machines[i]))
	}
	persona.variables = make(map[string]personas.Variable, len(full.Variables))
	for _, v := range full.Variables {
		persona.variables[v.Key] = v
	}
	persona.possibleEndings = sync.OnceValue(persona.listEndings)
	persona.usesGender = sync.OnceValue(func() bool { return personas.UsesPlayerGender(full) })
	return persona
}

func newMachine(doc *personas.Persona, wireMachine *wire.Machine) Machine {
	view := Machine{
		ID:        cmp.Or(wireMachine.ID, wireMachine.Key),
		Key:       wireMachine.Key,
		Title:     terminal.Clean(wireMachine.Title()),
		about:     terminal.Clean(wireMachine.Description),
		isEntry:   wireMachine.IsEntry,
		Scoring:   wireMachine.Mode() == personas.Scoring,
		Threshold: wireMachine.Threshold(),
		failBound: wireMachine.FailBound(),
	}
	if goal := wireMachine.Goal(); !strings.Contains(goal, "{{") { // Placeholders have no value here.
		view.Goal = terminal.Clean(terminal.FirstLine(strings.TrimSpace(goal)))
	}
	for _, i := range shownOrder(wireMachine.States) {
		s := &wireMachine.States[i]
		state := State{
			Key: s.Key, Title: terminal.Clean(s.Title()), ending: terminal.Clean(s.EndingName), initial: s.IsInitial,
			Terminal: s.IsTerminal, MaxRedirects: -1, isPatient: s.Offline == nil || s.Offline.Patience == nil,
		}
		if s.MaxRedirects != nil {
			state.MaxRedirects = *s.MaxRedirects
		}
		view.states = append(view.states, state)
	}
	for _, v := range wireMachine.InputVariables {
		view.inputs = append(view.inputs, v.Key)
	}
	view.moves = wireMachine.Transitions
	if rules, err := engine.Compile(&wireMachine.Machine); err == nil {
		view.rules = rules
		view.noteRefusals(doc, &wireMachine.Machine)
	}
	return view
}

var builtInJudge = sync.OnceValue(intent.NewReader)

func (m *Machine) noteRefusals(doc *personas.Persona, machine *personas.Machine) {
	rules := m.rules
	for i := range m.states {
		key := m.states[i].Key
		m.states[i].losesByNo = sync.OnceValue(func() bool {
			place := intent.Place{Persona: doc, Machine: machine, Outgoing: rules.Outgoing(key)}
			stateIndex := slices.IndexFunc(machine.States, func(s personas.State) bool { return s.Key == key })
			place.State = &machine.States[stateIndex]
			return builtInJudge().MayLoseByNo(place)
		})
	}
}

func shownOrder(states []personas.State) []int {
	order := make([]int, len(states))
	for i := range order {
		order[i] = i
	}
	position := func(i int) int {
		if p := states[i].DisplayOrder; p != nil {
			return *p
		}
		return i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(position(a), position(b)) })
	return order
}

// FindMachine returns the machine with an id or key. For an unknown machine, the title is idOrKey.
func (p *Persona) FindMachine(idOrKey string) *Machine {
	if m := p.shownMachine(idOrKey); m != nil {
		return m
	}
	return &Machine{
		ID: idOrKey, Key: idOrKey, Title: terminal.Clean(idOrKey), Scoring: true,
		Threshold: personas.DefaultPassThreshold, failBound: personas.DefaultEarlyFailBound,
	}
}

func (p *Persona) shownMachine(idOrKey string) *Machine {
	if idOrKey == "" {
		return nil
	}
	for i := range p.Machines {
		if m := &p.Machines[i]; m.ID == idOrKey || m.Key == idOrKey {
			return m
		}
	}
	return nil
}

// MachineToEnter predicts the machine that EnterMachine opens. The result is nil for a hidden
// machine. wanted is an id, a key or "".
func (user *UserSession) MachineToEnter(wanted string) *Machine {
	if user.used {
		wanted = cmp.Or(wanted, user.Saved.Machine)
	}
	if wanted == "" {
		return user.Persona.entryMachine()
	}
	return user.Persona.shownMachine(wanted)
}

// entryMachine returns the default machine of a new session: an entry machine, a machine without
// incoming links, or the first machine.
func (p *Persona) entryMachine() *Machine {
	var free *Machine
	for i := range p.Machines {
		m := &p.Machines[i]
		isLinked := slices.ContainsFunc(p.Links, func(l personas.Link) bool { return l.Target == m.Key })
		switch {
		case m.isEntry:
			return m
		case free == nil && !isLinked:
			free = m
		}
	}
	if free == nil && len(p.Machines) > 0 {
		return &p.Machines[0]
	}
	return free
}

// FindState returns the state with a key. For an unknown state, the title is key.
func (m *Machine) FindState(key string) *State {
	for i := range m.states {
		if m.states[i].Key == key {
			return &m.states[i]
		}
	}
	return &State{Key: key, Title: terminal.Clean(key), MaxRedirects: -1}
}

// InitialState returns the key of the initial state.
func (m *Machine) InitialState() string {
	for _, s := range m.states {
		if s.initial {
			return s.Key
		}
	}
	return ""
}

// NextMachine returns the id of the machine that begins automatically after an ending, or "". The
// first open link with is_auto_advance and an unlocked target determines the machine.
func (p *Persona) NextMachine(from string, outcome string, score int, unlocked []string) string {
	key := p.FindMachine(from).Key
	for _, l := range p.Links {
		if !l.AutoAdvance || l.Source != key || !engine.Opens(&l, personas.Outcome(outcome), score) {
			continue
		}
		target := p.FindMachine(l.Target)
		if slices.Contains(unlocked, target.ID) || slices.Contains(unlocked, target.Key) {
			return target.ID
		}
	}
	return ""
}

func (p *Persona) unlockWords(m *Machine) string {
	var hints []string
	reward := false
	for _, l := range p.Links {
		if l.Target == m.Key {
			hints = append(hints, p.linkWords(l))
			reward = reward || !followsLoss(&l)
		}
	}
	switch {
	case len(hints) == 0:
		return ""
	case !reward:
		return "comes next when you " + strings.Join(hints, ", or ")
	}
	return "opens when you " + strings.Join(hints, ", or ")
}

func followsLoss(l *personas.Link) bool {
	if l.Condition == personas.IfOutcome {
		return EndingOf(string(l.Outcome)).Kind == playwords.Lost
	}
	return l.Condition == personas.IfScoreLTE
}

func (p *Persona) linkWords(l personas.Link) string {
	source := p.FindMachine(l.Source).Title
	switch l.Condition {
	case personas.IfOutcome:
		return EndingOf(string(l.Outcome)).When + " " + source
	case personas.IfScoreGTE:
		return fmt.Sprintf("end %s with a score of %d or more", source, l.Score)
	case personas.IfScoreLTE:
		return fmt.Sprintf("end %s with a score of %d or less", source, l.Score)
	}
	return "end " + source
}
