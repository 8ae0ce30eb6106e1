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
	now := d.chat().current.Session.Standing
	assert.Equal(t, now.Redirects, 0, "redirects after undo")
	assert.Equal(t, now.State, "inside", "state after undo")
	assert.Equal(t, len(d.said()), 1, "messages after undo")
	d.shows("Your message is taken back")
	d.hides("Continuing where you left off")
	d.chat().input.SetText("")
	d.press("/undo", "enter").settle()
	assert.Equal(t, d.chat().input.Text(), "pass, I am a friend", "input after the second undo")
	assert.Equal(t, d.chat().current.Session.Standing.State, "asked", "state after the second undo")
	d.chat().input.SetText("")
	d.press("/redo", "enter").settle()
	d.press("/redo", "enter").settle()
	now = d.chat().current.Session.Standing
	assert.Equal(t, now.Redirects, before.Redirects, "redirects after redo")
	assert.Equal(t, now.State, before.State, "state after redo")
	assert.Equal(t, now.Score, before.Score, "score after redo")
	assert.Equal(t, len(d.said()), 2, "messages after redo")
	d.press("/redo", "enter").settle()
	d.shows("nothing to redo")
	d.press("/branches", "enter").settle()
	d.shows("1. The gate", "2. The gate", "here")
}

func TestUndoAnEnding(t *testing.T) {
	d := playing(t)
	d.Resize(100, 40)
	d.service.Choices = []wire.TraceChoice{
		{Decision: "pass", Probability: 0.6}, {Decision: "redirect", Probability: 0.31}, {Decision: "aside", Probability: 0.09},
	}
	d.say("pass, I am a friend", "pass, and more")
	assert.Must(t, d.chat().ending != nil, "the part has not ended")
	d.shows("/undo takes your last words back.", "Take back “pass, and more”",
		"“pass, and more” won Mira over.", "It was nearly taken as a miss (31 %).")
	d.press("3").settle()
	assert.True(t, d.chat().ending == nil, "the card stays after undo")
	assert.True(t, !d.chat().current.Session.Standing.IsFinished(), "the part stays finished after undo")
	assert.Equal(t, d.chat().input.Text(), "pass, and more", "input after undo")
}

// TestRetry sends the last message again; the conversation has it once.
func TestRetry(t *testing.T) {
	d := playing(t).say("pass, I am a friend")
	d.press("/retry", "enter").settle()
	assert.EqualSlices(t, d.said(), []string{"pass, I am a friend"}, "messages after /retry")
	assert.Equal(t, d.chat().current.Session.Standing.State, "inside", "state after /retry")
	d.press("/retry wrong", "enter").settle()
	d.shows("the only argument of /retry is --judge")
}

// TestUndoRefusals: if a message cannot be taken back, the chat shows why and stays unchanged.
func TestUndoRefusals(t *testing.T) {
	d := playing(t)
	d.press("/undo", "enter").settle()
	d.shows("you have said nothing here yet")
	d.say("pass, I am a friend")
	for command, want := range map[string]string{
		"/undo 2": "you have said only 1 message here",
		"/undo x": "is not a number of messages", "/undo 0": "is not a number of messages",
	} {
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
	assert.Equal(t, d.chat().input.Text(), "pass, I am a friend", "input")
	assert.Empty(t, d.said(), "messages:")
	d.chat().input.SetText("")
	d.say("pass, a guest").press("/edit", "enter").settle()
	assert.Equal(t, d.chat().input.Text(), "pass, a guest", "the input")
	d.chat().input.SetText("")
	d.press("/editor", "enter").settle().shows(errNoEditor.Error())
}

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
	assert.NoError(t, err)
	assert.Must(t, len(list.Branches) == 3, "%+v", list)
	assert.Equal(t, list.Branches[1].Turn, 1)
	assert.Equal(t, list.Branches[2].Turn, 2)
	press(0, 'z')
	d.shows("after this reply there is nothing to take back")
	press(0, 'r')
	said := d.said()
	assert.Must(t, len(said) == 2, "reworded: said %q", said)
	assert.Equal(t, said[1], "redi, nothing of it", "reworded")
	assert.Equal(t, d.chat().input.Text(), "", "reworded: input")
	d.chat().log.ChooseEntry(turns[2])
	d.send(alt('z'))
	d.settle()
	assert.Equal(t, len(d.said()), 1, "messages after Alt+Z")
	assert.Equal(t, d.chat().input.Text(), "redi, nothing of it", "input after Alt+Z")
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
	assert.EqualSlices(t, d.said(), []string{"pass, I am a friend", "asid, hm please"}, "messages")
	assert.Equal(t, d.chat().input.Text(), "", "input")
	d.hides("changed text instead")
	d.hides("Continuing where you left off")
	d.press("up", "enter").settle()
	said := d.said()
	assert.Equal(t, len(said), 3, "the same words again: said %q", said)
	d.service.NoBranches = true
	d.press("up", "!", "enter").settle().shows("cannot take messages back")
	assert.Equal(t, len(d.said()), 3, "refused: messages")
	assert.Equal(t, d.chat().input.Text(), "asid, hm please!", "refused: input")
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
	session := d.chat().current.Session
	assert.Equal(t, len(d.said()), 2, "messages")
	assert.Equal(t, session.Standing.State, "inside", "state")
	assert.Equal(t, session.Machine.Title, "The old gate", "machine")
	assert.True(t, d.chat().current.User.Saved.UserSessionID != "u-1", "the chat stays in the old branch")
}

// TestEditAsks: the author chooses the version with one key if a turn has another effect in the new one.
func TestEditAsks(t *testing.T) {
	d := playing(t).say("pass, I am a friend", "redi, nothing of it")
	d.send(edited(1))
	d.settle().shows(`The file changed: turn 2 "redi, nothing of it": redirect became pass`, "F9 continues", "Esc stays")
	d.press("esc").shows("The chat stays in the old version; /update continues in the new one.")
	d.hides("The file changed")
	assert.Equal(t, len(d.said()), 2, "kept: messages")
	assert.Equal(t, d.chat().current.User.Saved.UserSessionID, "u-1", "kept: branch")
	d.send(edited(1))
	d.settle().send(tea.KeyMsg{Type: tea.KeyF9})
	d.settle().shows("Continuing in the new version, before turn 2.", "› redi, nothing of it")
	assert.Equal(t, len(d.said()), 1, "gone on: messages")
	assert.Equal(t, d.chat().current.Session.Standing.State, "inside", "gone on: state")
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
