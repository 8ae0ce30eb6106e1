package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/editor"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
)

// queueMessage keeps a message until the reply is there. One is enough: what comes
// after it should know the answer.
func (d *dialogue) queueMessage(text string) {
	switch {
	case d.wait.turn.Text == "":
		d.trouble = d.oneMoment()
	case d.queued != "":
		d.trouble = "one message waits already (Esc takes it back)"
	default:
		d.queued, d.trouble = text, ""
		d.input.TakeText()
	}
}

// queueLine is the waiting message above the input.
func (d *dialogue) queueLine(width int) string {
	const words, esc = "   then: ", " (Esc takes it back)"
	said := terminal.CutToWidth(terminal.Clean(d.queued), width-len(words)-len(esc)-1)
	return d.st.Faint.Render(words) + d.st.Text.Render(said) + d.st.Faint.Render(esc)
}

// unqueueMessage gives the waiting message back to the input.
func (d *dialogue) unqueueMessage() {
	if d.queued != "" {
		d.input.GiveBack(d.queued)
		d.queued = ""
	}
}

// sendText sends a text that the player has decided on, at once or when the service
// will hear it.
func (d *dialogue) sendText(text string) tea.Cmd {
	t, tries := d.makeTurn(text)
	if d.opts.Now().Before(d.notBefore) {
		return d.beginCountdown(t, d.notBefore, conversation.RateLimited, tries)
	}
	d.input.TakeText()
	return d.SendTurn(t, tries)
}

// makeTurn is the turn that a text makes. The same words as those of a turn that
// may have counted are that turn again.
func (d *dialogue) makeTurn(text string) (t conversation.Turn, tries int) {
	switch {
	case d.retry != nil && d.retry.turn.Text == text:
		return d.retry.turn, d.retry.tries
	case d.unsure && d.last.Text == text:
		return d.last, 0
	}
	return d.requester.NewTurn(text), 0
}

// SendTurn sends a turn; tries counts how often it was sent before. Its words stand
// in the transcript at once, and if it fails they go back to the input. After a
// turn whose answer was lost it looks first whether that one counted.
func (d *dialogue) SendTurn(t conversation.Turn, tries int) tea.Cmd {
	d.log.ForgetBroken()
	d.log.AddEntry(d.messageEntry(wire.RoleUser, t.Text))
	d.log.ScrollToEnd()
	s, look, words := newReplyStream(), d.checkUnseen(), d.User.Persona.CharacterName()+" is thinking"
	if d.unsure {
		words = "asking whether it had arrived"
	}
	v, sc, why := d.User, d.Session, d.retry.reasonFor(t)
	asking := d.startQuestion(words, func(ctx context.Context, at ticket) tea.Msg {
		defer s.endWords()
		if msg := look(ctx, at, t); msg != nil {
			return msg
		}
		reply, err := d.requester.SendTurn(ctx, v, sc, t, s.addWords)
		if err != nil {
			return failedMsg{at, t.Text, "not sent", err}
		}
		return replyArrivedMsg{at, t.Text, reply}
	})
	d.wait.turn, d.wait.tries, d.wait.stream, d.wait.why, d.last = t, tries, s, why, t
	return tea.Batch(asking, d.awaitWords(s, d.currentTicket()), d.scheduleTick(d.currentTicket()))
}

// checkUnseen is the question that comes before a turn when the one before it was
// not seen to its end: nil means that it did not count.
func (d *dialogue) checkUnseen() func(context.Context, ticket, conversation.Turn) tea.Msg {
	v, sc, unsure, before := d.User, d.Session, d.unsure, d.Machines
	return func(ctx context.Context, at ticket, t conversation.Turn) tea.Msg {
		if !unsure {
			return nil
		}
		seen, err := d.requester.ReadUnseen(ctx, v, sc, before)
		switch {
		case err != nil:
			return failedMsg{at, t.Text, "not sent", err}
		case len(seen.Messages) > 0:
			return unseenReadMsg{at, seen, t.Text}
		}
		return nil
	}
}

// showReply shows a turn's answer: what was said, then state, score, ending and
// what was unlocked.
func (d *dialogue) showReply(msg replyArrivedMsg) tea.Cmd {
	if !d.takeExpected(msg.ticket) {
		return nil
	}
	before, sc := d.Session.Standing, d.Session
	sc.Standing, d.unsure = conversation.StandingOf(msg.reply), false
	d.Spent.AddTokens(msg.reply.Tokens)
	sc.Messages = append(sc.Messages,
		wire.HistoryMessage{Role: wire.RoleUser, Content: msg.text},
		wire.HistoryMessage{Role: wire.RoleAssistant, Content: msg.reply.Message, StateKeyAtTime: sc.Standing.State, ScoreAtTime: sc.Standing.Score})
	d.completeReply(d.messageEntry(wire.RoleAssistant, msg.reply.Message))
	return d.showChanges(before, msg.reply.Unlocked)
}

