package lines

import (
	"strconv"
	"strings"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
)

type lineCommand struct {
	run           func(p *player, arg string) error
	failurePrefix string
}

func withoutArg(run func(*player) error) func(*player, string) error {
	return func(p *player, _ string) error { return run(p) }
}

func lineCommands() map[string]lineCommand {
	return map[string]lineCommand{
		"help":      {(*player).showHelp, ""},
		"undo":      {(*player).undo, "nothing taken back"},
		"redo":      {withoutArg((*player).redo), "not brought back"},
		"retry":     {(*player).retry, "message not resent"},
		"branches":  {(*player).showBranches, "the branches could not be read"},
		"compare":   {(*player).compareBranches, "the branches were not compared"},
		"fork":      {(*player).fork, "the branch was not saved"},
		"parts":     {(*player).goToMachine, "the parts could not be read"},
		"personas":  {(*player).choosePersona, "the persona was not changed"},
		"name":      {(*player).rename, "your name could not be saved"},
		"sessions":  {(*player).chooseSession, "the sessions could not be read"},
		"new":       {withoutArg((*player).beginSession), "the session was not started"},
		"progress":  {withoutArg((*player).showProgress), "the progress could not be read"},
		"state":     {withoutArg((*player).showState), "the state could not be read"},
		"history":   {withoutArg((*player).showHistory), "the history could not be read"},
		"search":    {(*player).searchMessages, "the history could not be read"},
		"export":    {(*player).exportRecord, "not saved"},
		"reset":     {withoutArg((*player).resetMachine), "not reset"},
		"quit":      {func(*player, string) error { return errLeave }, ""},
		"save-play": {(*player).savePlay, "not saved"},
		"why":       {withoutArg((*player).explainTurn), "no explanation"},
		"direct":    {(*player).directModel, "the direction was not sent"},
		"update":    {withoutArg((*player).updateSession), "the chat stays in the old version"},
	}
}

func (p *player) runCommand(name, arg string) error {
	command, ok := lineCommands()[name]
	if !ok {
		p.writeTalk("/%s needs the full screen: start the chat in a terminal without --plain.", name)
		return nil
	}
	return p.reportFailure(command.failurePrefix, command.run(p, arg))
}

func (p *player) compareBranches(arg string) error {
	lines, err := record.CompareBranches(p.ctx, p.requester, p.User, arg)
	return p.writeLines(lines, err)
}

func (p *player) beginSession() error { return p.openSaved(p.User.Saved, true) }

func (p *player) exportRecord(arg string) error {
	return p.tellSaved(record.ExportRecord(p.ctx, p.requester, p.User, p.opts.Files, p.opts.Now(), arg))
}

func (p *player) savePlay(arg string) error {
	return p.tellSaved(record.SavePlay(p.ctx, p.requester, p.User, p.opts.Files, arg))
}

func (p *player) writeLines(lines []string, err error) error {
	if err == nil {
		p.writePlay("%s", strings.Join(lines, "\n"))
	}
	return err
}

func (p *player) tellSaved(sentences []string, err error) error {
	for _, line := range sentences {
		p.writeTalk("%s", terminal.Clean(line))
	}
	return err
}

func (p *player) showHelp(arg string) error {
	p.listCommands(false)
	if p.opts.Interactive && !p.Author && !strings.EqualFold(arg, conversation.HelpForAuthors) {
		p.writeTalk("%s.", conversation.MoreForAuthors)
		return nil
	}
	p.writeTalk("%s:", conversation.AuthorHeading)
	p.listCommands(true)
	return nil
}

func (p *player) listCommands(authors bool) {
	for _, c := range conversation.Commands() {
		if !c.ScreenOnly && c.ForAuthors == authors {
			p.writeTalk("/%s: %s%s", c.Name, c.Help, c.DescribeArgs())
		}
	}
}

func (p *player) undo(arg string) error {
	count, err := conversation.ParseCount(arg)
	if err != nil {
		return err
	}
	back, err := p.requester.TakeBack(p.ctx, p.User, p.Session, count)
	if err != nil {
		return err
	}
	p.showMoved(back.Session, "Your message is taken back. You had said: %s. "+
		"Write what you want to say instead; /redo undoes this.",
		strconv.Quote(terminal.Clean(back.Words)))
	return nil
}

