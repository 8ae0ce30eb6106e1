package tui

import (
	"context"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
)

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
	d.hides("Going on where you were")
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

// TestEditTrouble: a file that cannot be played is reported once, and nothing else happens.
func TestEditTrouble(t *testing.T) {
	d := playing(t).say("pass, I am a friend")
	for _, why := range []string{"a.yaml:3:4: first", "a.yaml:5:6: second\x1b[2J"} {
		d.send(editSavedMsg{conversation.Edit{Trouble: why}})
	}
	d.settle().shows("The file cannot be played, so the chat stays in the old version: a.yaml:5:6:", "second␛[2J")
	d.hides("first")
	d.root.env.opts.Edits = make(chan conversation.Edit)
	d.press("/update", "enter").settle().shows("the file has not changed since")
	if len(d.said()) != 1 {
		t.Errorf("said %q", d.said())
	}
}

// TestEditDuringATurn waits for the reply.
func TestEditDuringATurn(t *testing.T) {
	d := playing(t).press("pass, I am a friend", "enter")
	d.send(edited(1))
	d.hides("The file changed")
	d.settle().shows("The file changed: your turn has the same effect")
	if len(d.said()) != 1 {
		t.Errorf("said %q", d.said())
	}
}

// TestEditBeforeTheChat: a save that arrives while a list is shown is kept for the chat.
func TestEditBeforeTheChat(t *testing.T) {
	saves := make(chan conversation.Edit, 1)
	saves <- edited(0).edit
	close(saves)
	d := newDriver(t, func(o *Options) { o.Edits, o.PlayerName, o.PlayerGender = saves, "Alex", "female" })
	d.settle().press("enter").settle().shows("The file changed: continuing in the new version.")
}
