package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/transcript"
)

// awaitWords gives the next words once there are some.
func (d *dialogue) awaitWords(s *conversation.ReplyStream, t ticket) tea.Cmd {
	return func() tea.Msg {
		if !s.WaitForWords() {
			return nil
		}
		return wordsCameMsg{t}
	}
}

// showStreamed shows the words that have gathered. After some it comes back a frame
// later; when none came meanwhile it waits for them.
func (d *dialogue) showStreamed(msg wordsCameMsg) tea.Cmd {
	if d.wait == nil || d.wait.stream == nil || msg.ticket != d.currentTicket() {
		return nil
	}
	words := d.wait.stream.TakeWords()
	if words == "" {
		return d.awaitWords(d.wait.stream, msg.ticket)
	}
	d.wait.words, d.wait.why = d.User.Persona.CharacterName()+" is speaking", ""
	d.appendReply(words)
	return d.after(frame, wordsCameMsg{msg.ticket})
}

// appendReply adds words to the reply that is under way.
func (d *dialogue) appendReply(words string) {
	if d.log.Streaming == 0 {
		d.log.BeginEntry(d.messageEntry(wire.RoleAssistant, ""))
	}
	d.log.AppendWords(words)
}

// frame is how long words gather before they are shown: about thirty times a
// second, so that a fast model costs no more than a slow one and never holds up
// the keys.
const frame = 33 * time.Millisecond

// showReply shows a turn's answer: what was said, then state, score, ending and
// what was unlocked.
func (d *dialogue) showReply(msg replyArrivedMsg) tea.Cmd {
	if !d.takeExpected(msg.ticket) {
		return nil
	}
	before, sc := d.Session.Standing, d.Session
	sc.Standing, d.unsure = before.After(msg.reply), false
	d.Spent.AddTokens(msg.reply.Tokens)
	sc.Messages = append(sc.Messages,
		wire.HistoryMessage{Role: wire.RoleUser, Content: msg.text},
		wire.HistoryMessage{Role: wire.RoleAssistant, Content: msg.reply.Message, StateKeyAtTime: sc.Standing.State, ScoreAtTime: sc.Standing.Score})
	d.completeReply(d.messageEntry(wire.RoleAssistant, msg.reply.Message))
	return d.showChanges(before, msg.reply.Unlocked)
}

// showChanges notes in one line what a turn has changed, tells the ending, and does what
// follows it.
func (d *dialogue) showChanges(before conversation.Standing, unlocked []string) tea.Cmd {
	m, at := d.Session.Machine, d.Session.Standing
	if line, tone := changeNote(m, before, at); line != "" {
		d.log.AddNote(line, tone)
	}
	if at.IsFinished() {
		d.tellEnding(d.User.Persona.TellEnding(m, before, at, unlocked))
	}
	why := d.askWhyUnasked() // About this machine, before another one opens.
	return tea.Batch(d.continueAfter(unlocked), why)
}

// changeNote is what a turn has changed, and how it sounds: fewer tries are part of it.
func changeNote(m *conversation.Machine, before, after conversation.Standing) (string, transcript.Tone) {
	line, left := m.ChangeLine(before, after), m.CountTries(after)
	if left == 0 || before.State != after.State || left >= m.CountTries(before) {
		return line, transcript.ToneChange
	}
	tone := transcript.ToneChange
	switch left {
	case 1:
		tone = transcript.ToneLast
	case 2:
		tone = transcript.ToneWarn
	}
	return strings.TrimPrefix(line+"  "+m.TriesWords(after), "  "), tone
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

// completeReply puts the whole reply in the place of what has come of it.
func (d *dialogue) completeReply(whole transcript.Entry) {
	if d.log.Streaming == 0 {
		d.log.AddEntry(whole)
		return
	}
	d.log.EndEntry(whole.Text)
}

// continueAfter does what follows a reply: the next machine, the ending, the message
// that waits.
func (d *dialogue) continueAfter(unlocked []string) tea.Cmd {
	at, m := d.Session.Standing, d.Session.Machine
	if at.IsFinished() && d.queued != "" {
		d.unqueueMessage()
		d.trouble = m.Title + " has ended: what you had written is not sent"
	}
	said := d.trouble
	if next := d.User.Persona.NextMachine(m.ID, at.Outcome, at.Score, unlocked); next != "" {
		d.showEnding(unlocked)
		cmd := d.goOnLater(next)
		d.trouble = said
		return cmd
	}
	d.showEnding(unlocked)
	switch {
	case at.IsFinished():
		return d.readMachines(false, false)
	case d.queued != "":
		next := d.queued
		d.queued = ""
		return d.SendTurn(d.requester.NewTurn(next), 0)
	}
	return nil
}

// endingPause is how long an ending stands before the chat moves on by itself.
const endingPause = 8 * time.Second

// goOnLater moves on to a machine after a pause, unless the player does something else.
func (d *dialogue) goOnLater(machine string) tea.Cmd {
	d.next = machine
	if d.ending != nil {
		d.ending.GoesOn = true
	}
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

// askWhy reads why the session went as it did.
func (d *dialogue) askWhy(view bool) tea.Cmd {
	v, m, session := d.User, d.Session.Machine, d.Session.ID
	return func() tea.Msg {
		turns, _, err := d.requester.ExplainTurns(d.ctx, v, m)
		return turnsExplainedMsg{session, m.Title, turns, view, err}
	}
}

// askWhyUnasked tells after each reply, with Options.Debug.
func (d *dialogue) askWhyUnasked() tea.Cmd {
	if !d.opts.Debug {
		return nil
	}
	return d.askWhy(false)
}