func (p *player) redo() error {
	back, err := p.requester.RedoTurn(p.ctx, p.User)
	if err != nil {
		return err
	}
	p.showMoved(back.Session, conversation.WordsBroughtBack)
	return nil
}

func (p *player) showMoved(session *conversation.Session, format string, args ...any) {
	p.writeTalk(format, args...)
	session.Resumed = false
	p.showSession(session, false)
}

func (p *player) retry(arg string) error {
	judge := strings.EqualFold(arg, conversation.JudgeAgain)
	if arg != "" && !judge {
		p.writeTalk("The only argument of /retry is %s.", conversation.JudgeAgain)
		return nil
	}
	back, err := p.requester.TakeBack(p.ctx, p.User, p.Session, 1)
	if err != nil {
		return err
	}
	p.Session = back.Session
	return p.reportUnsent(p.sendTurn(p.requester.RepeatTurn(back.Words, judge)))
}

func (p *player) showBranches(arg string) error {
	number, err := strconv.Atoi(arg)
	if err != nil {
		list, err := p.requester.ListBranches(p.ctx, p.User)
		return p.writeLines(conversation.BranchLines(p.User, list), err)
	}
	sc, err := p.requester.EnterBranch(p.ctx, p.User, number)
	if err == nil {
		p.showMoved(sc, "You are in another branch.")
	}
	return err
}

func (p *player) fork(label string) error {
	_, err := p.requester.ForkSession(p.ctx, p.User, p.Session, 0, label)
	if err == nil {
		p.writeTalk("Saved as a branch; /branches shows it.")
	}
	return err
}

func (p *player) goToMachine(arg string) error {
	list, _, err := p.requester.ListMachines(p.ctx, p.User)
	if err != nil {
		return err
	}
	if arg == "" {
		p.writePlay("%s", strings.Join(conversation.MachineLines(list, p.Author), "\n"))
		if p.opts.Interactive {
			p.writePlay("You are in %s.", p.Session.Machine.Title)
		}
		return nil
	}
	listed, err := conversation.FindListed(list, arg)
	if err != nil {
		return err
	}
	return p.openMachine(listed.ID, p.requester.EnterMachine)
}

func (p *player) showProgress() error {
	list, progress, err := p.requester.ListMachines(p.ctx, p.User)
	return p.writeLines(p.User.ProgressWords(progress, list, p.Author), err)
}

func (p *player) showHistory() error {
	story, err := p.requester.ReadWholeStory(p.ctx, p.User, p.Session)
	if err != nil {
		return err
	}
	for _, sc := range story.Chapters {
		named := len(story.Chapters) > 1
		if named {
			p.writePlay("In %s:", sc.Machine.Title)
		}
		p.sayMessages(sc, sc.TellMessages())
		if named && sc.Standing.IsFinished() {
			p.writePlay("%s: %s.", sc.Machine.Title, conversation.EndingOf(sc.Standing.Outcome).Title)
		}
	}
	if len(story.LeftOut) > 0 {
		p.writeTalk("Parts left out because they are too long: %s. /export writes everything.",
			strings.Join(story.LeftOut, ", "))
	}
	return nil
}

func (p *player) searchMessages(arg string) error {
	if arg == "" {
		p.writeTalk("Write /search and the words to look for.")
		return nil
	}
	story, err := p.requester.ReadWholeStory(p.ctx, p.User, p.Session)
	if err != nil {
		return err
	}
	hasMatch := false
	for _, sc := range story.Chapters {
		messages := p.findMessages(sc, arg)
		hasMatch = hasMatch || len(messages) > 0
		if len(messages) > 0 && len(story.Chapters) > 1 {
			p.writePlay("In %s:", sc.Machine.Title)
		}
		p.sayMessages(sc, messages)
	}
	if !hasMatch {
		p.writeTalk("No message contains these words.")
	}
	return nil
}

func (p *player) findMessages(session *conversation.Session, words string) (matches []conversation.ToldMessage) {
	terms := strings.Fields(strings.ToLower(words))
	for _, m := range session.TellMessages() {
		text := spokenLines(conversation.SpeakerName(p.User, session, m.Role), m.Content)
		if conversation.HasAllWords(strings.ToLower(text), terms) {
			matches = append(matches, m)
		}
	}
	return matches
}

