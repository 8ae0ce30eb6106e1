// Package diff compares the meaning of two personas, not their notation. It reports renamed states,
// machines and variables, changed values of members, and the consequences for players, from the
// proofs of both versions (personas/prove). The order of members is ignored, the order of items is
// compared only where it matters to the engine, and an explicit default equals an omitted one. The
// package does not read files, ignores layout and comments, and does not judge which version is
// better.
//
// # Identity
//
// A machine, a state or a variable is the same thing in both versions if its key is the same, as
// for machine ids and sessions. All others are matched by similarity (see alike): a match is
// reported as one renaming, even if the key occurs in several places. Transitions and links do not
// have keys. They are paired by their ends, their decision and their condition.
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
	Renamed   Kind = "renamed"   // the key changed; Before and After are the keys
	Changed   Kind = "changed"   // the value of Member changed
	Reordered Kind = "reordered" // the items are tried in another order
)

// Thing is the kind of the subject of a change.
type Thing string

// The things of a persona. Output and input variables of machines are reported as variables if
// their keys differ.
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

// Change is one difference. Machine is the key of the changed machine, or of the machine with the
// changed state or transition. Name is the key of the changed machine, state or variable. For a
// transition or a link it is the keys of both ends. Machine, Name and Path are those in the later
// version, except for what was removed. Before and
// After are nil if the value does not exist. Words is the word-by-word change of a text. Items are
// the texts that were added to or removed from an unordered list.
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

// Report is the difference between two personas. Effects are the consequences for players. If they
// are unknown, Unproved is the reason. Identical means that the notation is also the same, except
// for the order of members.
type Report struct {
	Same      bool     `json:"same"`
	Identical bool     `json:"identical"`
	Changes   []Change `json:"changes"`
	Effects   []Effect `json:"effects"`
	Unproved  string   `json:"unproved,omitempty"`
}

// Compare returns the changes from one persona to another. It is deterministic. The result is empty
// for equal personas.
func Compare(before, after *personas.Persona) *Report {
	c := &comparison{before: before, after: after, names: findNames(before, after)}
	c.compareAll()
	r := &Report{Same: len(c.changes) == 0, Changes: c.changes, Effects: []Effect{}}
	isSame, err := before.IsSame(after)
	r.Identical = r.Same && isSame && err == nil
	if r.Same {
		r.Changes = []Change{}
		return r
	}
	r.addEffects(c)
	return r
}
