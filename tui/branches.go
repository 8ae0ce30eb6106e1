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

// undo takes back the player's last messages. arg is the number of messages. "" means 1.
func (c *chat) undo(arg string) tea.Cmd {
	count, err := conversation.ParseCount(arg)
	if err != nil {
		c.trouble = err.Error()
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

// redo restores what UndoTurn took back.
func (c *chat) redo() tea.Cmd {
	v := c.current.User
	return c.moveBack("restoring turns", "restore failed", conversation.WordsBroughtBack, func(ctx context.Context) (conversation.TakenBack, error) {
		return c.env.requester.RedoTurn(ctx, v)
	})
}

// retry takes the last message back and sends it again.
func (c *chat) retry(arg string) tea.Cmd {
	judge := strings.EqualFold(arg, conversation.JudgeAgain)
	if arg != "" && !judge {
		c.trouble = "the only argument of /retry is " + conversation.JudgeAgain
		return nil
	}
	return c.sayOver(1, func(words string) conversation.Turn { return c.env.requester.RepeatTurn(words, judge) })
}

// takes back the last count messages, and sends the turn that turnOf returns for the first of them.
func (c *chat) sayOver(count int, turnOf func(words string) conversation.Turn) tea.Cmd {
	v, sc := c.current.User, c.current.Session
	return c.ask("taking back turns", func(ctx context.Context, t ticket) tea.Msg {
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
	case c.state.isOut():
		c.trouble = c.refusal()
	case key.Matches(msg, c.env.keys.Fork):
		return c.fork(after, ""), true
	case key.Matches(msg, c.env.keys.Reword):
		if isReply {
			after++
		}
		return c.sayOver(after, func(words string) conversation.Turn { return c.env.requester.RepeatTurn(words, false) }), true
	case after == 0:
		c.trouble = "after this reply there is nothing to take back"
	default:
		return c.takeBack(after), true
	}
	return nil, true
}

const editingWords = "your last message: Enter sends the changed text instead, Up shows earlier messages, Esc cancels"

func (c *chat) checkEditing(begins bool) {
	last := len(c.input.History.Said) - 1
	switch {
	case c.input.History.At != last || c.input.Text() == "":
		c.editing = false
	case begins && c.state == stateIdle:
		c.editing = c.isLastMessage(c.input.Text())
	}
	if c.editing {
		c.news = editingWords
	}
}

func (c *chat) isLastMessage(text string) bool {
	said := sentMessages(c.current.Session.Messages)
	return len(said) > 0 && said[len(said)-1] == text
}

// showBranches lists the branches. If arg is a number, it switches to that branch.
func (c *chat) showBranches(arg string) tea.Cmd {
	v := c.current.User
	if number, err := strconv.Atoi(arg); err == nil {
		return c.moveBack("changing the branch", "the branch was not changed", "", func(ctx context.Context) (conversation.TakenBack, error) {
			sc, err := c.env.requester.EnterBranch(ctx, v, number)
			return conversation.TakenBack{Session: sc}, err
		})
	}
	return c.ask("reading the branches", func(ctx context.Context, t ticket) tea.Msg {
		list, err := c.env.requester.ListBranches(ctx, v)
		if err != nil {
			return failedMsg{ticket: t, what: "the branches could not be read", err: err}
		}
		return branchesReadMsg{t, conversation.BranchLines(v, list)}
	})
}

// compareBranches shows where two branches begin to differ.
func (c *chat) compareBranches(arg string) tea.Cmd {
	v := c.current.User
	return c.ask("comparing", func(ctx context.Context, t ticket) tea.Msg {
		lines, err := record.CompareBranches(ctx, c.env.requester, v, arg)
		if err != nil {
			return failedMsg{ticket: t, what: "the branches were not compared", err: err}
		}
		return branchesReadMsg{t, lines}
	})
}

func (c *chat) fork(count int, label string) tea.Cmd {
	v, sc := c.current.User, c.current.Session
	return c.ask("branching", func(ctx context.Context, t ticket) tea.Msg {
		if _, err := c.env.requester.ForkSession(ctx, v, sc, count, label); err != nil {
			return failedMsg{ticket: t, what: "the branch was not saved", err: err}
		}
		return branchesReadMsg{t, []string{"Saved as a branch; /branches shows it."}}
	})
}

// calls do to switch to another branch. The title describes the pending request, and prefix begins
// the text of an error.
func (c *chat) moveBack(title, prefix, note string, do func(context.Context) (conversation.TakenBack, error)) tea.Cmd {
	return c.ask(title, func(ctx context.Context, t ticket) tea.Msg {
		back, err := do(ctx)
		if err != nil {
			return failedMsg{ticket: t, what: prefix, err: err}
		}
		return movedBackMsg{t, back, nil, note}
	})
}

func (c *chat) showMovedBack(msg movedBackMsg) tea.Cmd {
	if !c.expects(msg.ticket) {
		return nil
	}
	c.replay = nil
	cmd := c.switchSession(sessionOpenedMsg{msg.ticket, msg.back.Session, false})
	switch {
	case msg.again != nil:
		c.log.RemoveNote(goingOn)
		if c.editing {
			c.editing = false
			c.input.TakeText()
		}
		return tea.Batch(cmd, c.sendTurn(*msg.again))
	case msg.back.Words != "":
		c.releaseHeld()
		if strings.TrimSpace(c.input.Text()) != "" {
			c.input.Clear()
			c.news = "Up brings back what you were writing"
		}
		c.input.SetText(views.EscapeSlash(msg.back.Words))
	}
	if msg.said != "" {
		c.log.RemoveNote(goingOn)
		c.log.AddNote(msg.said, views.ToneNews)
		c.log.ScrollToEnd()
	}
	return cmd
}

func (c *chat) showLines(msg branchesReadMsg) {
	if !c.expects(msg.ticket) {
		return
	}
	c.advance(eventAnswer)
	c.log.AddNote(strings.Join(msg.lines, "\n"), views.ToneNews)
	c.log.ScrollToEnd()
}
