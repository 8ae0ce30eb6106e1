package tui

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) sendText(text string) tea.Cmd {
	say := eventSay
	if c.env.opts.Now().Before(c.notBefore) {
		say = eventHold
	}
	switch do := c.advance(say); {
	case do.has(queueTurn) && c.queued != "":
		// The player should see the reply before writing more.
		c.trouble = "one message is already waiting (Esc takes it back)"
	case do.has(queueTurn):
		c.queued, c.trouble = text, ""
		c.input.TakeText()
		c.checkRetryText()
	case do.has(startCountdown):
		t := c.makeTurn(text)
		c.input.TakeText()
		return c.beginCountdown(pendingTurn{Turn: t, until: c.notBefore, reason: conversation.RateLimited})
	case do.has(sendTurn):
		t := c.makeTurn(text)
		c.input.TakeText()
		return c.transmit(pendingTurn{Turn: t})
	}
	return nil
}

func (c *chat) sendTurn(t conversation.Turn) tea.Cmd {
	if !c.advance(eventSay).has(sendTurn) {
		c.input.GiveBack(t.Text)
		return nil
	}
	return c.transmit(pendingTurn{Turn: t})
}

func (c *chat) waitingLines(width int) []string {
	var lines []string
	if c.state == stateCountdown {
		lines = append(lines, waitingLine(c.env.st, "   waits: ", c.turn.Text, c.queued == "", width))
	}
	if c.queued != "" {
		lines = append(lines, waitingLine(c.env.st, "   then: ", c.queued, true, width))
	}
	return lines
}

func waitingLine(st *views.Styles, words, text string, last bool, width int) string {
	esc := ""
	if last {
		esc = " (Esc takes it back)"
	}
	shown := terminal.CutToWidth(terminal.Clean(text), width-len(words)-len(esc)-1)
	return st.Faint.Render(words) + st.Text.Render(shown) + st.Faint.Render(esc)
}

func (c *chat) unqueueMessage() {
	if c.queued != "" {
		c.input.GiveBack(c.queued)
		c.queued = ""
	}
}

// makeTurn returns the turn for a text. After a lost reply to the same text, makeTurn returns the
// earlier turn, because the message must not count twice.
func (c *chat) makeTurn(text string) conversation.Turn {
	if c.unseen.Text == text {
		return c.unseen
	}
	return c.env.requester.NewTurn(text)
}

func (c *chat) transmit(t pendingTurn) tea.Cmd {
	c.turn = t
	c.log.ForgetBroken()
	c.log.AddEntry(c.messageEntry(wire.RoleUser, t.Text))
	c.log.ScrollToEnd()
	stream, text := conversation.NewReplyStream(), c.unseen.Text
	activity := c.current.User.Persona.CharacterName() + " is thinking"
	if text != "" {
		activity = "checking if the message arrived"
	}
	user, session, machines, requester := c.current.User, c.current.Session, c.current.Machines, c.env.requester
	asking := c.startRequest(activity, "not sent", func(ctx context.Context) (func() tea.Cmd, error) {
		defer stream.EndWords()
		if text != "" {
			seen, err := requester.ReadUnseen(ctx, user, session, machines)
			if err != nil || seen.HasTurn(text) {
				return func() tea.Cmd { return c.handleUnseen(seen, eventUnsent) }, err
			}
			// ReadMeanwhile finds unseen messages of other windows.
		}
		reply, err := requester.SendTurn(ctx, user, session, t.Turn, stream.AddWords)
		if err != nil {
			return nil, sentError{err}
		}
		meanwhile := requester.ReadMeanwhile(ctx, user, session, t.Text, reply)
		nearly := requester.ReadNearly(ctx, user, session, reply)
		return func() tea.Cmd { return c.showReply(t.Text, reply, meanwhile, nearly) }, nil
	})
	c.request.stream = stream
	return tea.Batch(asking, awaitWords(stream, wordsCameMsg{c.currentTicket()}))
}

// sentError is the error of a turn that the service may have received.
type sentError struct{ error }

func (e sentError) Unwrap() error { return e.error }

func awaitWords(s *conversation.ReplyStream, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !s.WaitForWords() {
			return nil
		}
		return msg
	}
}

func (c *chat) showStreamed(msg wordsCameMsg) tea.Cmd {
	if !c.expects(msg.ticket) || c.request.stream == nil {
		return nil
	}
	if !c.showWaitingWords() {
		return awaitWords(c.request.stream, msg)
	}
	return c.env.after(frame, wordsCameMsg{msg.ticket})
}

func (c *chat) showWaitingWords() bool {
	words := c.request.stream.TakeWords()
	if words == "" {
		return false
	}
	c.advance(eventHear)
	c.request.words = c.current.User.Persona.CharacterName() + " is speaking"
	if c.log.Streaming == 0 {
		if c.request.opening != nil {
			c.log.AddEntry(chapterEntry(&conversation.Session{Machine: c.request.opening}))
		}
		c.log.BeginEntry(c.messageEntry(wire.RoleAssistant, ""))
	}
	c.log.AppendWords(words)
	return true
}

