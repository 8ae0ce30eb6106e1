package tui

import (
	"cmp"
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/transcript"
)

// editSavedMsg: the persona file was saved.
type editSavedMsg struct{ edit conversation.Edit }

// updatedMsg: the conversation in the persona's latest version, or what goes another way there.
type updatedMsg struct {
	ticket
	conversation.Update
}

// edits are the saves of the persona file. The screens share it.
type edits struct {
	waiting *conversation.Edit // not compared with the conversation yet
	latest  *conversation.Edit // the last one that can be played
	note    string             // about it, in the transcript
	asked   bool               // the author is asked which version goes on
}

// awaitEdit waits for the next save of the persona file.
func (e *env) awaitEdit() tea.Cmd {
	if e.opts.Edits == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case edit, more := <-e.opts.Edits:
			if more {
				return editSavedMsg{edit}
			}
		case <-e.ctx.Done():
		}
		return nil
	}
}

// compareEdit compares the conversation with the save that waits, once nothing else is under way.
func (a *actions) compareEdit() tea.Cmd {
	edit := a.edits.waiting
	if edit == nil || a.wait != nil || a.retry != nil || a.queued != "" {
		return nil
	}
	a.edits.waiting = nil
	if edit.Trouble != "" {
		a.noteEdit(edit.TroubleWords(), transcript.ToneBad)
		return nil
	}
	a.edits.latest = edit
	return a.updateTo(edit, false)
}

// UpdateSession goes on in the persona's latest version.
func (a *actions) UpdateSession(string) tea.Cmd {
	if a.opts.Edits != nil && a.edits.latest == nil {
		a.trouble = conversation.ErrNotEdited.Error()
		return nil
	}
	return a.updateTo(a.edits.latest, true)
}

func (a *actions) updateTo(edit *conversation.Edit, sure bool) tea.Cmd {
	v, sc := a.User, a.Session
	return a.askBesides("playing it in the new version", func(ctx context.Context, t ticket) tea.Msg {
		u, err := a.requester.UpdateSession(ctx, v, sc, edit, sure)
		if err != nil {
			return failedMsg{t, "", "not gone on in the new version", err}
		}
		return updatedMsg{t, u}
	})
}

// showUpdate shows the conversation in the new version, or asks the author.
func (a *actions) showUpdate(msg updatedMsg) tea.Cmd {
	if msg.ticket != a.currentTicket() {
		return nil
	}
	if msg.Session == nil {
		a.takeExpected(msg.ticket)
		key := cmp.Or(a.keys.ShownKey("update"), "/update")
		choice := key + " goes on with the new version from there, " + a.keys.ShownKey("cancel") + " keeps the old."
		a.noteEdit(msg.Said+" "+choice, transcript.ToneNews)
		a.edits.asked = true
		return nil
	}
	*a.User = *msg.User
	a.st.SetHue(a.User.Persona.Hue)
	cmd := a.showMovedBack(movedBackMsg{msg.ticket, msg.TakenBack, nil, ""})
	a.log.RemoveNote(goingOn)
	a.noteEdit(msg.Said, transcript.ToneNews)
	return cmd
}

// keepOld goes on in the old version if the author is asked about it, and reports whether.
func (a *actions) keepOld() bool {
	if !a.edits.asked {
		return false
	}
	a.noteEdit("The old version goes on; /update goes on with the new one.", transcript.ToneNews)
	return true
}

// noteEdit replaces the note about the persona file in the transcript.
func (a *actions) noteEdit(words string, tone transcript.Tone) {
	a.log.RemoveNote(a.edits.note)
	a.edits.note, a.edits.asked = words, false
	a.log.AddNote(words, tone)
	a.log.ScrollToEnd()
}
