package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

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
	d.checkReplay(msg.text)
	return d.showChanges(before, msg.reply.Unlocked)
}

// showChanges notes in one line what a turn has changed, tells the ending, and does what
// follows it.
func (d *dialogue) showChanges(before conversation.Standing, unlocked []string) tea.Cmd {
	m, at := d.Session.Machine, d.Session.Standing
	if line, tone := changeNote(m, before, at); line != "" {
		d.log.AddNote(line, tone)
	}
	kept := d.collectEnding(before, unlocked)
	why := d.askWhyUnasked() // About this machine, before another one opens.
	return tea.Batch(d.continueAfter(unlocked), why, kept)
}

// changeNote is what a turn has changed, and how it sounds: fewer tries are part of it.
func changeNote(m *conversation.Machine, before, after conversation.Standing) (string, transcript.Tone) {
	line, left := m.ChangeLine(before, after), m.CountTries(after)
	if left == 0 || before.State != after.State || left >= m.CountTries(before) {
		return line, transcript.ToneChange
	}
	tone := transcript.ToneChange
	if left <= 2 {
		tone = transcript.ToneWarn
	}
	return strings.TrimPrefix(line+"  "+m.TriesWords(after), "  "), tone
}

// completeReply puts the whole reply in the place of what has come of it.
func (d *dialogue) completeReply(whole transcript.Entry) {
	if d.log.Streaming == 0 {
		d.log.AddEntry(whole)
		return
	}
	d.log.EndEntry(whole.Text)
}

// continueAfter does what follows a reply: the ending, the rest of a replay, the message that
// waits.
func (d *dialogue) continueAfter(unlocked []string) tea.Cmd {
	if d.Session.Standing.IsFinished() {
		return d.endMachine(unlocked)
	}
	if d.replay != nil {
		return d.playNext()
	}
	if d.queued != "" {
		next := d.queued
		d.queued = ""
		return d.SendTurn(d.requester.NewTurn(next), 0)
	}
	return nil
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
