// Package diff compares two personas by what they say and not by how they are
// written: which states, machines and variables have another name, which
// members have another value, and what that changes for players, by the proof
// of both (personas/prove). The order of members never counts, the order of
// items only where the engine goes by it, and a default that is written out is
// the same as one that is not. It never reads a file, never looks at layout or
// comments, and never decides which of two versions is the better one.
//
// # What is the same thing
//
// A machine, a state or a variable is the same thing in both versions when its
// key is, as it is for machine ids and sessions; unless the key now is at
// something unlike, and what it was at is found under another key, as when two
// states swap theirs. What is left over on both sides is the same thing under a
// new key when it is alike enough (see alike): its renaming is then one change,
// wherever the key stands. Transitions and links have no keys; they are paired
// by their ends, their decision and their condition.
package diff

import (
	"encoding/json"

	"github.com/parley-npc/parley/personas"
)

// Kind describes what has happened to a thing.
type Kind string

// The kinds of changes.
const (
	Added     Kind = "added"
	Removed   Kind = "removed"
	Renamed   Kind = "renamed"   // it has another key; Before and After are the keys
	Changed   Kind = "changed"   // Member has another value
	Reordered Kind = "reordered" // its items are tried in another order
)

// Thing is what a change is about.
type Thing string

// The things of a persona. Output variables and input variables of machines
// count as variables where they have another key.
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

// Change is one difference. Machine is the key of the machine in which the thing
// stands, or of the thing itself; Name is the thing's key or, where it has none,
// its ends. Both are those of the later version, but of what was removed those of
// the earlier one, and so is Path. Before and After are nil where there is no
// value. Words is the change of a text, word by word; Items are the texts that
// came and went in a list whose order does not count.
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

// Report is the difference of two personas. Effects is what it changes for
// players; Unproved says why that is not known, if it is not. Identical tells
// that both are also written alike, except for the order of members.
type Report struct {
	Same      bool     `json:"same"`
	Identical bool     `json:"identical"`
	Changes   []Change `json:"changes"`
	Effects   []Effect `json:"effects"`
	Unproved  string   `json:"unproved,omitempty"`
}

// Compare returns what leads from one persona to another. It is deterministic, and
// empty for a persona and itself.
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
