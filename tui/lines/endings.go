package lines

import (
	"strconv"
	"strings"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

func (p *player) reportEnding(before conversation.Standing, unlocked []string) {
	sc := p.Session
	if !sc.Standing.IsFinished() {
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
	conversation.AddEnding(p.Machines, sc, unlocked)
	found := p.User.CollectEnding(sc)
	if err := p.requester.KeepEndings(p.User)(); err != nil {
		p.talkToPerson("The endings that you have found could not be saved: %s", conversation.EndSentence(p.requester.ExplainError(err)))
	}
	for _, said := range p.User.Persona.TellEnding(sc, before, unlocked).Sentences() {
		p.writePlay("%s", said)
	}
	for _, said := range []string{found, sc.TakeBackHint()} {
		if said != "" {
			p.writePlay("%s", said)
		}
	}
}

func (p *player) sayEnded() {
	if end := p.EndWords(); end != "" && p.told != p.Session {
		p.writeTalk("%s", end)
	}
	p.told = p.Session
	p.writeTalk("%s is over. What now? Write a number; /quit leaves.", p.Session.Machine.Title)
	for i, step := range p.ListNextSteps(p.unlocked) {
		p.writeTalk("%d. %s.", i+1, step.Words)
	}
}

func (p *player) chooseStep(text string) error {
	steps := p.ListNextSteps(p.unlocked)
	n, _ := strconv.Atoi(strings.TrimSpace(text)) // 0 if text is not a number
	if n < 1 || n > len(steps) {
		quoted := `"` + terminal.CutToWidth(terminal.Clean(text), 30) + `"`
		p.writeTalk("%s is not one of the numbers: this part is over. Write a number from 1 to %d, or a command such as /help.", quoted, len(steps))
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
	sc := p.Session
	if p.opts.Interactive {
		return nil
	}
	next := p.User.Persona.NextMachine(sc.Machine.ID, sc.Standing.Outcome, sc.Standing.Score, unlocked)
	if next == "" {
		return nil
	}
	p.writePlay("Continuing with %s.", p.User.Persona.FindMachine(next).Title)
	return p.openMachine(next, p.requester.EnterMachine)
}
