package lines

import (
	"errors"
	"strings"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
)

// actions implements the commands of line mode, with a method for each row of
// conversation.Commands.
type actions struct{ *player }

// ShowHelp lists the commands of line mode. If the input is interactive, it lists the commands for
// authors only in the author's view or if arg requests them.
func (a actions) ShowHelp(arg string) error {
	if !a.opts.Interactive {
		for _, c := range conversation.Commands[error]() {
			if !c.ScreenOnly {
				a.writeTalk("%s: %s", c.LineUsage(), c.Help)
			}
		}
		return nil
	}
	a.listCommands(false)
	if !a.Author && !strings.EqualFold(arg, conversation.HelpForAuthors) {
		a.writeTalk("%s.", conversation.MoreForAuthors)
		return nil
	}
	a.writeTalk("%s:", conversation.AuthorHeading)
	a.listCommands(true)
	return nil
}

func (a actions) listCommands(authors bool) {
	for _, c := range conversation.Commands[error]() {
		if !c.ScreenOnly && c.ForAuthors == authors {
			a.writeTalk("/%s: %s%s", c.Name, c.Help, c.DescribeArgs())
		}
	}
}

// LeaveChat returns errLeave, which ends the play.
func (a actions) LeaveChat(string) error { return errLeave }

// CopyMessage and the next four methods only print that the command needs the full screen.
func (a actions) CopyMessage(string) error { return a.refuseCommand("copy") }

func (a actions) EditMessage(string) error { return a.refuseCommand("editor") }

func (a actions) ChooseTheme(string) error { return a.refuseCommand("theme") }

func (a actions) ShowPanel(string) error { return a.refuseCommand("panel") }

func (a actions) SwitchMouse(string) error { return a.refuseCommand("mouse") }

func (a actions) refuseCommand(command string) error {
	a.writeTalk("/%s needs the full screen: start the chat in a terminal without --plain.", command)
	return nil
}

// GoToMachine enters the machine that arg names. If arg is empty, it lists the machines.
func (a actions) GoToMachine(arg string) error {
	return a.reportFailure("the parts could not be read", a.goToMachine(arg))
}

func (a actions) goToMachine(arg string) error {
	list, _, err := a.requester.ListMachines(a.ctx, a.User)
	if err != nil {
		return err
	}
	if arg == "" {
		a.writePlay("%s", strings.Join(conversation.MachineLines(list, a.Author), "\n"))
		if a.opts.Interactive {
			a.writePlay("You are in %s.", a.Session.Machine.Title)
		}
		return nil
	}
	at, err := conversation.FindListed(list, arg)
	if err != nil { // A mistake of the player; the play continues.
		a.writeTalk("%s.", conversation.Capitalize(err.Error()))
		return nil
	}
	return a.openMachine(at.ID, a.requester.EnterMachine)
}

// ShowProgress prints which parts of the story have ended and which are open.
func (a actions) ShowProgress(string) error {
	list, progress, err := a.requester.ListMachines(a.ctx, a.User)
	if err != nil {
		return a.reportFailure("the progress could not be read", err)
	}
	a.writePlay("%s", strings.Join(a.User.ProgressWords(progress, list, a.Author), "\n"))
	return nil
}

// ShowHistory prints all messages again.
func (a actions) ShowHistory(string) error {
	story, err := a.requester.ReadWholeStory(a.ctx, a.User, a.Session)
	if err != nil {
		return a.reportFailure("the history could not be read", err)
	}
	for _, sc := range story.Chapters {
		named := len(story.Chapters) > 1
		if named {
			a.writePlay("In %s:", sc.Machine.Title)
		}
		a.sayMessages(sc.TellMessages())
		if named && sc.Standing.IsFinished() {
			a.writePlay("%s: %s.", sc.Machine.Title, conversation.EndingOf(sc.Standing.Outcome).Title)
		}
	}
	if len(story.LeftOut) > 0 {
		a.writeTalk("Parts left out because they are too long: %s. /export writes everything.", strings.Join(story.LeftOut, ", "))
	}
	return nil
}

