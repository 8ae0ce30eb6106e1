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

func (c *chat) undo(arg string) tea.Cmd {
	count, err := conversation.ParseCount(arg)
	if err != nil {
		c.trouble = err.Error()
		return nil
	}
	return c.takeBack(count)
}

func (c *chat) takeBack(count int) tea.Cmd {
	user, session := c.current.User, c.current.Session
	return c.moveBack("taking back turns", "nothing taken back", conversation.WordsTakenBack,
		func(ctx context.Context) (conversation.TakenBack, error) {
			return c.env.requester.TakeBack(ctx, user, session, count)
		})
}

func (c *chat) redo() tea.Cmd {
	user := c.current.User
	return c.moveBack("restoring turns", "restore failed", conversation.WordsBroughtBack,
		func(ctx context.Context) (conversation.TakenBack, error) {
			return c.env.requester.RedoTurn(ctx, user)
		})
}

func (c *chat) retry(arg string) tea.Cmd {
	judge := strings.EqualFold(arg, conversation.JudgeAgain)
	if arg != "" && !judge {
		c.trouble = "the only argument of /retry is " + conversation.JudgeAgain
		return nil
	}
	return c.takeBackAndSend(1, func(words string) conversation.Turn {
		return c.env.requester.RepeatTurn(words, judge)
	})
}

func (c *chat) takeBackAndSend(count int, turnOf func(words string) conversation.Turn) tea.Cmd {
	user, session := c.current.User, c.current.Session
	return c.ask("taking back turns", "message not resent", func(ctx context.Context) (func() tea.Cmd, error) {
		back, err := c.env.requester.TakeBack(ctx, user, session, count)
		return func() tea.Cmd {
			cmd := c.switchSession(back.Session, false)
			c.log.RemoveNote(goingOn)
			if c.editing {
				c.editing = false
				c.input.TakeText()
			}
			return tea.Batch(cmd, c.sendTurn(turnOf(back.Words)))
		}, err
	})
}

func (c *chat) handleMessageKey(msg tea.KeyMsg, entry int) (cmd tea.Cmd, handled bool) {
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
		repeat := func(words string) conversation.Turn { return c.env.requester.RepeatTurn(words, false) }
		return c.takeBackAndSend(after, repeat), true
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
	messages := sentMessages(c.current.Session.Messages)
	return len(messages) > 0 && messages[len(messages)-1] == text
}

func (c *chat) showBranches(arg string) tea.Cmd {
	user := c.current.User
	if number, err := strconv.Atoi(arg); err == nil {
		return c.moveBack("changing the branch", "the branch was not changed", "",
			func(ctx context.Context) (conversation.TakenBack, error) {
				session, err := c.env.requester.EnterBranch(ctx, user, number)
				return conversation.TakenBack{Session: session}, err
			})
	}
	return c.askLines("reading the branches", "the branches could not be read",
		func(ctx context.Context) ([]string, error) {
			list, err := c.env.requester.ListBranches(ctx, user)
			return conversation.BranchLines(user, list), err
		})
}

func (c *chat) compareBranches(arg string) tea.Cmd {
	user := c.current.User
	return c.askLines("comparing", "the branches were not compared", func(ctx context.Context) ([]string, error) {
		return record.CompareBranches(ctx, c.env.requester, user, arg)
	})
}

func (c *chat) fork(count int, label string) tea.Cmd {
	user, session := c.current.User, c.current.Session
	return c.askLines("branching", "the branch was not saved", func(ctx context.Context) ([]string, error) {
		_, err := c.env.requester.ForkSession(ctx, user, session, count, label)
		return []string{"Saved as a branch; /branches shows it."}, err
	})
}

func (c *chat) askLines(activity, failure string, read func(context.Context) ([]string, error)) tea.Cmd {
	return c.ask(activity, failure, func(ctx context.Context) (func() tea.Cmd, error) {
		lines, err := read(ctx)
		return func() tea.Cmd {
			c.advance(eventAnswer)
			c.tellPlayer(strings.Join(lines, "\n"))
			return nil
		}, err
	})
}

func (c *chat) moveBack(
	activity, failure, note string, move func(context.Context) (conversation.TakenBack, error),
) tea.Cmd {
	return c.ask(activity, failure, func(ctx context.Context) (func() tea.Cmd, error) {
		back, err := move(ctx)
		return func() tea.Cmd { return c.showMovedBack(back, note) }, err
	})
}

func (c *chat) showMovedBack(back conversation.TakenBack, note string) tea.Cmd {
	cmd := c.switchSession(back.Session, false)
	if back.Words != "" {
		if strings.TrimSpace(c.input.Text()) != "" {
			c.input.Clear()
			c.news = "Up brings back what you were writing"
		}
		c.input.SetText(views.EscapeSlash(back.Words))
	}
	if note != "" {
		c.log.RemoveNote(goingOn)
		c.tellPlayer(note)
	}
	return cmd
}