// frame is the minimum interval between updates of streamed text. Shorter intervals delay key
// presses.
const frame = 33 * time.Millisecond

func (c *chat) showReply(text string, reply *wire.Reply, meanwhile *conversation.Meanwhile, nearly string) tea.Cmd {
	before, session := c.current.Session.Standing, c.current.Session
	c.unseen = conversation.Turn{}
	c.current.Spent.AddTokens(reply.Tokens)
	session.AddTurn(text, reply)
	session.Nearly = nearly
	c.advance(eventAnswer)
	c.log.CompleteEntry(c.messageEntry(wire.RoleAssistant, reply.Message))
	if meanwhile != nil {
		c.showMeanwhile(meanwhile)
		if len(meanwhile.Earlier) > 0 {
			before = meanwhile.Before
		}
	}
	return c.showChanges(before, reply.Unlocked)
}

func (c *chat) showChanges(before conversation.Standing, unlocked []string) tea.Cmd {
	m, standing := c.current.Session.Machine, c.current.Session.Standing
	if line, tone := changeNote(m, before, standing); line != "" {
		c.log.AddNote(line, tone)
	}
	ending := c.collectEnding(before, unlocked)
	var why tea.Cmd // must be asked before another machine opens
	if c.env.opts.Debug {
		why = c.askWhy(false)
	}
	c.savePlace()
	return tea.Batch(c.continueAfter(unlocked), why, ending)
}

func changeNote(m *conversation.Machine, before, after conversation.Standing) (string, views.Tone) {
	tone := views.ToneChange
	switch tries := m.CountTries(after); {
	case !m.UsedTry(before, after):
	case tries == 1:
		tone = views.ToneLast
	case tries == 2:
		tone = views.ToneWarn
	}
	return m.ChangeLine(before, after), tone
}

func (c *chat) collectEnding(before conversation.Standing, unlocked []string) tea.Cmd {
	if !c.current.Session.Standing.IsFinished() {
		return nil
	}
	conversation.AddEnding(c.current.Machines, c.current.Session, unlocked)
	news := c.current.User.Persona.TellEnding(c.current.Session, before, unlocked)
	if endings := c.current.User.CollectEnding(c.current.Session); endings != "" {
		news.Told = append(news.Told, endings)
	}
	if hint := c.current.Session.TakeBackHint(); hint != "" {
		news.Told = append(news.Told, hint)
	}
	c.log.AddEntry(endingEntry(news))
	return c.saveEndings()
}

func (c *chat) continueAfter(unlocked []string) tea.Cmd {
	switch next := c.queued; {
	case c.state == stateEnded:
		// The card lists the next part. The player must choose it.
		c.unqueueMessage()
		c.ending = views.NewCard(c.env.st, c.env.keys, c.current, unlocked)
		return c.readMachines(nil)
	case next != "":
		c.queued = ""
		return c.sendTurn(c.env.requester.NewTurn(next))
	}
	return nil
}

func (c *chat) saveDraft() {
	saved := &c.current.User.Saved
	if c.state.hasTurn() {
		saved.UnderWay = c.turn.Text
	}
	c.unqueueMessage()
	saved.Draft = c.input.Text()
	c.savePlace()
}

// restoreDraft restores the unsent text of the last chat. An interrupted turn is restored too,
// unless the service stored it.
func (c *chat) restoreDraft() {
	saved := &c.current.User.Saved
	draft, underWay := saved.Draft, saved.UnderWay
	saved.Draft, saved.UnderWay = "", ""
	messages := sentMessages(c.current.Session.Messages)
	c.input.History = &views.History{Said: messages, At: len(messages)}
	c.input.SetText(draft)
	if underWay != "" && !c.isLastMessage(views.EscapeSlash(terminal.CleanLines(underWay))) {
		c.input.GiveBack(underWay)
	}
}

func sentMessages(messages []wire.HistoryMessage) []string {
	var sent []string
	for _, m := range messages {
		if m.Role == wire.RoleUser {
			sent = append(sent, views.EscapeSlash(terminal.CleanLines(m.Content)))
		}
	}
	return sent[max(len(sent)-views.MaxHistory, 0):]
}

type editedMsg struct {
	text string
	err  error
}

func (c *chat) editMessage() tea.Cmd {
	if c.env.opts.Edit == nil {
		c.trouble = errNoEditor.Error()
		return nil
	}
	before, edited := c.input.Text(), ""
	edit := func() (err error) {
		edited, err = c.env.opts.Edit(before)
		return err
	}
	return program.RunOutside(edit, func(err error) tea.Msg { return editedMsg{edited, err} })
}

