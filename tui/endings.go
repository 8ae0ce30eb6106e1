package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/ending"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
)

// collectEnding tells an ending where there is one, and keeps that it was found.
func (d *dialogue) collectEnding(before conversation.Standing, unlocked []string) tea.Cmd {
	if !d.Session.Standing.IsFinished() {
		return nil
	}
	conversation.AddEnding(d.Machines, d.Session, unlocked)
	news := d.User.Persona.TellEnding(d.Session.Machine, before, d.Session.Standing, unlocked)
	if found := d.User.CollectEnding(d.Session); found != "" {
		news.Told = append(news.Told, found)
	}
	d.tellEnding(news)
	return d.keepEndings()
}

// keepEndings keeps what the player has found.
func (d *dialogue) keepEndings() tea.Cmd {
	keep, session := d.requester.KeepEndings(d.User), d.Session.ID
	return func() tea.Msg {
		if err := keep(); err != nil {
			return notKeptMsg{session, "your endings could not be kept", err}
		}
		return nil
	}
}

// reportNotKept says what could not be kept, and why.
func (d *dialogue) reportNotKept(msg notKeptMsg) {
	if msg.sessionID == d.Session.ID {
		d.trouble = msg.what + ": " + d.requester.ExplainError(msg.err)
	}
}

// tellEnding puts an ending into the transcript.
func (d *dialogue) tellEnding(news conversation.EndingNews) {
	tone := transcript.ToneNews
	switch news.Kind {
	case playwords.Won:
		tone = transcript.ToneGood
	case playwords.Lost:
		tone = transcript.ToneBad
	}
	d.log.AddEnding(news.Title, append([]string{news.Place}, news.Told...), tone)
}

// showEnding puts up the ending card when the machine has ended.
func (d *dialogue) showEnding(unlocked []string) {
	if d.ending = nil; d.Session.Standing.IsFinished() {
		d.ending = ending.NewCard(d.st, d.keys, d.User.Persona, d.Session, d.Machines, unlocked)
		d.holdText()
	}
}

// holdText keeps what is being written while an ending stands, where keys choose; a command
// stays.
func (d *dialogue) holdText() {
	text := d.input.Text()
	if d.ending == nil || strings.TrimSpace(text) == "" || strings.HasPrefix(text, "/") {
		return
	}
	d.held = strings.TrimPrefix(d.held+"\n"+text, "\n")
	d.input.SetText("")
}

// releaseHeld gives it back to the input, where something can be said again.
func (d *dialogue) releaseHeld() {
	if d.ending == nil && d.held != "" {
		d.input.GiveBack(d.held)
		d.held = ""
	}
}

// heldLine is what is kept, above the ending's choices.
func (d *dialogue) heldLine(width int) string {
	const words = "   kept for what comes next: "
	return d.st.Faint.Render(words) + d.st.Text.Render(terminal.CutToWidth(terminal.Clean(d.held), width-len(words)-1))
}

// endMachine puts up the ways on. Where there is exactly one part to go on to, and the author
// wants that, the chat goes there by itself after a pause.
func (d *dialogue) endMachine(unlocked []string) tea.Cmd {
	d.unqueueMessage()
	at, m := d.Session.Standing, d.Session.Machine
	d.replay = nil
	d.showEnding(unlocked)
	read := d.readMachines(false, false)
	if next := d.User.Persona.NextMachine(m.ID, at.Outcome, at.Score, unlocked); next != "" && next == d.ending.OnlyPart() {
		return tea.Batch(read, d.goOnLater(next))
	}
	return read
}

// updateEnding shows the ways on as the service knows them; a choice is the player's.
func (d *dialogue) updateEnding(places []conversation.ListedMachine) {
	if d.ending == nil {
		return
	}
	if d.ending.UpdateSteps(places); d.ending.OnlyPart() != d.next {
		d.stayAtEnding()
	}
}

// endingPause is how long an ending stands before the chat moves on by itself.
const endingPause = 8 * time.Second

// goOnLater moves on to a machine after a pause, unless the player does something else.
func (d *dialogue) goOnLater(machine string) tea.Cmd {
	d.next, d.ending.GoesOn = machine, true
	return d.after(endingPause, pauseOverMsg{d.Session.ID, machine})
}

// stayAtEnding gives up moving on by itself.
func (d *dialogue) stayAtEnding() {
	if d.next = ""; d.ending != nil {
		d.ending.GoesOn = false
	}
}

// goOn moves on when the pause is over and the player has done nothing else.
func (d *dialogue) goOn(msg pauseOverMsg) tea.Cmd {
	if msg.sessionID != d.Session.ID || msg.machine != d.next || d.wait != nil || d.isTyping() {
		return nil
	}
	return d.openMachine(d.next, d.requester.EnterMachine)
}

// isAtEnding tells whether keys choose what comes next: an ending stands, nothing is waited for
// and no command is being written.
func (d *dialogue) isAtEnding() bool { return d.ending != nil && d.wait == nil && !d.isTyping() }

// handleEndingKey takes a key that chooses.
func (a *actions) handleEndingKey(msg tea.KeyMsg) (cmd tea.Cmd, took bool) {
	step, chosen := a.ending.ChooseStep(msg)
	if chosen {
		return a.takeStep(step), true
	}
	if a.ending.MoveCursor(msg) {
		a.stayAtEnding()
		return nil, true
	}
	return nil, false
}

// takeStep goes the way that was chosen.
func (a *actions) takeStep(step conversation.NextStep) tea.Cmd {
	switch step.Kind {
	case conversation.GoOn:
		return a.openMachine(step.Machine, a.requester.EnterMachine)
	case conversation.PlayAgain:
		return a.openMachine(step.Machine, a.requester.BeginMachine)
	case conversation.GoBack:
		cmd := a.openMachine(step.Machine, a.requester.BeginMachine)
		a.replay = &conversation.Replay{Title: step.Replay.Title, Turns: slices.Clone(step.Replay.Turns)}
		return cmd
	}
	return a.leavePersona()
}

// refuseWriting says what keys do while an ending stands: nothing is written there but a
// command.
func (d *dialogue) refuseWriting(text string) bool {
	if !d.isAtEnding() || strings.HasPrefix(text, "/") {
		return false
	}
	d.stayAtEnding()
	d.trouble = "nothing is said here any more: " + d.ending.KeyWords()
	return true
}

// playNext says the next of what is said again; at its end the player goes on.
func (d *dialogue) playNext() tea.Cmd {
	switch {
	case d.replay == nil:
		return nil
	case len(d.replay.Turns) == 0:
		d.log.AddNote(fmt.Sprintf("This is where it turned: %s. Go on from here.", d.replay.Title), transcript.ToneNews)
		d.replay = nil
		return d.continueAfter(nil)
	}
	return d.SendTurn(d.requester.NewTurn(d.replay.Turns[0].Text), 0)
}

// checkReplay ends a replay that goes another way than before, or was left.
func (d *dialogue) checkReplay(said string) {
	if d.replay == nil || d.replay.FollowedBy(said, d.Session.Standing) {
		return
	}
	d.replay = nil
	d.log.AddNote(fmt.Sprintf("%s took it otherwise this time: you go on from here.", d.User.Persona.CharacterName()), transcript.ToneNews)
}
