package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/program"
)

// TestTwoNextPartsAreOffered: if two parts can come next, the player chooses, and nothing goes on automatically.
func TestTwoNextPartsAreOffered(t *testing.T) {
	d := newDriver(t, asAlex)
	d.service.Persona.Links = append(d.service.Persona.Links,
		personas.Link{Source: "cellar", Target: "attic", Condition: personas.IfOutcome, Outcome: personas.Accept})
	attic := d.service.Persona.Machines[2]
	attic.ID, attic.Key, attic.Name = "m-attic", "attic", "The attic"
	d.service.Persona.Machines = append(d.service.Persona.Machines, attic)
	d.settle().say("pass", "pass", "1").say("pass")
	d.shows("This opens The tower and The attic.", "1 Go on to The tower", "2 Go on to The attic", "What now?")
	d.runAsync(time.Hour).settle().hides("── The tower ──")
	d.press("2").settle().shows("── The attic ──")
}

// TestAnEndingChoosesByNumber: a number chooses a next step, and players read no terms of the interface.
func TestAnEndingChoosesByNumber(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		d := playing(t)
		d.Resize(size[0], size[1])
		d.say("pass", "reject")
		for _, once := range []string{"You did not make it", "“reject” missed", "1 of 7 found", "Play The gate again", "Take back"} {
			if n := strings.Count(d.screen(), once); n != 1 {
				t.Errorf("%v: %q is shown %d times:\n%s", size, once, n, d.screen())
			}
		}
		d.hides("REJECT", "rejected", "kick_out", "redirect", "is enough", "m-gate")
		d.press("3").settle().shows("Whom do you want to talk to?", "ended: You did not make it · 1 of 7 endings")
	}
}

// TestTextAtAnEndingIsKept: text written at an ending stays in the input of the next part, and chooses nothing.
func TestTextAtAnEndingIsKept(t *testing.T) {
	d := playing(t).press("reject", "enter", "wait, I").settle()
	d.shows("› wait, I", "1 Play The gate again")
	d.press(" want 2 go", "backspace", "backspace", "to go").shows("› wait, I want 2 to go",
		"this part is over: press 1 to 3, or write a command such as /help")
	d.press("enter").settle().shows("1 Play The gate again")
	d.runAsync(2*time.Second).press("1").settle().shows("At the gate", "› wait, I want 2 to go")
	d.hides("Play The gate again")
	// The text is still there after a visit to another persona.
	d = playing(t).press("reject", "enter", "wait, I").settle().runAsync(2*time.Second).press("down", "down", "enter").settle().press("enter").settle()
	d.shows("› wait, I", "1 Play The gate again")
	// A command works, and a long paste is refused.
	d = playing(t).say("reject").press("/name", "enter").settle().showing("You are Alex.")
	d.send(program.PastedMsg{Text: "three\nlines", Characters: 11})
	d.send(program.PastedMsg{Text: strings.Repeat("x", wire.MaxMessage), Characters: wire.MaxMessage})
	d.shows("left out", "three")
}

// TestGoingBackToWhereItTurned: the way back takes back the messages after the turning point.
func TestGoingBackToWhereItTurned(t *testing.T) {
	d := playing(t)
	d.Resize(100, 40)
	d.say("redi", "pass", "more", "reject").shows("2 Back to where it turned: In the yard")
	d.press("2").settle().shows("› more", "● In the yard", "Score 1 of 2", "2 tries left here")
	d.press("ctrl+u").say("pass").shows("You made it", "2 of 7 found")
	d.hides("Back to where it turned")
}

func TestEndingsThatCannotBeKept(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Endings = brokenEndings{} }).settle()
	d.say("reject").shows("your endings could not be saved: the disk is full", "1 Play The gate again", "A new ending: 1 of 7 found.")
}

type brokenEndings struct{}

func (brokenEndings) RecallEndings(string) conversation.FoundEndings {
	return conversation.FoundEndings{}
}

func (brokenEndings) KeepEndings(string, conversation.FoundEndings) error {
	return errors.New("the disk is full")
}

