package views

import (
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

const maxGoal = 4

func (p *Panel) playerGoal(width int) []string {
	m := p.Session.Machine
	if m.Goal == "" {
		return []string{p.St.Title.Render(terminal.CutToWidth(m.Title, width-1))}
	}
	lines := []string{p.St.Title.Render("Your aim")}
	for _, line := range WrapShort(p.St.Text, m.Goal, width+1, maxGoal) {
		lines = append(lines, line[1:])
	}
	return lines
}

func (p *Panel) playerScore(width int) []string {
	m, at := p.Session.Machine, p.Session.Standing
	var lines []string
	if at.IsFinished() && !p.Beside {
		lines = append(lines, p.St.EndingStyle(conversation.EndingOf(at.Outcome).Kind).Render(conversation.EndingOf(at.Outcome).Title))
	}
	if m.Scoring {
		for _, line := range terminal.WrapText(conversation.Capitalize(m.ScoreWords(at.Score)), width-1) {
			lines = append(lines, p.St.Title.Render(line))
		}
		lines = append(lines, p.scoreBar(at.Score, m.Threshold, width-1))
	}
	if left := m.CountTries(at); left > 0 {
		lines = append(lines, p.St.TriesStyle(left).Render(conversation.Capitalize(playwords.Tries(left))))
	}
	if rule := m.FreeTalk(at); rule != "" {
		for _, line := range terminal.WrapText(rule, width-1) {
			lines = append(lines, p.St.Faint.Render(line))
		}
	}
	return lines
}

func (p *Panel) playerPlaces(width int) []string {
	been, _ := p.visitedStates()
	states := p.Session.Machine.ShownStates(p.Session.Standing.State)
	lines := []string{p.St.Title.Render("Where you have been")}
	for i := range states {
		if s := &states[i]; been[s.Key] && s.Key != p.Session.Standing.State {
			lines = append(lines, WrapMarked(p.St.Faint, "✓ ", s.Title, width-1, maxMarked)...)
		}
	}
	here := p.Session.Machine.FindState(p.Session.Standing.State).Title
	return append(lines, WrapMarked(p.St.Chosen, "● ", here, width-1, maxMarked)...)
}

const maxMarked = 3
