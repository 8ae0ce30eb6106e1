package tui

import (
	"slices"
	"strings"
	"testing"

	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/conversation"
)

// TestAnEndingWaitsForItsPlayer: nothing goes on by itself, and Enter chooses the author's next part.
func TestAnEndingWaitsForItsPlayer(t *testing.T) {
	d := playing(t).say("pass", "pass").press("enter").settle().say("pass")
	d.later(time.Hour).settle().shows("What now?", "› 1 Go on to The tower")
	if d.chat().current.Session.Machine.Key != "cellar" {
		t.Errorf("the chat has moved on:\n%s", d.screen())
	}
	d.hides(" in 1", " s:", "stays")
	d.press("enter").settle().shows("── The tower ──")
	d = playing(t).say("pass", "pass").press("enter").settle().press("pass", "enter", "wait").settle()
	d.shows("kept for what comes next: wait", "What now?")
}

// TestWhereTheAuthorLeadsStandsFirst: the next part according to the author is listed before other opened parts.
func TestWhereTheAuthorLeadsStandsFirst(t *testing.T) {
	d := newDriver(t, asAlex)
	attic := d.service.Persona.Machines[2]
	attic.ID, attic.Key, attic.Name = "m-attic", "attic", "The attic"
	d.service.Persona.Machines = append(d.service.Persona.Machines, attic)
	d.service.Persona.Links = slices.Insert(d.service.Persona.Links, 0, personas.Link{Source: "cellar", Target: "attic", Condition: personas.IfOutcome, Outcome: personas.Accept})
	d.settle().say("pass", "pass").press("enter").settle().say("pass").shows("› 1 Go on to The tower", "2 Go on to The attic")
}

// A number that is the beginning of a text does not choose a step, and does not move the cursor.
func TestAMessageThatBeginsWithADigitChoosesNothing(t *testing.T) {
	d := playing(t).say("reject").press("2 gold", "enter").settle()
	d.shows("this part is over: press 1 to 3, or write a command", "› 1 Play The gate again")
	d.hides("Whom do you want to talk to?")
	d = playing(t).say("reject").press("3").showing("› 3 Talk to somebody else").settle()
	d.shows("Whom do you want to talk to?")
	d = playing(t).say("reject").press("3", "enter").settle()
	d.shows("Whom do you want to talk to?")
}

// TestTheListSaysHowAStoryEnded: for a finished story the list shows the ending.
func TestTheListSaysHowAStoryEnded(t *testing.T) {
	d := playing(t).say("reject").press("3").settle()
	d.shows("ended: You did not make it · 1 of 7 endings")
	d.hides("goes on")
	d.press("enter").settle().press("1").settle().press("f3").settle() // It is played again.
	d.shows("goes on · 1 of 7 endings")
	// A part has ended and another one is open: the story goes on.
	d = playing(t).say("pass", "pass").press("4").settle()
	d.shows("goes on · 1 of 7 endings")
	d = wonStory(t).press("4").settle()
	d.shows("ended: You made it")
	saved, _ := d.notes.Recall("mira")
	assert.Equal(t, saved.Outcome, "ACCEPT", "kept %+v", saved)
	d.press("enter").settle().shows("That was the last part. What now?")
}

// wonStory returns a chat with all parts won.
func wonStory(t *testing.T) *driver {
	return playing(t).say("pass", "pass").press("enter").settle().say("pass").press("enter").settle().say("pass")
}

// At the last ending the chat shows once that the story is over, and offers to begin it again.
func TestAnEndingSaysThatTheStoryIsOver(t *testing.T) {
	d := wonStory(t)
	d.shows("That was the last part. What now?", "A new ending: 3 of 7 found.", "Begin the whole story again")
	if n := strings.Count(d.screen(), "last part"); n != 1 {
		t.Errorf("said %d times:\n%s", n, d.screen())
	}
	d.press("3").showing("› 3 Begin the whole story again").settle().shows("Halt, Alex!")
	// Parts that stay closed do not count.
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

// Without data about the other parts, the chat does not mention them.
func TestAnUnknownStoryIsNotOver(t *testing.T) {
	d := playing(t)
	d.chat().current.Machines = nil
	d.press("reject", "enter")
	d.stepUntil("You did not make it")
	d.hides("story ends", "last part")
	c := d.chat()
	assert.True(t, !c.current.IsStoryOver() && c.current.EndWords() == "", "nobody has said how the parts stand")
	assert.Equal(t, (&conversation.SavedSession{}).TagWords(), "goes on")
}

// TestDirectionsStandBehindTheAuthorsView: only the author's view has the director.
func TestDirectionsStandBehindTheAuthorsView(t *testing.T) {
	directed := func(own bool) *driver {
		return newDriver(t, func(o *Options) { asAlex(o); o.Directed, o.Author = true, own }).settle()
	}
	d := directed(false).press("f5").settle()
	d.hides("Director:", "[[1]]", "pass to In the yard")
	d.shows("directions reveal the persona's secrets: open")
	d.press("/direct 1 open", "enter").settle().shows("directions reveal the persona")
	d.press("ctrl+u", "/direct ").hides("pass to In the yard")
	assert.Equal(t, len(d.service.Messages["m-gate"]), 1, "messages a move was forced")
	d.press("ctrl+u", "f2").settle().press("esc", "f5").settle().shows("Director: what your words do", "[[1]]")
	directed(true).press("f5").settle().shows("Director: what your words do")
}

// In each list the cursor is at the present entry.
func TestListsStandWhereThePlayerIs(t *testing.T) {
	d := newDriver(t, asAlex)
	slices.Reverse(d.service.Items)
	d.settle().press("f3").settle().shows("› Mira", "  Oskar")
	d = playing(t).say("pass", "pass").press("enter").settle()
	d.press("f4").settle().shows("› The cellar")
}