// Endings of earlier chats are a reason to play again, on the card and in the list.
func TestFoundEndingsAreShown(t *testing.T) {
	endings := conversation.NewEndingMemory()
	assert.NoError(t, endings.KeepEndings("mira", conversation.FoundEndings{Keys: []string{"gate/ACCEPT", "tower/REJECT"}, All: 7}))
	d := newDriver(t, func(o *Options) { asAlex(o); o.Endings = endings }).settle()
	d.shows("Found      2 of 7 endings so far.")
	d.press("f3").settle().shows("goes on · 2 of 7 endings")
	d = newDriver(t, asAlex).settle()
	d.hides("endings")
}

// TestEscGoesBackFromTheList: Esc ends the search, then returns to the persona; ? is F1 in the list.
func TestEscGoesBackFromTheList(t *testing.T) {
	d := playing(t)
	d.say("a first message").press("f3").settle().shows("Whom do you want to talk to?", "Esc goes back")
	d.press("?").settle().shows("Keys and commands")
	d.press("esc", "o", "?").settle().hides("Keys and commands")
	d.press("esc").settle().shows("Whom do you want to talk to?")
	d.press("esc").settle().shows("a first message", "Halt, Alex!")
	newDriver(t, nil).settle().hides("Esc goes back")
}

// TestTheNameIsKept: the name is stored for later chats, with a message, and /name changes it; a failure is shown.
func TestTheNameIsKept(t *testing.T) {
	var kept []string
	keep := func(o *Options) {
		o.Persona = "mira"
		o.KeepPlayer = func(name, gender string) error { kept = append(kept, name+"/"+gender); return nil }
	}
	d := newDriver(t, keep)
	d.settle().press("Kim").shows(conversation.KeptName)
	d.press("enter").settle().shows("Halt, Kim!")
	d.press("/name Robin", "enter").settle().shows("Characters call you Robin from the next conversation on.", "Your name is saved")
	d.press("/name", "enter").settle().shows("You are Robin. To change your name, write /name and another name.")
	head, _, _ := strings.Cut(d.screen(), "\n")
	assert.True(t, strings.HasSuffix(head, "Kim"), "the character knows Kim until this conversation ends: %s", head)
	assert.EqualSlices(t, kept, []string{"Kim/", "Robin/"})
	assert.Equal(t, d.notes["mira"].PlayerName, "Robin", "remembered %+v", d.notes["mira"])
	d = newDriver(t, func(o *Options) {
		o.Persona = "mira"
		o.KeepPlayer = func(string, string) error { return errors.New("the folder is read-only") }
	})
	d.settle().press("Kim", "enter").settle().shows("Halt, Kim!", "your name could not be saved: the folder is read-only")
	d.press("/name "+strings.Repeat("x", 81), "enter").settle().shows("a name can have at most 80 characters")
}

// TestOnlyTheGenderIsAsked: a known player is asked for the gender if it is needed, and Enter skips that.
func TestOnlyTheGenderIsAsked(t *testing.T) {
	d := newDriver(t, func(o *Options) { o.Persona, o.PlayerName = "mira", "Kim" })
	usesGender(d)
	d.settle().shows("› You are ○ female ○ male ● non-binary", "Enter selects non-binary")
	d.hides("Name")
	d.press("x", "enter").settle().shows("Halt, Kim!")
	assert.Equal(t, d.notes["mira"].PlayerGender, "non-binary", "remembered %+v", d.notes["mira"])
}

// The panel does not count 0 beside "You made it".
func TestPartsAreCountedAtOnce(t *testing.T) {
	d := playing(t)
	d.Resize(120, 40)
	d.say("pass").press("pass", "enter")
	d.stepUntil("You made it") // Before the parts are read again.
	d.shows("You made it", "1 of 3 ended")
}

// stepUntil runs commands one by one until the screen shows a text.
func (d *driver) stepUntil(text string) {
	d.t.Helper()
	for !strings.Contains(d.screen(), text) {
		if len(d.due) == 0 {
			d.t.Fatalf("%q never comes:\n%s", text, d.screen())
		}
		cmd := d.due[0]
		if d.due = d.due[1:]; cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			d.due = append(d.due, msg...)
		default:
			d.send(msg)
		}
	}
}
