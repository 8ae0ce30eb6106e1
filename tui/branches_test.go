package tui

import (
	"context"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
)

// TestUndoAndRedo: undo gives back the text and the try, and redo restores the state before undo.
func TestUndoAndRedo(t *testing.T) {
	d := playing(t).say("pass, I am a friend", "redi, nothing of it")
	before := d.chat().current.Session.Standing
	d.press("/undo", "enter").settle()
	assert.Equal(t, d.chat().input.Text(), "redi, nothing of it", "the input")
	if now := d.chat().current.Session.Standing; now.Redirects != 0 || now.State != "inside" || len(d.said()) != 1 {
		t.Errorf("after undo: %+v, said %q", now, d.said())
	}
	d.shows("Your message is taken back")
	d.hides("Continuing where you left off")
	d.chat().input.SetText("")
	d.press("/undo", "enter").settle()
	if got := d.chat().input.Text(); got != "pass, I am a friend" || d.chat().current.Session.Standing.State != "asked" {
		t.Errorf("after the second undo: input %q, %+v", got, d.chat().current.Session.Standing)
	}
	d.chat().input.SetText("")
	d.press("/redo", "enter").settle()
	d.press("/redo", "enter").settle()
	if now := d.chat().current.Session.Standing; now.Redirects != before.Redirects || now.State != before.State || now.Score != before.Score || len(d.said()) != 2 {
		t.Errorf("redone: %+v, want %+v", now, before)
	}
	d.press("/redo", "enter").settle()
	d.shows("nothing to redo")
	d.press("/branches", "enter").settle()
	d.shows("1. The gate", "2. The gate", "here")
}

func TestUndoAnEnding(t *testing.T) {
	d := playing(t)
	d.Resize(100, 40)
	d.service.Choices = []wire.TraceChoice{{Decision: "pass", Probability: 0.6}, {Decision: "redirect", Probability: 0.31}, {Decision: "aside", Probability: 0.09}}
	d.say("pass, I am a friend", "pass, and more")
	assert.Must(t, d.chat().ending != nil, "the part has not ended")
	d.shows("/undo takes your last words back.", "Take back “pass, and more”", "“pass, and more” won Mira over.", "It was nearly taken as a miss (31 %).")
	d.press("3").settle()
	if d.chat().ending != nil || d.chat().current.Session.Standing.IsFinished() || d.chat().input.Text() != "pass, and more" {
		t.Errorf("after undo: %+v, input %q", d.chat().current.Session.Standing, d.chat().input.Text())
	}
}

// TestRetry sends the last message again; the conversation has it once.
func TestRetry(t *testing.T) {
	d := playing(t).say("pass, I am a friend")
	d.press("/retry", "enter").settle()
	if said := d.said(); len(said) != 1 || said[0] != "pass, I am a friend" || d.chat().current.Session.Standing.State != "inside" {
		t.Errorf("said %q, %+v", said, d.chat().current.Session.Standing)
	}
	d.press("/retry wrong", "enter").settle()
	d.shows("the only argument of /retry is --judge")
}

// TestUndoRefusals: if a message cannot be taken back, the chat shows why and stays unchanged.
func TestUndoRefusals(t *testing.T) {
	d := playing(t)
	d.press("/undo", "enter").settle()
	d.shows("you have said nothing here yet")
	d.say("pass, I am a friend")
	for command, want := range map[string]string{"/undo 2": "you have said only 1 message here", "/undo x": "is not a number of messages", "/undo 0": "is not a number of messages"} {
		d.press(command, "enter").settle()
		d.shows(want)
	}
	d.service.NoBranches = true
	d.press("/undo", "enter").settle()
	d.shows("cannot take messages back")
	if len(d.said()) != 1 {
		t.Errorf("said %q", d.said())
	}
}

// TestEditIsUndo: /edit takes messages back with their words, and /editor opens the player's editor.
func TestEditIsUndo(t *testing.T) {
	d := playing(t).say("pass, I am a friend", "more of it")
	d.press("/edit 2", "enter").settle()
	if got := d.chat().input.Text(); got != "pass, I am a friend" || len(d.said()) != 0 {
		t.Errorf("the input has %q, said %q", got, d.said())
	}
	d.chat().input.SetText("")
	d.say("pass, a guest").press("/edit", "enter").settle()
	assert.Equal(t, d.chat().input.Text(), "pass, a guest", "the input")
	d.chat().input.SetText("")
	d.press("/editor", "enter").settle().shows(errNoEditor.Error())
}

