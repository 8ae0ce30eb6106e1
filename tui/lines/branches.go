package lines

import (
	"errors"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
)

// UndoTurn takes back the player's last messages. arg is the number of messages. "" means 1.
func (a actions) UndoTurn(arg string) error {
	count, err := conversation.ParseCount(arg)
	if err != nil {
		return a.reportSlip("nothing taken back", err)
	}
	back, err := a.requester.TakeBack(a.ctx, a.User, a.Session, count)
	return a.showMoved(back, "Your message is taken back. You had said: %s. Write what you want to say instead; /redo undoes this.", "nothing taken back", err)
}

// RedoTurn restores what UndoTurn took back.
func (a actions) RedoTurn(string) error {
	back, err := a.requester.RedoTurn(a.ctx, a.User)
	return a.showMoved(back, "%s"+conversation.WordsBroughtBack, "not brought back", err)
}

func (a actions) reportSlip(failed string, err error) error {
	if slip, ok := errors.AsType[conversation.Slip](err); ok {
		a.writeTalk("%s.", conversation.Capitalize(slip.Error()))
		return nil
	}
	return a.reportFailure(failed, err)
}

func (a actions) showMoved(back conversation.TakenBack, format, prefix string, err error) error {
	if err != nil {
		return a.reportSlip(prefix, err)
	}
	words := terminal.Clean(back.Words)
	if words != "" {
		words = strconv.Quote(words)
	}
	a.writeTalk(format, words)
	back.Session.Resumed = false // The player knows where the session continues.
	a.showSession(back.Session, heardOpening{aim: true})
	return nil
}

// RetryTurn takes the last message back and sends it again.
func (a actions) RetryTurn(arg string) error {
	judge := strings.EqualFold(arg, conversation.JudgeAgain)
	if arg != "" && !judge {
		a.writeTalk("The only argument of /retry is %s.", conversation.JudgeAgain)
		return nil
	}
	back, err := a.requester.TakeBack(a.ctx, a.User, a.Session, 1)
	if err != nil {
		return a.reportSlip("message not resent", err)
	}
	a.Session = back.Session
	return a.SendTurn(a.requester.RepeatTurn(back.Words, judge))
}

// ShowBranches lists the branches. If arg is a number, it switches to that branch.
func (a actions) ShowBranches(arg string) error {
	if number, err := strconv.Atoi(arg); err == nil {
		sc, err := a.requester.EnterBranch(a.ctx, a.User, number)
		return a.showMoved(conversation.TakenBack{Session: sc}, "%sYou are in another branch.", "the branch was not changed", err)
	}
	list, err := a.requester.ListBranches(a.ctx, a.User)
	if err != nil {
		return a.reportFailure("the branches could not be read", err)
	}
	a.writePlay("%s", strings.Join(conversation.BranchLines(a.User, list), "\n"))
	return nil
}

// CompareBranches shows where two branches begin to differ.
func (a actions) CompareBranches(arg string) error {
	lines, err := record.CompareBranches(a.ctx, a.requester, a.User, arg)
	if err != nil {
		return a.reportSlip("the branches were not compared", err)
	}
	a.writePlay("%s", strings.Join(lines, "\n"))
	return nil
}

// ForkSession saves the present conversation as a branch.
func (a actions) ForkSession(label string) error {
	if _, err := a.requester.ForkSession(a.ctx, a.User, a.Session, 0, label); err != nil {
		return a.reportFailure("the branch was not saved", err)
	}
	a.writeTalk("Saved as a branch; /branches shows it.")
	return nil
}