// showChanges notes what a turn has changed, state, score, ending and what was
// unlocked, and does what follows it.
func (d *dialogue) showChanges(before conversation.Standing, unlocked []string) tea.Cmd {
	for _, note := range d.Session.Machine.ChangeNotes(before, d.Session.Standing) {
		d.log.AddNote(note, transcript.ToneNews)
	}
	for _, note := range d.User.Persona.UnlockedNotes(unlocked) {
		d.log.AddNote(note, transcript.ToneGood)
	}
	why := d.askWhyUnasked() // About this machine, before another one opens.
	return tea.Batch(d.continueAfter(unlocked), why)
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
		cmd := d.openMachine(next, d.requester.EnterMachine)
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

// handleFailure says what went wrong in one line and gives the words back; where trying
// again helps, it will.
func (d *dialogue) handleFailure(msg failedMsg) tea.Cmd {
	sent := d.wait
	if !d.takeExpected(msg.ticket) {
		return nil
	}
	d.trouble = msg.what + ": " + d.requester.ExplainError(msg.err)
	if d.Session.Standing.IsFinished() && d.ending == nil {
		d.showEnding(nil)
	}
	if sent.turn.Text == "" {
		return nil
	}
	heard := d.takeTurnBack(sent)
	d.unsure = d.unsure || d.requester.MayHaveCounted(msg.err)
	if conversation.IsMissing(msg.err) {
		d.trouble = "the service does not know this session any more: /reset begins it again"
	}
	return d.scheduleRetry(sent, msg.err, heard)
}

// takeTurnBack takes the turn out of the transcript. What was heard of its reply
// stays to be read, marked as not kept, until something else is said.
func (d *dialogue) takeTurnBack(sent *waiting) (heard bool) {
	if words := sent.stream.takeWords(); words != "" {
		d.appendReply(words)
	}
	heard = d.log.Streaming > 0
	d.log.BreakOff()
	d.log.DropLastTurn()
	return heard
}

// cancelWaiting stops waiting, the least first: sending again by itself, the message
// that waits, the question. Whether a turn counted all the same is found out at
// once, and again before the next one.
func (d *dialogue) cancelWaiting() tea.Cmd {
	d.trouble, d.sure = "", false
	switch {
	case d.retry != nil:
		d.retry = nil
		d.trouble = "not sent: Enter tries again"
	case d.queued != "":
		d.unqueueMessage()
	case d.wait == nil:
		d.log.ScrollToEnd()
	default:
		return d.stopQuestion()
	}
	return nil
}

// stopQuestion gives the present question up.
func (d *dialogue) stopQuestion() tea.Cmd {
	sent := d.wait
	d.wait.cancel()
	d.wait = nil
	if sent.turn.Text == "" {
		d.trouble = "stopped"
		d.showEnding(nil)
		return nil
	}
	d.takeTurnBack(sent)
	d.input.GiveBack(sent.turn.Text)
	d.unsure = true
	v, sc, before := d.User, d.Session, d.Machines
	return d.askService("asking whether it had arrived", func(ctx context.Context, t ticket) tea.Msg {
		seen, err := d.requester.ReadUnseen(ctx, v, sc, before)
		if err != nil {
			return failedMsg{t, "", "stopped", err}
		}
		return unseenReadMsg{ticket: t, unseen: seen}
	})
}

// handleUnseen compares the session with what is shown and adds what was missed.
func (d *dialogue) handleUnseen(msg unseenReadMsg) tea.Cmd {
	sent := d.wait
	if !d.takeExpected(msg.ticket) {
		return nil
	}
	if msg.held != "" {
		d.takeTurnBack(sent)
		d.unqueueMessage()
		d.input.GiveBack(msg.held)
	}
	if len(msg.unseen.Messages) == 0 {
		d.trouble = "stopped: nothing of this turn was kept, your words are back"
		return nil
	}
	return d.showUnseen(msg.unseen)
}

// showUnseen shows what the service has kept and the player has not seen, and goes on
// as after any turn.
func (d *dialogue) showUnseen(m *conversation.Unseen) tea.Cmd {
	before := d.Session.Standing
	d.unsure = false
	d.log.ForgetBroken()
	d.addMessages(m.Messages)
	d.removeFromInput(m.Messages[0].Content)
	d.Session.Messages, d.Session.Standing = m.Session.Messages, m.Session.Standing
	if d.news = "your earlier words had arrived: this is the answer"; d.isTyping() {
		d.trouble = "your earlier words had arrived: read the answer first"
	}
	return d.showChanges(before, m.Unlocked)
}

// removeFromInput takes a message that has counted out of the input; what was written
// below it meanwhile stays.
func (d *dialogue) removeFromInput(content string) {
	said := editor.EscapeSlash(strings.TrimSpace(terminal.CleanLines(content)))
	rest, found := strings.CutPrefix(strings.TrimSpace(d.input.Text()), said)
	if found && (rest == "" || rest[0] == '\n') {
		d.input.SetText(strings.TrimPrefix(rest, "\n"))
	}
}
