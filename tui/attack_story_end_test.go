package tui

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/program"
)

// waitAtEnding lets so many seconds go by.
func (d *driver) waitAtEnding(seconds int, tick pauseTickMsg) *driver {
	for range seconds {
		d.send(tick)
		d.settle()
	}
	return d
}

// atTheCellarsEnd is a chat whose ending goes on to the tower by itself.
func atTheCellarsEnd(t *testing.T) *driver {
	return playing(t).say("pass", "pass").press("enter").settle().say("pass")
}

// Whatever the player does at an ending stays there: keys, the wheel, a paste, help, a list. Only
// Enter goes on at once.
func TestWhoDoesAnythingAtAnEndingStays(t *testing.T) {
	key := func(name string) func(*driver) { return func(d *driver) { d.press(name) } }
	for name, act := range map[string]func(*driver){
		"Esc": key("esc"), "an arrow": key("down"), "a command": key("/sta"), "reading back": key("pgup"), "help": key("f1"), "the parts": key("f4"), "a word": key("x"),
		"the wheel": func(d *driver) { d.send(program.WheelTurnedMsg{Lines: -3, Press: tea.KeyMsg{Type: tea.KeyUp}}) },
		"a paste":   func(d *driver) { d.send(program.PastedMsg{Text: "pasted"}) },
		"the mouse": func(d *driver) { d.send(tea.MouseMsg{Button: tea.MouseButtonWheelUp, Action: tea.MouseActionPress}) },
	} {
		d := atTheCellarsEnd(t).showing("On to The tower in 18 s: Enter goes now, Esc stays")
		act(d)
		tick := pauseTickMsg{d.chat().Session.ID, "m-tower"}
		if d.settle().waitAtEnding(61, tick); d.chat().Session.Machine.Key != "cellar" {
			t.Errorf("%s: the chat has moved on:\n%s", name, d.screen())
		}
	}
	atTheCellarsEnd(t).press("enter").settle().shows("── The tower ──")
}

// Who was writing or reads back when the ending came, and who wants nothing that moves, is not
// moved on at all; a long last speech gets the time to read it.
func TestAnEndingWaitsForReaders(t *testing.T) {
	d := playing(t).say("pass", "pass").press("enter").settle().press("pass", "enter", "wait").settle()
	d.shows("kept for what comes next: wait", "What now?")
	d = newDriver(t, func(o *Options) { asAlex(o); o.NoMotion = true }).settle().say("pass", "pass").press("enter").settle().say("pass")
	d.shows("What now?", "› 1 Go on to The tower")
	d = playing(t).say("pass", "pass").press("enter").settle().say("pass" + strings.Repeat(" word", 57))
	d.shows("On to The tower in 37 s")
}

// A number that is the beginning of something else chooses nothing, and leaves the cursor where it
// was.
func TestAMessageThatBeginsWithADigitChoosesNothing(t *testing.T) {
	d := playing(t).say("reject").press("2 gold", "enter").settle()
	d.shows("this part is over: press 1 to 2, or write a command", "› 1 Play The gate again")
	d.hides("Whom do you want to talk to?")
	d = playing(t).say("reject").press("2").showing("› 2 Talk to somebody else").settle()
	d.shows("Whom do you want to talk to?")
	d = playing(t).say("reject").press("2", "enter").settle()
	d.shows("Whom do you want to talk to?")
}

// The list says of a story that is over how it ended, and not that it goes on.
func TestTheListSaysHowAStoryEnded(t *testing.T) {
	d := playing(t).say("reject").press("2").settle()
	d.shows("ended: You were sent away · 1 of 7 endings")
	d.hides("goes on")
	d.press("enter").settle().press("1").settle().press("f3").settle() // It is played again.
	d.shows("goes on · 1 of 7 endings")
	// A part has ended and another one is open: the story goes on.
	d = playing(t).say("pass", "pass").press("3").settle()
	d.shows("goes on · 1 of 7 endings")
	d = wonStory(t).press("3").settle()
	d.shows("ended: You made it")
	if saved, _ := d.notes.Recall("mira"); saved.Outcome != "ACCEPT" {
		t.Errorf("kept %+v", saved)
	}
	d.press("enter").settle().shows("That was the last part. What now?")
}

// wonStory is a chat in which all parts were won.
func wonStory(t *testing.T) *driver {
	return playing(t).say("pass", "pass").press("enter").settle().say("pass").press("enter").settle().say("pass")
}

// The last ending says once that the story is over, and offers all of it again.
func TestAnEndingSaysThatTheStoryIsOver(t *testing.T) {
	d := wonStory(t)
	d.shows("That was the last part. What now?", "A new ending: 3 of 7 found.", "Begin the whole story again")
	if n := strings.Count(d.screen(), "last part"); n != 1 {
		t.Errorf("said %d times:\n%s", n, d.screen())
	}
	d.press("2").showing("› 2 Begin the whole story again").settle().shows("Halt, Alex!")
	// Parts that stay closed are another story's.
	playing(t).say("reject").shows("The story ends here this time. What now?")
	d = playing(t).say("pass", "pass")
	d.shows(" What now? ")
	d.hides("last part", "story ends")
	// One part is all there is.
	d = newDriver(t, asAlex)
	d.service.Persona.Machines, d.service.Persona.Links = d.service.Persona.Machines[:1], nil
	d.settle().say("pass", "pass").shows("That was the whole story. What now?")
	d.hides("Begin the whole story")
}

// What is not known of the other parts is not said.
func TestAnUnknownStoryIsNotOver(t *testing.T) {
	d := playing(t)
	d.chat().Machines = nil
	d.press("reject", "enter")
	d.stepUntil("You were sent away")
	d.hides("story ends", "last part")
	if c := d.chat(); c.IsStoryOver() || c.EndWords() != "" {
		t.Error("nobody has said how the parts stand")
	}
	if words := (&conversation.SavedSession{}).TagWords(); words != "goes on" {
		t.Errorf("%q", words)
	}
}

// A player of somebody else's persona sees no criteria and forces no move with one key or one
// line: the director stands behind the author's view, and is there at once for an own persona.
func TestDirectionsStandBehindTheAuthorsView(t *testing.T) {
	directed := func(own bool) *driver {
		return newDriver(t, func(o *Options) { asAlex(o); o.Directed, o.Author = true, own }).settle()
	}
	d := directed(false).press("f5").settle()
	d.hides("Director:", "[[1]]", "pass to In the yard")
	d.shows("directing shows what the persona's author keeps to herself: F2 opens")
	d.press("/direct 1 open", "enter").settle().shows("directing shows what")
	d.press("ctrl+u", "/direct ").hides("pass to In the yard")
	if got := len(d.service.Messages["m-gate"]); got != 1 {
		t.Errorf("%d messages: a move was forced", got)
	}
	d.press("ctrl+u", "f2").settle().press("esc", "f5").settle().shows("Director: what your words do", "[[1]]")
	directed(true).press("f5").settle().shows("Director: what your words do")
}

// Lists stand on the one where the player is.
func TestListsStandWhereThePlayerIs(t *testing.T) {
	d := newDriver(t, asAlex)
	slices.Reverse(d.service.Items)
	d.settle().press("f3").settle().shows("› Mira", "  Oskar")
	d = playing(t).say("pass", "pass").press("enter").settle()
	d.press("f4").settle().shows("› The cellar")
}
