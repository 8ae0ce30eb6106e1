package conversation

import (
	"slices"
	"strings"
	"sync"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
)

// FoundEndings are the endings of a persona that a player has reached, over all sessions
// on this machine.
type FoundEndings struct {
	// Keys are a part's key and an outcome of the interface: "gate/ACCEPT".
	Keys []string
	// All is how many endings there are, 0 where the service does not show it.
	All int
}

// EndingMemory keeps the endings that a player has found with each persona, by its id. It is safe
// for concurrent use.
type EndingMemory interface {
	// RecallEndings returns the known endings, or none if the memory cannot be read.
	RecallEndings(persona string) FoundEndings
	// KeepEndings adds endings to those that are known.
	KeepEndings(persona string, found FoundEndings) error
}

// NewEndingMemory is a memory that lasts as long as the chat.
func NewEndingMemory() EndingMemory { return &briefEndings{known: map[string]FoundEndings{}} }

type briefEndings struct {
	mu    sync.Mutex
	known map[string]FoundEndings
}

func (b *briefEndings) RecallEndings(persona string) FoundEndings {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known[persona]
}

func (b *briefEndings) KeepEndings(persona string, found FoundEndings) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[persona] = b.known[persona].WithEndings(found)
	return nil
}

// WithEndings are the endings of both, and the newer count of all.
func (f FoundEndings) WithEndings(more FoundEndings) FoundEndings {
	keys := slices.Clone(f.Keys)
	for _, key := range more.Keys {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return FoundEndings{Keys: keys, All: more.All}
}

// Words returns the endings for a list: "2 of 4 endings", or "" for none.
func (f FoundEndings) Words() string {
	if len(f.Keys) == 0 || f.All == 1 {
		return ""
	}
	return playwords.Found(len(f.Keys), f.All)
}

// FoundWords returns how many of a persona's endings the player has reached, or "" for none.
func (u *UserSession) FoundWords() string { return u.countFound(nil).Words() }

// CollectEnding adds the present ending of a session to u.Found, and returns the sentence about it.
// The caller saves u.Found.
func (u *UserSession) CollectEnding(sc *Session) string {
	if EndingOf(sc.Standing.Outcome).Kind == "" {
		return ""
	}
	key := sc.Machine.Key + "/" + sc.Standing.Outcome
	first := !slices.Contains(u.Found.Keys, key)
	u.Found = u.countFound([]string{key})
	return playwords.FoundNow(len(u.Found.Keys), u.Found.All, first)
}

// CollectCompleted notes the endings that the service tells of, and reports whether there is a
// new one among them.
func (u *UserSession) CollectCompleted(done []wire.CompletedMachine) bool {
	var keys []string
	for _, c := range done {
		if m := u.Persona.shownMachine(c.MachineID); m != nil && EndingOf(c.Outcome).Kind != "" {
			keys = append(keys, m.Key+"/"+c.Outcome)
		}
	}
	before := len(u.Found.Keys)
	if len(keys) > 0 {
		u.Found = u.countFound(keys)
	}
	return len(u.Found.Keys) > before
}

// countFound returns the found endings and some more, without those of parts that the persona no
// longer has.
func (u *UserSession) countFound(more []string) FoundEndings {
	found := u.Found.WithEndings(FoundEndings{Keys: more})
	found.Keys = slices.DeleteFunc(found.Keys, func(key string) bool {
		part, _, _ := strings.Cut(key, "/")
		return u.Persona.shownMachine(part) == nil
	})
	found.All = u.Persona.countEndings(found.Keys)
	return found
}

// KeepEndings returns a function that stores the endings that the player has found so far.
func (r *Requester) KeepEndings(u *UserSession) func() error {
	persona, found := u.Persona.ID, u.Found
	return func() error { return r.Endings.KeepEndings(persona, found) }
}

// countEndings returns the number of endings: the possible ones, and those that were found; 0 if
// the service does not show all of the persona.
func (p *Persona) countEndings(found []string) int {
	possible := p.possibleEndings()
	if possible == nil {
		return 0
	}
	all := len(possible)
	for _, key := range found {
		if !slices.Contains(possible, key) {
			all++
		}
	}
	return all
}

// maxSteps bounds the search for what can happen in a part: the samples need a few hundred.
const maxSteps = 20_000

// listEndings returns the possible endings of all parts, or nil if a part's rules are hidden.
func (p *Persona) listEndings() []string {
	keys, steps := []string{}, maxSteps
	for i := range p.Machines {
		m := &p.Machines[i]
		if m.rules == nil {
			return nil
		}
		for _, outcome := range m.rules.FindOutcomes(m.rules.Start(), &steps) {
			keys = append(keys, m.Key+"/"+string(outcome))
		}
	}
	return keys
}
