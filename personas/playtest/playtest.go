// Package playtest tests personas. It runs scripted play-throughs, which contain the expected
// result of each message, and measures their coverage. It creates mutants of a persona, and good
// play-throughs fail for a mutant. It simulates random players to show how often a persona has each
// ending. It also plays stored conversations again with another version of their persona (Replay).
// The package uses package engine, so that its results match those of the server. It does not open
// files or connections and does not read a clock.
package playtest

import "regexp"

// File is a parsed play file (docs/play-file.md). It contains the path of a persona and the
// play-throughs that test it, with one Play for every variant.
type File struct {
	// Name is the name of the file in reports.
	Name string
	// Persona is the path of the persona file, relative to the play file.
	Persona string
	Plays   []Play
}

// Play is one play-through of one player.
type Play struct {
	Name    string // "" if it is the only one in the file
	Variant string // name of its row in the table of variants, or "" without one
	Path    string // path in the play file
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

// Player describes the player.
type Player struct {
	Name   string
	Gender string // one of wire.Genders
}

// Step is an action of the player: sending a message or starting a machine.
type Step struct {
	Path    string
	Opening bool   // the step starts the machine of the play-through and is not in the file
	Start   bool   // the step starts a machine and sends no message
	Machine string // key of the machine; "" means the primary one
	Say     string
	Expect  []Expectation
}

// The members of an expectation.
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

// None is the value in a play file for a missing decision, outcome or count of redirects, for which
// the service returns null.
const None = "none"

// Expectation is one property that a reply should have.
type Expectation struct {
	Member string
	// Path is the path of the value in the step. If the whole value comes from the table of
	// variants, Path is its path in the table.
	Path string
	// Variable is the key of the variable for ExpectVariable.
	Variable string
	// Want is the value as text: the digits of a number, or true or false.
	Want    string
	List    []string // machine keys for ExpectUnlocked
	pattern *regexp.Regexp
}
