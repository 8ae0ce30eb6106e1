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

// Persona contains the parts of a persona that the chat uses. All texts are clean. Keys and ids are
// kept exactly, because calls of the service need them.
type Persona struct {
	ID        string
	name      string
	About     string
	Hue       int    // the character's colour in degrees (hue in the persona file)
	Portrait  string // the character's picture as a data URI, unchanged, or ""
	Machines  []Machine
	Links     []personas.Link
	variables map[string]personas.Variable
	// The first call of possibleEndings or usesGender is slow. Later calls return a cached result.
	possibleEndings func() []string
	usesGender      func() bool
}

// Machine is a machine of the persona, as far as the service reveals it.
type Machine struct {
	ID, Key   string
	Title     string
	about     string
	Goal      string // the player's aim, one clean line, or ""
	isEntry   bool
	Scoring   bool
	Threshold int
	inputs    []string // keys of the variables that the machine takes over from other machines
	failBound int      // a score at or below failBound ends the machine
	states    []State
	// moves contains the transitions in the order of the persona document. rules can play the
	// machine. If the service hides parts of the machine, rules is nil.
	moves []personas.Transition
	rules *engine.Machine
}

// State is a state of a machine.
type State struct {
	Key, Title   string
	ending       string // the name of the ending at this state, or ""
	initial      bool
	Terminal     bool
	MaxRedirects int // -1 means no limit
	// isPatient means that small talk never costs a try in this state (docs/persona-file.md,
	// "patience").
	isPatient bool
	// losesByNo reports whether the built-in judge may answer a plain "no" with a decision that
	// loses. Its first call is slow. It is nil if the service hides the rules.
	losesByNo func() bool
}

// NewPersona returns the Persona for a document of the service. id is used if the document lacks an
// id.
func NewPersona(id string, full wire.FullPersona) *Persona {
	c := &Persona{ID: id, name: terminal.Clean(full.Persona.Name), About: terminal.Clean(full.Persona.Description), Links: full.Links}
	if full.Persona.ID != "" {
		c.ID = full.Persona.ID
	}
	c.Hue, c.Portrait = personas.HueOf(full.Hue, c.ID), full.Portrait
	doc := &personas.Persona{Language: full.Language, Offline: full.Offline}
	for i := range full.Machines {
		c.Machines = append(c.Machines, newMachine(doc, &full.Machines[i]))
	}
	c.variables = make(map[string]personas.Variable, len(full.Variables))
	for _, v := range full.Variables {
		c.variables[v.Key] = v
	}
	c.possibleEndings = sync.OnceValue(c.listEndings)
	c.usesGender = sync.OnceValue(func() bool { return personas.UsesPlayerGender(full) })
	return c
}

func newMachine(doc *personas.Persona, m *wire.Machine) Machine {
	view := Machine{
		ID:        cmp.Or(m.ID, m.Key),
		Key:       m.Key,
		Title:     terminal.Clean(m.Title()),
		about:     terminal.Clean(m.Description),
		isEntry:   m.IsEntry,
		Scoring:   m.Mode() == personas.Scoring,
		Threshold: m.Threshold(),
		failBound: m.FailBound(),
	}
	if goal := m.Goal(); !strings.Contains(goal, "{{") { // The chat does not know the values of placeholders.
		view.Goal = terminal.Clean(terminal.FirstLine(strings.TrimSpace(goal)))
	}
	for _, i := range shownOrder(m.States) {
		s := &m.States[i]
		state := State{
			Key: s.Key, Title: terminal.Clean(s.Title()), ending: terminal.Clean(s.EndingName), initial: s.IsInitial,
			Terminal: s.IsTerminal, MaxRedirects: -1, isPatient: s.Offline == nil || s.Offline.Patience == nil,
		}
		if s.MaxRedirects != nil {
			state.MaxRedirects = *s.MaxRedirects
		}
		view.states = append(view.states, state)
	}
	for _, v := range m.InputVariables {
		view.inputs = append(view.inputs, v.Key)
	}
	view.moves = m.Transitions
	if rules, err := engine.Compile(&m.Machine); err == nil {
		view.rules = rules
		view.noteRefusals(doc, &m.Machine)
	}
	return view
}

var builtInJudge = sync.OnceValue(intent.NewReader)

func (m *Machine) noteRefusals(doc *personas.Persona, machine *personas.Machine) {
	rules := m.rules
	for i := range m.states {
		key := m.states[i].Key
		m.states[i].losesByNo = sync.OnceValue(func() bool {
			at := intent.Place{Persona: doc, Machine: machine, Outgoing: rules.Outgoing(key)}
			at.State = &machine.States[slices.IndexFunc(machine.States, func(s personas.State) bool { return s.Key == key })]
			return builtInJudge().MayLoseByNo(at)
		})
	}
}

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

// FindMachine returns the machine with an id or key. If the service hides that machine, the result
// is a machine with the id or key as title.
func (p *Persona) FindMachine(idOrKey string) *Machine {
	if m := p.shownMachine(idOrKey); m != nil {
		return m
	}
	return &Machine{ID: idOrKey, Key: idOrKey, Title: terminal.Clean(idOrKey), Scoring: true, Threshold: personas.DefaultPassThreshold, failBound: personas.DefaultEarlyFailBound}
}

func (p *Persona) shownMachine(idOrKey string) *Machine {
	for i := range p.Machines {
		if m := &p.Machines[i]; idOrKey != "" && (m.ID == idOrKey || m.Key == idOrKey) {
			return m
		}
	}
	return nil
}

// MachineToEnter returns the machine that EnterMachine will open. asked is the id or key of a
// machine, or "". If the persona document does not show that machine, MachineToEnter returns nil.
func (user *UserSession) MachineToEnter(asked string) *Machine {
	if user.used {
		asked = cmp.Or(asked, user.Saved.Machine)
	}
	if asked == "" {
		return user.Persona.entryMachine()
	}
	return user.Persona.shownMachine(asked)
}

// entryMachine returns the machine with which a service begins by default. This is the first entry
// machine, else the first machine to which no link leads, else the first machine.
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

// FindState returns the state with a key. For an unknown key it returns a state with the key as
// title.
func (m *Machine) FindState(key string) *State {
	for i := range m.states {
		if m.states[i].Key == key {
			return &m.states[i]
		}
	}
	return &State{Key: key, Title: terminal.Clean(key), MaxRedirects: -1}
}

// InitialState returns the key of the machine's initial state.
func (m *Machine) InitialState() string {
	for _, s := range m.states {
		if s.initial {
			return s.Key
		}
	}
	return ""
}

// NextMachine returns the id of the machine that begins automatically after an ending, or "". It
// takes the first link that starts at the ended machine and has is_auto_advance. The ending must
// satisfy the condition of the link, and the target must be unlocked.
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

// unlockWords returns how a locked machine opens: "opens when you make it in The gate, or end The
// well with a score of 2 or more". If only losses open the machine, the text begins with "comes
// next when".
func (p *Persona) unlockWords(m *Machine) string {
	var ways []string
	reward := false
	for _, l := range p.Links {
		if l.Target == m.Key {
			ways, reward = append(ways, p.linkWords(l)), reward || !followsLoss(&l)
		}
	}
	switch {
	case len(ways) == 0:
		return ""
	case !reward:
		return "comes next when you " + strings.Join(ways, ", or ")
	}
	return "opens when you " + strings.Join(ways, ", or ")
}

func followsLoss(l *personas.Link) bool {
	return l.Condition == personas.IfScoreLTE || l.Condition == personas.IfOutcome && EndingOf(string(l.Outcome)).Kind == playwords.Lost
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
