package conversation

import (
	"slices"
	"strings"
	"sync"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/tui/terminal"
)

// FoundEndings contains the endings of a persona that a player has reached.
type FoundEndings struct {
	// Keys has a key for each ending, for example "gate/ACCEPT/The bribe". A key consists of a
	// machine key, an outcome and an optional name.
	Keys []string
	// All is the number of possible endings, or 0 if unknown.
	All int
}

// EndingMemory stores the found endings by persona id. Methods are safe for concurrent use.
type EndingMemory interface {
	// RecallEndings returns the stored endings. A failed read returns the zero value.
	RecallEndings(persona string) FoundEndings
	// KeepEndings adds endings to the stored ones.
	KeepEndings(persona string, endings FoundEndings) error
}

// NewEndingMemory returns an EndingMemory without permanent storage.
func NewEndingMemory() EndingMemory { return &briefEndings{stored: map[string]FoundEndings{}} }

type briefEndings struct {
	mu     sync.Mutex
	stored map[string]FoundEndings
}

func (b *briefEndings) RecallEndings(persona string) FoundEndings {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stored[persona]
}

func (b *briefEndings) KeepEndings(persona string, endings FoundEndings) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stored[persona] = b.stored[persona].WithEndings(endings)
	return nil
}

// WithEndings returns the union of f and other, with the count other.All.
func (f FoundEndings) WithEndings(other FoundEndings) FoundEndings {
	keys := slices.Clone(f.Keys)
	for _, key := range other.Keys {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return FoundEndings{Keys: keys, All: other.All}
}

// Words returns a short text such as "2 of 4 endings", or "" without endings.
func (f FoundEndings) Words() string {
	if len(f.Keys) == 0 || f.All == 1 {
		return ""
	}
	return playwords.Found(len(f.Keys), f.All)
}

// FoundWords returns the number of found endings, for example "2 of 4 endings".
func (user *UserSession) FoundWords() string { return user.countFound(nil).Words() }

func endingKey(machine, outcome, name string) string {
	return machine + "/" + engine.Ending{Outcome: personas.Outcome(outcome), Name: name}.String()
}

// CollectEnding adds the ending of a session to user.Found. The result describes the found and
// missing endings. The caller must store user.Found.
func (user *UserSession) CollectEnding(session *Session) string {
	standing := session.Standing
	if EndingOf(standing.Outcome).Kind == "" {
		return ""
	}
	before, key := len(user.countFound(nil).Keys), endingKey(session.Machine.Key, standing.Outcome, standing.Ending)
	user.Found = user.countFound([]string{key})
	text := playwords.FoundNow(len(user.Found.Keys), user.Found.All, len(user.Found.Keys) > before)
	switch {
	case text == "":
		return ""
	case !slices.Contains(user.Found.Keys, key): // unknown name
		text = playwords.FoundSoFar(user.FoundWords())
	}
	return strings.TrimSpace(text + " " + user.leftWords(session.Machine))
}

func (user *UserSession) leftWords(machine *Machine) string {
	var win, lose, elsewhere int
	for _, key := range user.Persona.possibleEndings() {
		part, rest, _ := strings.Cut(key, "/")
		outcome, _, _ := strings.Cut(rest, "/")
		switch {
		case slices.Contains(user.Found.Keys, key):
		case part != machine.Key:
			elsewhere++
		case EndingOf(outcome).Kind == playwords.Won:
			win++
		default:
			lose++
		}
	}
	return playwords.StillToFind(win, lose, elsewhere)
}

func (user *UserSession) countFound(more []string) FoundEndings {
	endings := user.Found.WithEndings(FoundEndings{Keys: more})
	endings.Keys = slices.DeleteFunc(endings.Keys, func(key string) bool {
		return !user.Persona.hasEnding(key)
	})
	possible := user.Persona.possibleEndings()
	if possible == nil {
		return endings
	}
	endings.All = len(possible)
	for _, key := range endings.Keys {
		if !slices.Contains(possible, key) {
			endings.All++
		}
	}
	return endings
}

// KeepEndings returns a function that stores the present value of user.Found.
func (r *Requester) KeepEndings(user *UserSession) func() error {
	persona, endings := user.Persona.ID, user.Found
	return func() error { return r.Endings.KeepEndings(persona, endings) }
}

// hasEnding reports whether the persona still has an ending. A key without a name is stale if all
// endings with the same outcome have names.
func (p *Persona) hasEnding(key string) bool {
	part, rest, _ := strings.Cut(key, "/")
	_, name, isNamed := strings.Cut(rest, "/")
	m := p.shownMachine(part)
	switch {
	case m == nil:
		return false
	case isNamed:
		return m.rules == nil || m.hasEndingName(name)
	}
	possible := p.possibleEndings()
	hasName := func(other string) bool { return strings.HasPrefix(other, key+"/") }
	return slices.Contains(possible, key) || !slices.ContainsFunc(possible, hasName)
}

func (m *Machine) hasEndingName(name string) bool {
	return slices.ContainsFunc(m.states, func(s State) bool { return s.ending == name }) ||
		slices.ContainsFunc(m.moves, func(t personas.Transition) bool { return terminal.Clean(t.EndingName) == name })
}

// maxSteps bounds the search for possible endings. The samples need a few hundred steps.
const maxSteps = 20_000

func (p *Persona) listEndings() []string {
	keys, steps := []string{}, maxSteps
	for i := range p.Machines {
		m := &p.Machines[i]
		if m.rules == nil {
			return nil
		}
		for _, e := range m.rules.FindEndings(&steps) {
			keys = append(keys, endingKey(m.Key, string(e.Outcome), terminal.Clean(e.Name)))
		}
	}
	return keys
}