func (c *chat) fillFromEditor(msg editedMsg) {
	text := strings.TrimRight(strings.ReplaceAll(terminal.CleanLines(msg.text), "\r\n", "\n"), " \n")
	switch {
	case msg.err != nil:
		c.trouble = "editor failed: " + c.env.requester.ExplainError(msg.err)
		return
	case terminal.CountCharacters(text) > wire.MaxMessage:
		c.trouble = tooLongWords(text)
	}
	c.input.SetText(text)
	c.checkRetryText()
}

func (c *chat) handleFailure(msg failedMsg) tea.Cmd {
	if !c.expects(msg.ticket) {
		return nil
	}
	c.trouble = msg.subject + ": " + c.env.requester.ExplainError(msg.err)
	if !c.state.hasTurn() {
		c.advance(eventFail)
		return nil
	}
	if _, sent := errors.AsType[sentError](msg.err); sent && c.env.requester.MayHaveCounted(msg.err) {
		c.unseen = c.turn.Turn
	}
	if conversation.IsEnded(msg.err) {
		c.unseen = c.turn.Turn
		c.advance(eventGone)
		return c.readUnseen("reading how the part ended")
	}
	if wire.ErrorStatus(msg.err) == http.StatusNotFound {
		c.trouble = "the service no longer has this session: /reset starts it again"
	}
	return c.scheduleRetry(msg.err)
}

// scheduleRetry starts the countdown to a retry, or ends the turn. After the first words of a
// reply, only a lost connection is retried.
func (c *chat) scheduleRetry(err error) tea.Cmd {
	wait, reason := c.env.requester.RetryDelay(err, c.turn.tries)
	if conversation.IsRateLimited(err) {
		c.notBefore = c.env.opts.Now().Add(wait)
	}
	c.showWaitingWords()
	isFinal := c.state == stateReplying && !c.env.requester.Lost(err)
	if wait == 0 || isFinal {
		c.advance(eventFail)
		return nil
	}
	c.advance(eventRetry)
	return c.beginCountdown(pendingTurn{c.turn.Turn, c.turn.tries + 1, reason, c.env.opts.Now().Add(wait)})
}

func (c *chat) cancelWaiting() tea.Cmd {
	c.trouble, c.resetAsked = "", false
	if c.queued != "" {
		c.unqueueMessage()
		c.checkRetryText()
		return nil
	}
	previous := c.state
	if c.advance(eventStop).has(checkTurn) {
		c.unseen = c.turn.Turn
		return c.readUnseen("checking if the message arrived")
	}
	switch {
	case previous == stateCountdown:
		c.trouble = "not sent: Enter tries again"
	case previous.isOut():
		c.trouble = "stopped"
	}
	return nil
}

func (c *chat) tickRetry(msg retryTickMsg) tea.Cmd {
	if c.state != stateCountdown || msg.ticket != c.currentTicket() {
		return nil
	}
	if c.env.opts.Now().Before(c.turn.until) {
		return c.showCountdown()
	}
	return c.retryNow()
}

func (c *chat) retryNow() tea.Cmd {
	if c.env.opts.Now().Before(c.notBefore) {
		return c.showCountdown()
	}
	c.advance(eventDue)
	return c.transmit(c.turn)
}

func (c *chat) readUnseen(words string) tea.Cmd {
	user, session, before := c.current.User, c.current.Session, c.current.Machines
	return c.startRequest(words, "stopped", func(ctx context.Context) (func() tea.Cmd, error) {
		seen, err := c.env.requester.ReadUnseen(ctx, user, session, before)
		return func() tea.Cmd { return c.handleUnseen(seen, eventAnswer) }, err
	})
}

func (c *chat) handleUnseen(unseen *conversation.Unseen, came event) tea.Cmd {
	hasMessages := len(unseen.Messages) > 0
	if hasMessages {
		session, now := c.current.Session, unseen.Session
		session.ID, session.Messages, session.Standing = now.ID, now.Messages, now.Standing
	}
	c.advance(came)
	if !hasMessages {
		c.trouble = "stopped: the turn did not count, your text is in the input again"
		return nil
	}
	return c.showUnseen(unseen)
}

func (c *chat) showUnseen(unseen *conversation.Unseen) tea.Cmd {
	messages := unseen.TellUnseen()
	last := messages[len(messages)-1]
	c.log.ForgetBroken()
	if words := c.unseen.Text; unseen.HasTurn(words) {
		c.input.TakeOut(strings.TrimSpace(terminal.CleanLines(words)))
		c.news = "your previous message did arrive: this is the answer"
		if c.hasInput() {
			c.trouble = "your previous message did arrive: read the answer first"
		}
	} else {
		c.log.AddNote(saidElsewhere, views.ToneNews)
		c.trouble = "your message did not count: it is in the input again"
		if unseen.Session.Standing.IsFinished() {
			c.trouble = c.current.Session.Machine.Title + " has ended in another window: your words are kept"
		}
	}
	c.unseen = conversation.Turn{}
	c.addEntries(c.messageEntries(c.current.Session, messages[:len(messages)-1]))
	c.log.AddEntry(c.messageEntry(last.Role, last.Content))
	return c.showChanges(last.Before, unseen.Unlocked)
}
