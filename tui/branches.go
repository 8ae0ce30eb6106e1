package tui

import (
	"context"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/views"
)

// movedBackMsg moves the conversation to another branch.
type movedBackMsg struct {
	ticket
	back  conversation.TakenBack // back.Words goes into the input, unless the field again is set
	again *conversation.Turn     // the turn to send after the move, or nil
	said  string                 // a note for the player, or ""
}

type branchesReadMsg struct {
	ticket
	lines []string
}

// UndoTurn takes back the player's last messages. arg is the number of messages. "" means 1.
func (c *chat) UndoTurn(arg string) tea.Cmd {
	count, err := conversation.ParseCount(arg)
	if err != nil {
		c.notice.trouble = err.Error()
		return nil
	}
	return c.takeBack(count)
}

func (c *chat) takeBack(count int) tea.Cmd {
	v, sc := c.current.User, c.current.Session
	return c.moveBack("taking back turns", "nothing taken back", conversation.WordsTakenBack, func(ctx context.Context) (conversation.TakenBack, error) {
		return c.env.requester.TakeBack(ctx, v, sc, count)
	})
}

// RedoTurn restores what UndoTurn took back.
func (c *chat) RedoTurn(string) tea.Cmd {
	v := c.current.User
	return c.moveBack("restoring turns", "restore failed", conversation.WordsBroughtBack, func(ctx context.Context) (conversation.TakenBack, error) {
		return c.env.requester.RedoTurn(ctx, v)
	})
}

// RetryTurn takes the last message back and sends it again.
func (c *chat) RetryTurn(arg string) tea.Cmd {
	judge := strings.EqualFold(arg, conversation.JudgeAgain)
	if arg != "" && !judge {
		c.notice.trouble = "the only argument of /retry is " + conversation.JudgeAgain
		return nil
	}
	return c.sayOver(1, func(words string) conversation.Turn { return c.env.requester.RepeatTurn(words, judge) })
}

// takes back the last count messages, and sends the turn that turnOf returns for the first of them.
func (c *chat) sayOver(count int, turnOf func(words string) conversation.Turn) tea.Cmd {
	v, sc := c.current.User, c.current.Session
	return c.talk.ask("taking back turns", func(ctx context.Context, t ticket) tea.Msg {
		back, err := c.env.requester.TakeBack(ctx, v, sc, count)
		if err != nil {
			return failedMsg{ticket: t, what: "message not resent", err: err}
		}
		turn := turnOf(back.Words)
		return movedBackMsg{t, back, &turn, ""}
	})
}

// handleMessageKey handles the keys that take back, reword or fork at an entry of the transcript.
// took is false for all other keys.
func (c *chat) handleMessageKey(msg tea.KeyMsg, entry int) (cmd tea.Cmd, took bool) {
	if !key.Matches(msg, c.env.keys.TakeBack, c.env.keys.Reword, c.env.keys.Fork) {
		return nil, false
	}
	after := 0
	for i := range c.log.Entries[entry:] {
		if c.log.Entries[entry+i].Kind == views.PlayerTurn {
			after++
		}
	}
	c.log.ChooseEntry(-1)
	isReply := c.log.Entries[entry].Kind != views.PlayerTurn
	switch {
	case c.talk.state.isOut():
		c.notice.trouble = c.talk.refusal()
	case key.Matches(msg, c.env.keys.Fork):
		return c.fork(after, ""), true
	case key.Matches(msg, c.env.keys.Reword):
		if isReply {
			after++
		}
		return c.sayOver(after, func(words string) conversation.Turn { return c.env.requester.RepeatTurn(words, false) }), true
	case after == 0:
		c.notice.trouble = "after this reply there is nothing to take back"
	default:
		return c.takeBack(after), true
	}
	return nil, true
}

const editingWords = "your last message: Enter sends the changed text instead, Up shows earlier messages, Esc cancels"

func (d *dialogue) checkEditing(begins bool) {
	last := len(d.input.History.Said) - 1
	switch {
	case d.input.History.At != last || d.input.Text() == "":
		d.editing = false
	case begins && d.state == stateIdle:
		d.editing = d.isLastMessage(d.input.Text())
	}
	if d.editing {
		d.notice.news = editingWords
	}
}

