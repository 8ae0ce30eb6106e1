package tui

import (
	"context"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
)

// movedBackMsg moves the conversation to another branch. words go into the input, again sends them,
// and said is a note for the player.
type movedBackMsg struct {
	ticket
	back  conversation.TakenBack
	again *conversation.Turn
	said  string
}

// branchesReadMsg: the branches of the conversation as lines.
type branchesReadMsg struct {
	ticket
	lines []string
}

// UndoTurn takes messages back.
func (a *actions) UndoTurn(arg string) tea.Cmd {
	count, err := conversation.ParseCount(arg)
	if err != nil {
		a.trouble = err.Error()
		return nil
	}
	v, sc := a.User, a.Session
	return a.moveBack("taking it back", "not taken back", conversation.WordsTakenBack, func(ctx context.Context) (conversation.TakenBack, error) {
		return a.requester.TakeBack(ctx, v, sc, count)
	})
}

// RedoTurn brings back what was taken back.
func (a *actions) RedoTurn(string) tea.Cmd {
	v := a.User
	return a.moveBack("bringing it back", "not brought back", conversation.WordsBroughtBack, func(ctx context.Context) (conversation.TakenBack, error) {
		return a.requester.RedoTurn(ctx, v)
	})
}

// RetryTurn takes the last message back and says it again.
func (a *actions) RetryTurn(arg string) tea.Cmd {
	judge := strings.EqualFold(arg, conversation.JudgeAgain)
	if arg != "" && !judge {
		a.trouble = "/retry takes " + conversation.JudgeAgain + " or nothing, not " + terminal.Clean(arg)
		return nil
	}
	v, sc := a.User, a.Session
	return a.askBesides("taking it back", func(ctx context.Context, t ticket) tea.Msg {
		back, err := a.requester.TakeBack(ctx, v, sc, 1)
		if err != nil {
			return failedMsg{t, "", "not said again", err}
		}
		turn := a.requester.RepeatTurn(back.Words, judge)
		return movedBackMsg{t, back, &turn, ""}
	})
}

// ShowBranches lists the branches, or goes to the one of a number.
func (a *actions) ShowBranches(arg string) tea.Cmd {
	v := a.User
	if number, err := strconv.Atoi(arg); err == nil {
		return a.moveBack("going there", "not gone there", "", func(ctx context.Context) (conversation.TakenBack, error) {
			sc, err := a.requester.EnterBranch(ctx, v, number)
			return conversation.TakenBack{Session: sc}, err
		})
	}
	return a.askBesides("reading the branches", func(ctx context.Context, t ticket) tea.Msg {
		list, err := a.requester.ListBranches(ctx, v)
		if err != nil {
			return failedMsg{t, "", "the branches could not be read", err}
		}
		return branchesReadMsg{t, conversation.BranchLines(v, list)}
	})
}

// CompareBranches shows where two branches part.
func (a *actions) CompareBranches(arg string) tea.Cmd {
	v := a.User
	return a.askBesides("comparing", func(ctx context.Context, t ticket) tea.Msg {
		lines, err := record.CompareBranches(ctx, a.requester, v, arg)
		if err != nil {
			return failedMsg{t, "", "not compared", err}
		}
		return branchesReadMsg{t, lines}
	})
}

// ForkSession keeps the present conversation as a branch.
func (a *actions) ForkSession(label string) tea.Cmd {
	v, sc := a.User, a.Session
	return a.askBesides("branching", func(ctx context.Context, t ticket) tea.Msg {
		if _, err := a.requester.ForkSession(ctx, v, sc, label); err != nil {
			return failedMsg{t, "", "not branched", err}
		}
		return branchesReadMsg{t, []string{"Kept as a branch; /branches shows it."}}
	})
}

// moveBack goes to another branch and says so.
func (a *actions) moveBack(doing, failed, said string, do func(context.Context) (conversation.TakenBack, error)) tea.Cmd {
	return a.askBesides(doing, func(ctx context.Context, t ticket) tea.Msg {
		back, err := do(ctx)
		if err != nil {
			return failedMsg{t, "", failed, err}
		}
		return movedBackMsg{t, back, nil, said}
	})
}

// showMovedBack shows the conversation in its present branch.
func (d *dialogue) showMovedBack(msg movedBackMsg) tea.Cmd {
	if msg.ticket != d.currentTicket() {
		return nil
	}
	d.replay = nil
	cmd := d.switchSession(sessionOpenedMsg{msg.ticket, msg.back.Session, false})
	switch {
	case msg.again != nil:
		return tea.Batch(cmd, d.SendTurn(*msg.again, 0))
	case msg.back.Words != "" && !d.hasInput():
		d.input.SetText(msg.back.Words)
	}
	if msg.said != "" {
		d.log.RemoveNote(goingOn)
		d.log.AddNote(msg.said, transcript.ToneNews)
		d.log.ScrollToEnd()
	}
	return cmd
}

// showBranches shows the branches in the transcript.
func (d *dialogue) showBranches(msg branchesReadMsg) {
	if !d.takeExpected(msg.ticket) {
		return
	}
	d.log.AddNote(strings.Join(msg.lines, "\n"), transcript.ToneNews)
	d.log.ScrollToEnd()
}
