// Package playtest tests personas: scripted play-throughs with the expected result of each message,
// a runner that plays them against a service, the coverage they reach, mutations of a persona that
// they would not notice, and random players that show how a persona usually ends. It builds on the
// engine, so its counts match those of the server. It never opens a file or a connection and never
// reads a clock; callers pass in the input.
package playtest

import "regexp"

// File is a play file (docs/play-file.md): a persona and the play-throughs that
// rehearse it, with every variant written out.
type File struct {
	// Name is the name of the file in reports.
	Name string
	// Persona is the path of the persona file, relative to the play file.
	Persona string
	Plays   []Play
}

// Play is one play-through: one player from the first message to the last.
type Play struct {
	Name    string // "" if it is the only one in the file
	Variant string // the name of its row in the table of variants, "" without one
	Path    string // in the play file
	Player  Player
	Steps   []Step
}

// writtenSteps returns the steps that are in the play file.
func (p *Play) writtenSteps() []Step {
	if len(p.Steps) > 0 && p.Steps[0].Opening {
		return p.Steps[1:]
	}
	return p.Steps
}

// Title names the play for people: "the thief, variant rude".
func (p *Play) Title() string {
	switch {
	case p.Variant == "":
		return p.Name
	case p.Name == "":
		return "variant " + p.Variant
	}
	return p.Name + ", variant " + p.Variant
}

// Player is the player.
type Player struct {
	Name   string
	Gender string // one of wire.Genders
}

// Step is one thing that the player does: say something, or start a machine.
type Step struct {
	Path    string
	Opening bool   // it starts the machine of the play-through, and is not in the file
	Start   bool   // the step starts a machine
	Machine string // its key, "" is the primary one
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

// None is the word in a play file for a missing decision, outcome, or count of redirects, for which
// the service returns null.
const None = "none"

// Expectation is one thing that a reply should have.
type Expectation struct {
	Member string
	// Path is the place of the value: in the step, or in the table of variants if the whole value
	// comes from there.
	Path string
	// Variable is the key, for ExpectVariable.
	Variable string
	// Want is the value as text: of a number its digits, of a flag true or false.
	Want    string
	List    []string // for ExpectUnlocked, machine keys
	pattern *regexp.Regexp
}