// TestCompare shows where a branch parts from its parent, and refuses other numbers than those of branches.
// TestMessageKeys takes back, rewords and branches at a message of the list and at one that was clicked on.
func TestMessageKeys(t *testing.T) {
	alt := func(letter rune) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{letter}, Alt: true} }
	d := playing(t).say("pass, I am a friend", "redi, nothing of it")
	turns := d.chat().log.ListTurns() // A reply, its message, a reply, its message, the opening.
	press := func(turn int, letter rune) {
		d.chat().input.SetText("")
		d.press("ctrl+r")
		for range turn {
			d.press("down")
		}
		d.send(alt(letter))
		d.settle()
	}
	press(1, 'n')
	press(0, 'n')
	list, err := d.service.Branches(t.Context(), "", "")
	assert.True(t, err == nil && len(list.Branches) == 3 && list.Branches[1].Turn == 1 && list.Branches[2].Turn == 2,
		"%+v, %v", list, err)
	press(0, 'z')
	d.shows("after this reply there is nothing to take back")
	press(0, 'r')
	said := d.said()
	assert.True(t, len(said) == 2 && said[1] == "redi, nothing of it" && d.chat().input.Text() == "", "reworded: said %q", said)
	d.chat().log.ChooseEntry(turns[2])
	d.send(alt('z'))
	d.settle()
	if said := d.said(); len(said) != 1 || d.chat().input.Text() != "redi, nothing of it" {
		t.Errorf("said %q, input %q", said, d.chat().input.Text())
	}
	press(2, 'z')
	assert.Empty(t, d.said(), "taken back to the opening:")
	d.chat().input.SetText("")
	d.say("pass, a gift")
	d.chat().input.SetText("begun")
	d.send(alt('z'))
	if d.settle(); d.chat().input.Text() != "pass, a gift" {
		t.Errorf("taken back with something begun: input %q", d.chat().input.Text())
	}
	if d.send(tea.KeyMsg{Type: tea.KeyUp}); d.chat().input.Text() != "begun" {
		t.Errorf("one Up away: %q", d.chat().input.Text())
	}
}

// TestUpEdits: Up in an empty input edits the last message: Enter sends it anew, Esc and another Up end that.
func TestUpEdits(t *testing.T) {
	d := playing(t).say("pass, I am a friend", "asid, hm")
	d.press("up").shows("Enter sends the changed text instead")
	d.press("esc").hides("changed text instead")
	d.press("up", "up").hides("changed text instead")
	d.press("down").hides("changed text instead")
	d.press("down", "up").shows("changed text instead")
	d.press(" please", "enter").settle()
	if said := d.said(); len(said) != 2 || said[1] != "asid, hm please" || d.chat().input.Text() != "" {
		t.Errorf("said %q, %+v, input %q", said, d.chat().current.Session.Standing, d.chat().input.Text())
	}
	d.hides("changed text instead")
	d.hides("Continuing where you left off")
	d.press("up", "enter").settle()
	said := d.said()
	assert.Equal(t, len(said), 3, "the same words again: said %q", said)
	d.service.NoBranches = true
	d.press("up", "!", "enter").settle().shows("cannot take messages back")
	if said := d.said(); len(said) != 3 || d.chat().input.Text() != "asid, hm please!" {
		t.Errorf("refused: said %q, input %q", said, d.chat().input.Text())
	}
}

// edited returns a saved version of the file. The first messages, as many as same, have the same effect in it.
func edited(same int) editSavedMsg {
	return editSavedMsg{conversation.Edit{Compare: func(_ context.Context, machine string, h wire.History) (playtest.Difference, error) {
		d := playtest.Difference{Turns: len(h.Messages) / 2}
		if d.Same = min(same, d.Turns); d.Same < d.Turns {
			d.Change = "turn 2 \"redi, nothing of it\": redirect became pass\x1b[2J (its example is gone)"
		}
		return d, nil
	}}}
}

func TestEditGoesOn(t *testing.T) {
	d := playing(t)
	d.send(edited(0))
	d.settle().shows("The file changed: continuing in the new version.")
	d.say("pass, I am a friend", "redi, nothing of it")
	d.service.Persona.Machines[0].Name = "The old gate"
	d.send(edited(2))
	d.settle().shows("The file changed: all 2 turns have the same effect in the new version.")
	d.hides("Continuing where you left off")
	if now := d.chat().current.Session.Standing; len(d.said()) != 2 || now.State != "inside" || d.chat().current.Session.Machine.Title != "The old gate" || d.chat().current.User.Saved.UserSessionID == "u-1" {
		t.Errorf("said %q, %+v", d.said(), now)
	}
}

// TestEditAsks: the author chooses the version with one key if a turn has another effect in the new one.
func TestEditAsks(t *testing.T) {
	d := playing(t).say("pass, I am a friend", "redi, nothing of it")
	d.send(edited(1))
	d.settle().shows(`The file changed: turn 2 "redi, nothing of it": redirect became pass`, "F9 continues", "Esc stays")
	d.press("esc").shows("The chat stays in the old version; /update continues in the new one.")
	d.hides("The file changed")
	if len(d.said()) != 2 || d.chat().current.User.Saved.UserSessionID != "u-1" {
		t.Errorf("kept: said %q", d.said())
	}
	d.send(edited(1))
	d.settle().send(tea.KeyMsg{Type: tea.KeyF9})
	d.settle().shows("Continuing in the new version, before turn 2.", "› redi, nothing of it")
	if len(d.said()) != 1 || d.chat().current.Session.Standing.State != "inside" {
		t.Errorf("gone on: said %q, %+v", d.said(), d.chat().current.Session.Standing)
	}
}

func TestEditDuringATurn(t *testing.T) {
	d := playing(t).press("pass, I am a friend", "enter")
	d.send(edited(1))
	d.hides("The file changed")
	d.settle().shows("The file changed: your turn has the same effect")
	if len(d.said()) != 1 {
		t.Errorf("said %q", d.said())
	}
}
