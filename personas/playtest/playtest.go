// Package playtest runs scripted play-throughs of personas and measures their coverage. It also
// creates mutants, simulates random players, and replays stored conversations with another version
// of a persona. Package engine makes the results match those of the server. The package opens no
// files or connections and reads no clock.
package playtest

import "regexp"

// File is a parsed play file (docs/play-file.md), with one Play for every variant.
type File struct {
	Name string
	// Persona is a path relative to the play file.
	Persona string
	Plays   []Play
}

// Play is one play-through of one player.
type Play struct {
	Name    string // "" for the only play of a file
	Variant string // row in the table of variants, or ""
	Path    string // in the play file
	Player  Player
	Steps   []Step
}

// Title returns the name of the play for display, such as "the thief, variant rude".
func (p *Play) Title() string {
	switch {
	case p.Variant == "":
		return p.Name
	case p.Name == "":
		return "variant " + p.Variant
	}
	return p.Name + ", variant " + p.Variant
}

// Player is the player of a play-through.
type Player struct {
	Name   string
	Gender string // one of wire.Genders
}

// Step sends a message or starts a machine.
type Step struct {
	Path    string
	Opening bool   // starts the first machine and is not in the file
	Start   bool   // starts a machine and sends no message
	Machine string // key, or "" for the primary machine
	Say     string
	Expect  []Expectation
}

const (
	ExpectDecision  = "decision"
	ExpectState     = "state"
	ExpectScore     = "score"
	ExpectRedirects = "redirects"
	ExpectFollowUp  = "follow_up"
	ExpectAside     = "aside"
	ExpectOutcome   = "outcome"
	ExpectUnlocked  = "unlocked"
	ExpectVariable  = "variables"
	ExpectContains  = "reply.contains"
	ExpectLacks     = "reply.lacks"
	ExpectMatches   = "reply.matches"
	ExpectLocked    = "locked"
)

// None stands for a decision, outcome or count of redirects that the service returns as null.
const None = "none"

// Expectation is an expected property of a reply.
type Expectation struct {
	Member string
	// Path is the path of the value in the step, or in the table of variants.
	Path     string
	Variable string // only for ExpectVariable
	// Want is the value as text, for example "12" or "true".
	Want    string
	List    []string // machine keys for ExpectUnlocked
	pattern *regexp.Regexp
}
