package lines

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

func (p *player) chooseSession(arg string) error {
	sessions, err := p.requester.Memory.Sessions()
	if err != nil {
		return err
	}
	word, rest, _ := strings.Cut(arg, " ")
	switch word {
	case "":
		p.writePlay("%s", strings.Join(p.sessionLines(sessions), "\n"))
		return nil
	case "name":
		number, label, _ := strings.Cut(strings.TrimSpace(rest), " ")
		return p.withSession(sessions, number, func(k conversation.SavedSession) error {
			return p.nameSession(k, strings.TrimSpace(label))
		})
	case "forget":
		return p.withSession(sessions, rest, p.forgetSession)
	}
	return p.withSession(sessions, arg, func(k conversation.SavedSession) error {
		if err := p.requester.Memory.Remember(k); err != nil {
			return err
		}
		return p.openSaved(k, false)
	})
}

func (p *player) withSession(
	sessions []conversation.SavedSession, number string, do func(conversation.SavedSession) error,
) error {
	n, _ := strconv.Atoi(strings.TrimSpace(number))
	if n < 1 || n > len(sessions) {
		p.writeTalk("Session %q does not exist: /sessions lists the sessions, and /sessions 1 resumes the first.",
			terminal.Clean(number))
		return nil
	}
	return do(sessions[n-1])
}

func (p *player) nameSession(k conversation.SavedSession, label string) error {
	if n := terminal.CountCharacters(label); n > conversation.MaxLabel {
		p.writeTalk("A session's name can have at most %d characters.", conversation.MaxLabel)
		return nil
	}
	if err := p.requester.Memory.Rename(k.Persona, k.UserSessionID, label); err != nil {
		return err
	}
	if label == "" {
		p.writeTalk("The session no longer has a name.")
		return nil
	}
	p.writeTalk("The session is now called %s.", terminal.Clean(label))
	return nil
}

func (p *player) forgetSession(k conversation.SavedSession) error {
	if k.UserSessionID == p.User.Saved.UserSessionID {
		p.writeTalk("This is the current session: /new starts another, /reset clears it.")
		return nil
	}
	if err := p.requester.Memory.Forget(k.Persona, k.UserSessionID); err != nil {
		return err
	}
	p.writeTalk("The session is no longer in the list; its messages stay on the service.")
	return nil
}

func (p *player) sessionLines(sessions []conversation.SavedSession) []string {
	lines := make([]string, len(sessions))
	for i := range sessions {
		row := conversation.DescribeSession(&sessions[i], p.User.Saved.UserSessionID, p.opts.Now())
		lines[i] = fmt.Sprintf("%d. %s, %s", i+1, row.Title, row.About)
		if row.Tag != "" {
			lines[i] += ", " + row.Tag
		}
		lines[i] += "."
		if row.LastWords != "" {
			lines[i] += " Last message: " + row.LastWords
		}
	}
	return lines
}

func (p *player) openSaved(stored conversation.SavedSession, fresh bool) error {
	saved := conversation.SavedSession{PlayerName: stored.PlayerName, PlayerGender: stored.PlayerGender}
	user, err := p.requester.OpenPersona(p.ctx, stored.Persona, saved, fresh)
	if err != nil {
		return err
	}
	return p.switchTo(user)
}

func (p *player) switchTo(user *conversation.UserSession) error {
	return p.openSession(user, "", p.requester.EnterMachine, func(m *conversation.Machine) {
		p.User = user
		p.talkToPerson("Talking to %s%s as %s.",
			user.Persona.CharacterName(), inMachine(m), terminal.Clean(user.Saved.PlayerName))
	})
}

func (p *player) reportEnding(before conversation.Standing, unlocked []string) {
	session := p.Session
	if !session.Standing.IsFinished() {
		return
	}
	if !p.opts.Interactive {
		for _, id := range unlocked {
			m := p.User.Persona.FindMachine(id)
			p.writePlay("Unlocked: %s (%s).", m.Title, terminal.Clean(m.Key))
		}
		return
	}
	p.unlocked = unlocked
	conversation.AddEnding(p.Machines, session, unlocked)
	ending := p.User.CollectEnding(session)
	if err := p.requester.KeepEndings(p.User)(); err != nil {
		p.talkToPerson("The endings that you have found could not be saved: %s",
			conversation.EndSentence(p.requester.ExplainError(err)))
	}
	for _, sentence := range p.User.Persona.TellEnding(session, before, unlocked).Sentences() {
		p.writePlay("%s", sentence)
	}
	for _, sentence := range []string{ending, session.TakeBackHint()} {
		if sentence != "" {
			p.writePlay("%s", sentence)
		}
	}
}

func (p *player) sayEnded() {
	if end := p.EndWords(); end != "" && p.toldEnding != p.Session {
		p.writeTalk("%s", end)
	}
	p.toldEnding = p.Session
	p.writeTalk("%s is over. What now? Write a number; /quit leaves.", p.Session.Machine.Title)
	for i, step := range p.ListNextSteps(p.unlocked) {
		p.writeTalk("%d. %s.", i+1, step.Words)
	}
}

func (p *player) chooseStep(text string) error {
	steps := p.ListNextSteps(p.unlocked)
	n, _ := strconv.Atoi(strings.TrimSpace(text))
	if n < 1 || n > len(steps) {
		quoted := `"` + terminal.CutToWidth(terminal.Clean(text), 30) + `"`
		p.writeTalk("%s is not one of the numbers: this part is over. "+
			"Write a number from 1 to %d, or a command such as /help.", quoted, len(steps))
		p.sayEnded()
		return nil
	}
	return p.reportFailure("the step failed", p.takeStep(steps[n-1]))
}

func (p *player) takeStep(step conversation.NextStep) error {
	switch step.Kind {
	case conversation.GoOn:
		return p.openMachine(step.Machine, p.requester.EnterMachine)
	case conversation.PlayAgain:
		return p.openMachine(step.Machine, p.requester.BeginMachine)
	case conversation.GoBack:
		return p.undo(strconv.Itoa(step.Count))
	case conversation.BeginStory:
		return p.openSaved(p.User.Saved, true)
	}
	return p.askPersona()
}

func (p *player) goOn(unlocked []string) error {
	session := p.Session
	if p.opts.Interactive {
		return nil
	}
	next := p.User.Persona.NextMachine(session.Machine.ID, session.Standing.Outcome, session.Standing.Score, unlocked)
	if next == "" {
		return nil
	}
	p.writePlay("Continuing with %s.", p.User.Persona.FindMachine(next).Title)
	return p.openMachine(next, p.requester.EnterMachine)
}