func (d *dialogue) isLastMessage(text string) bool {
	said := sentMessages(d.current.Session.Messages)
	return len(said) > 0 && said[len(said)-1] == text
}

// ShowBranches lists the branches. If arg is a number, it switches to that branch.
func (c *chat) ShowBranches(arg string) tea.Cmd {
	v := c.current.User
	if number, err := strconv.Atoi(arg); err == nil {
		return c.moveBack("changing the branch", "the branch was not changed", "", func(ctx context.Context) (conversation.TakenBack, error) {
			sc, err := c.env.requester.EnterBranch(ctx, v, number)
			return conversation.TakenBack{Session: sc}, err
		})
	}
	return c.talk.ask("reading the branches", func(ctx context.Context, t ticket) tea.Msg {
		list, err := c.env.requester.ListBranches(ctx, v)
		if err != nil {
			return failedMsg{ticket: t, what: "the branches could not be read", err: err}
		}
		return branchesReadMsg{t, conversation.BranchLines(v, list)}
	})
}

// CompareBranches shows where two branches begin to differ.
func (c *chat) CompareBranches(arg string) tea.Cmd {
	v := c.current.User
	return c.talk.ask("comparing", func(ctx context.Context, t ticket) tea.Msg {
		lines, err := record.CompareBranches(ctx, c.env.requester, v, arg)
		if err != nil {
			return failedMsg{ticket: t, what: "the branches were not compared", err: err}
		}
		return branchesReadMsg{t, lines}
	})
}

// ForkSession saves the present conversation as a branch.
func (c *chat) ForkSession(label string) tea.Cmd { return c.fork(0, label) }

func (c *chat) fork(count int, label string) tea.Cmd {
	v, sc := c.current.User, c.current.Session
	return c.talk.ask("branching", func(ctx context.Context, t ticket) tea.Msg {
		if _, err := c.env.requester.ForkSession(ctx, v, sc, count, label); err != nil {
			return failedMsg{ticket: t, what: "the branch was not saved", err: err}
		}
		return branchesReadMsg{t, []string{"Saved as a branch; /branches shows it."}}
	})
}

// calls do to switch to another branch. The title describes the pending request, and prefix begins
// the text of an error.
func (c *chat) moveBack(title, prefix, note string, do func(context.Context) (conversation.TakenBack, error)) tea.Cmd {
	return c.talk.ask(title, func(ctx context.Context, t ticket) tea.Msg {
		back, err := do(ctx)
		if err != nil {
			return failedMsg{ticket: t, what: prefix, err: err}
		}
		return movedBackMsg{t, back, nil, note}
	})
}

func (d *dialogue) showMovedBack(msg movedBackMsg) tea.Cmd {
	if !d.expects(msg.ticket) {
		return nil
	}
	d.replay = nil
	cmd := d.switchSession(sessionOpenedMsg{msg.ticket, msg.back.Session, false})
	switch {
	case msg.again != nil:
		d.log.RemoveNote(goingOn)
		if d.editing {
			d.editing = false
			d.input.TakeText()
		}
		return tea.Batch(cmd, d.sendTurn(*msg.again))
	case msg.back.Words != "":
		d.releaseHeld()
		if strings.TrimSpace(d.input.Text()) != "" {
			d.input.Clear()
			d.notice.news = "Up brings back what you were writing"
		}
		d.input.SetText(views.EscapeSlash(msg.back.Words))
	}
	if msg.said != "" {
		d.log.RemoveNote(goingOn)
		d.log.AddNote(msg.said, views.ToneNews)
		d.log.ScrollToEnd()
	}
	return cmd
}

func (d *dialogue) showBranches(msg branchesReadMsg) {
	if !d.expects(msg.ticket) {
		return
	}
	d.advance(eventAnswer)
	d.log.AddNote(strings.Join(msg.lines, "\n"), views.ToneNews)
	d.log.ScrollToEnd()
}
