// Package diff compares two personas by their meaning and not by their notation: renamed states,
// machines and variables, changed values of members, and the consequences for players, by the proof
// of both (personas/prove). The order of members never counts, the order of items counts only where
// it matters to the engine, and an explicit default equals an omitted one. The package never reads
// a file, never looks at layout or comments, and never decides which of two versions is the better
// one.
//
// # Identity
//
// A machine, a state or a variable is the same thing in both versions if its key is the same, as
// for machine ids and sessions. The exception is a key that is now used for something dissimilar
// while its old content is found under another key, as when two states swap their keys. The rest of
// both sides is matched by similarity (see alike) as the same thing under a new key: its renaming
// is then one change, even though the key occurs in several places. Transitions and links are
// paired by their ends, their decision and their condition, because they lack keys.
package diff

import (
	"encoding/json"

	"github.com/parley-npc/parley/personas"
)

// Kind is the kind of a change.
type Kind string

// The kinds of changes.
const (
	Added     Kind = "added"
	Removed   Kind = "removed"
	Renamed   Kind = "renamed"   // it has another key; Before and After are the keys
	Changed   Kind = "changed"   // Member has another value
	Reordered Kind = "reordered" // its items are tried in another order
)

// Thing is the subject of a change.
type Thing string

// The things of a persona. Output variables and input variables of machines count as variables if
// their key differs.
const (
	ThePersona     Thing = "persona"
	Variable       Thing = "variable"
	Machine        Thing = "machine"
	State          Thing = "state"
	Transition     Thing = "transition"
	OutputVariable Thing = "output_variable"
	InputVariable  Thing = "input_variable"
	Link           Thing = "link"
)

// Change is one difference. Machine is the key of the machine that contains the thing or is the
// thing; Name is the thing's key or, for things without a key, its ends. Both are from the later
// version, except for a removed thing, and so is Path. Before and After are nil if the value does
// not exist. Words is the change of a text, word by word; Items are the texts added to and removed
// from a list without a significant order.
type Change struct {
	Kind    Kind            `json:"kind"`
	Thing   Thing           `json:"thing"`
	Machine string          `json:"machine_key,omitempty"`
	Name    string          `json:"name,omitempty"`
	Member  string          `json:"member,omitempty"`
	Path    string          `json:"path"`
	Before  json.RawMessage `json:"before,omitempty"`
	After   json.RawMessage `json:"after,omitempty"`
	Words   []Piece         `json:"words,omitempty"`
	Items   []Piece         `json:"items,omitempty"`
}

// Report is the difference of two personas. Effects are the consequences for players; Unproved is
// the reason if they are unknown. Identical means that both have the same notation, except for the
// order of members.
type Report struct {
	Same      bool     `json:"same"`
	Identical bool     `json:"identical"`
	Changes   []Change `json:"changes"`
	Effects   []Effect `json:"effects"`
	Unproved  string   `json:"unproved,omitempty"`
}

// Compare returns the changes from one persona to another. It is deterministic, and empty for equal
// personas.
func Compare(before, after *personas.Persona) *Report {
	c := &comparison{before: before, after: after, names: findNames(before, after)}
	c.compareAll()
	r := &Report{Same: len(c.changes) == 0, Changes: c.changes, Effects: []Effect{}}
	r.Identical = r.Same && areIdentical(before, after)
	if r.Same {
		r.Changes = []Change{}
		return r
	}
	r.addEffects(c)
	return r
}

func areIdentical(before, after *personas.Persona) bool {
	x, errX := json.Marshal(before)
	y, errY := json.Marshal(after)
	return errX == nil && errY == nil && string(x) == string(y)
}