// SearchMessages prints the messages that contain all the words of arg.
func (a actions) SearchMessages(arg string) error {
	if arg == "" {
		a.writeTalk("Write /search and the words to look for.")
		return nil
	}
	story, err := a.requester.ReadWholeStory(a.ctx, a.User, a.Session)
	if err != nil {
		return a.reportFailure("the history could not be read", err)
	}
	found := false
	for _, sc := range story.Chapters {
		said := a.findMessages(sc, arg)
		found = found || len(said) > 0
		if len(said) > 0 && len(story.Chapters) > 1 {
			a.writePlay("In %s:", sc.Machine.Title)
		}
		a.sayMessages(said)
	}
	if !found {
		a.writeTalk("No message contains these words.")
	}
	return nil
}

func (a actions) findMessages(session *conversation.Session, words string) (found []conversation.ToldMessage) {
	for _, m := range session.TellMessages() {
		said := spokenLines(conversation.SpeakerName(a.User, a.Session, m.Role), m.Content)
		if conversation.HasAllWords(strings.ToLower(said), strings.Fields(strings.ToLower(words))) {
			found = append(found, m)
		}
	}
	return found
}

// ResetSession resets the present machine. A person must repeat the command first.
func (a actions) ResetSession(string) error {
	if a.opts.Interactive && !a.resetAsked {
		a.resetAsked = true
		a.writeTalk("%s", conversation.ResetWarning(a.Session.Machine))
		return nil
	}
	a.resetAsked = false
	sc, err := a.requester.ResetMachine(a.ctx, a.User, a.Session.Machine)
	if err != nil {
		return a.reportFailure("not reset", err)
	}
	a.showSession(sc, heardOpening{})
	return nil
}

// ExplainTurns prints how the last turn was judged. In an interactive chat it also switches to the
// author's view.
func (a actions) ExplainTurns(string) error {
	err := a.explainLast(conversation.WhyLines)
	a.Author = a.Author || err == nil && a.opts.Interactive
	return a.reportFailure("no explanation", err)
}

// DirectModel sends the direction arg of the present state. If arg is empty, it lists
// the directions.
func (a actions) DirectModel(arg string) error {
	return a.reportFailure("the direction was not sent", a.directModel(arg))
}

// directModel does the work of DirectModel. A person needs the author's view, and the service must
// confirm the author unless Options.Directed is set.
func (a actions) directModel(arg string) error {
	if a.Session.Standing.IsFinished() {
		a.writeTalk("%s has ended: directions are not possible.", a.Session.Machine.Title)
		return nil
	}
	if a.opts.Interactive && !a.Author {
		a.writeTalk("%s.", conversation.Capitalize(conversation.RefuseDirections("/why")))
		return nil
	}
	if !a.opts.Directed {
		if err := a.requester.CheckDirectable(a.ctx, a.User, a.Session.Machine); err != nil {
			return err
		}
	}
	list := a.Session.Machine.ListDirections(a.Session.Standing)
	if arg == "" {
		a.writePlay("%s", strings.Join(conversation.DirectionLines(list), "\n"))
		return nil
	}
	text, err := conversation.ApplyDirection(list, arg)
	if err != nil { // A mistake of the player; the play continues.
		a.writeTalk("%s.", conversation.Capitalize(err.Error()))
		return nil
	}
	return a.SendTurn(a.requester.NewTurn(text))
}

// ExportRecord writes the conversation to the file arg.
func (a actions) ExportRecord(arg string) error {
	return a.reportSaved(record.ExportRecord(a.ctx, a.requester, a.User, a.opts.Files, a.opts.Now(), arg))
}

// SavePlay writes the conversation to the file arg as a play-through.
func (a actions) SavePlay(arg string) error {
	return a.reportSaved(record.SavePlay(a.ctx, a.requester, a.User, a.opts.Files, arg))
}

func (a actions) reportSaved(said []string, err error) error {
	if errors.Is(err, record.ErrNoFormat) { // A mistake of the player; the play continues.
		a.writeTalk("%s.", conversation.Capitalize(err.Error()))
		return nil
	}
	for _, line := range said {
		a.writeTalk("%s", terminal.Clean(line))
	}
	return a.reportFailure("not saved", err)
}