func (p *player) resetMachine() error {
	if p.opts.Interactive && !p.resetAsked {
		p.resetAsked = true
		p.writeTalk("%s", conversation.ResetWarning(p.Session.Machine))
		return nil
	}
	p.resetAsked = false
	sc, err := p.requester.ResetMachine(p.ctx, p.User, p.Session.Machine)
	if err == nil {
		p.showSession(sc, true)
	}
	return err
}

func (p *player) explainTurn() error {
	err := p.explainLast(conversation.WhyLines)
	if err == nil && p.opts.Interactive {
		p.Author = true
	}
	return err
}

func (p *player) directModel(arg string) error {
	if p.Session.Standing.IsFinished() {
		p.writeTalk("%s has ended: directions are not possible.", p.Session.Machine.Title)
		return nil
	}
	if p.opts.Interactive && !p.Author {
		p.writeTalk("%s.", conversation.Capitalize(conversation.RefuseDirections("/why")))
		return nil
	}
	if !p.opts.Directed {
		if err := p.requester.CheckDirectable(p.ctx, p.User, p.Session.Machine); err != nil {
			return err
		}
	}
	list := p.Session.Machine.ListDirections(p.Session.Standing)
	if arg == "" {
		p.writePlay("%s", strings.Join(conversation.DirectionLines(list), "\n"))
		return nil
	}
	text, err := conversation.ApplyDirection(list, arg)
	if err != nil {
		return err
	}
	return p.sendTurn(p.requester.NewTurn(text))
}

func (p *player) showState() error {
	session := p.Session
	list, _, err := p.requester.ListMachines(p.ctx, p.User)
	if err != nil {
		return err
	}
	p.reportStanding(conversation.Standing{Redirects: -1, Score: session.Standing.Score})
	if words := session.Machine.TriesWords(session.Standing); words != "" && !p.opts.Interactive {
		p.writePlay("%s.", conversation.Capitalize(words))
	}
	if p.Author {
		if !session.Standing.IsFinished() {
			for _, e := range session.Machine.ListWaysOut(session.Standing.State) {
				p.writePlay("%s", describeWay(e))
			}
		}
		for _, hint := range session.ListUnlockHints(p.User.Persona, list) {
			p.writePlay("%s opens %s.", hint.Title, hint.Words)
		}
	}
	p.writePlay("%s", strings.Join(conversation.MachineLines(list, p.Author), "\n"))
	return nil
}

func describeWay(e conversation.WayOut) string {
	parts := []string{strings.TrimPrefix(e.Words, conversation.EndSign)}
	if e.To != nil {
		parts[0] = "to " + e.To.Title
	}
	if e.Label != "" {
		parts = append(parts, "by a "+e.Label)
	}
	if e.Delta != 0 {
		points := conversation.CountWords(max(e.Delta, -e.Delta), "point")
		if e.Delta < 0 {
			points += " less"
		} else {
			points += " more"
		}
		parts = append(parts, points)
	}
	return "From here: " + strings.Join(parts, ", ") + "."
}

func (p *player) takeEdit(e conversation.Edit) {
	if e.Trouble != "" {
		p.writeTalk("%s", e.TroubleWords())
		return
	}
	p.latest = &e
	if p.Session == nil {
		return
	}
	if err := p.updateTo(false); err != nil {
		p.writeTalk("The chat stays in the old version: %s", conversation.EndSentence(p.requester.ExplainError(err)))
	}
}

func (p *player) updateSession() error {
	if p.opts.Edits != nil && p.latest == nil {
		return conversation.ErrNotEdited
	}
	return p.updateTo(true)
}

func (p *player) updateTo(sure bool) error {
	update, err := p.requester.UpdateSession(p.ctx, p.User, p.Session, p.latest, sure)
	if err != nil {
		return err
	}
	p.writeTalk("%s", update.Said)
	if update.Session == nil {
		p.writeTalk("/update continues in the new version from there; otherwise the chat stays in the old version.")
		return nil
	}
	if update.Words != "" {
		p.writeTalk("You had said: %q. Write it again, or write something else.", terminal.Clean(update.Words))
	}
	*p.User = *update.User
	update.Session.Resumed = false
	p.showSession(update.Session, false)
	return nil
}
