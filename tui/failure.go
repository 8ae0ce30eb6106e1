package tui

import (
	"context"
	"errors"
	"net/http"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) handleFailure(msg failedMsg) tea.Cmd {
	if !c.expects(msg.ticket) {
		return nil
	}
	c.trouble = msg.what + ": " + c.env.requester.ExplainError(msg.err)
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
	wait, why := c.env.requester.RetryDelay(err, c.turn.tries)
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
	return c.beginCountdown(pendingTurn{c.turn.Turn, c.turn.tries + 1, why, c.env.opts.Now().Add(wait)})
}

func (c *chat) cancelWaiting() tea.Cmd {
	c.trouble, c.resetAsked = "", false
	if c.queued != "" {
		c.unqueueMessage()
		c.checkRetryText()
		return nil
	}
	was := c.state
	if c.advance(eventStop).has(checkTurn) {
		c.unseen = c.turn.Turn
		return c.readUnseen("checking if the message arrived")
	}
	switch {
	case was == stateCountdown:
		c.trouble = "not sent: Enter tries again"
	case was.isOut():
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
	found := len(unseen.Messages) > 0
	if found {
		session, now := c.current.Session, unseen.Session
		session.ID, session.Messages, session.Standing = now.ID, now.Messages, now.Standing
	}
	c.advance(came)
	if !found {
		c.trouble = "stopped: the turn did not count, your text is in the input again"
		return nil
	}
	return c.showUnseen(unseen)
}

func (c *chat) showUnseen(unseen *conversation.Unseen) tea.Cmd {
	told := unseen.TellUnseen()
	last := told[len(told)-1]
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
	c.addEntries(c.messageEntries(c.current.Session, told[:len(told)-1]))
	c.log.AddEntry(c.messageEntry(last.Role, last.Content))
	return c.showChanges(last.Before, unseen.Unlocked)
}
