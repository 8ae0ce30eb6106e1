package views

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

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

// maxMarked is the maximum number of lines of a state's title.
const maxMarked = 3

func (p *Panel) playerParts(width int) []string {
	if len(p.Machines) < 2 {
		return nil
	}
	var rows []string
	for _, at := range p.Machines {
		rows = append(rows, p.playerPart(at, width))
	}
	count := p.St.Faint.Render(fmt.Sprintf("%d of %d ended", conversation.CountPlayed(p.Machines), len(p.Machines)))
	return append([]string{terminal.PlaceApart(p.St.Title.Render("Parts"), count, width-1)}, rows...)
}

func statusBeside(at conversation.ListedMachine, title string, width int) string {
	words := at.StatusWords()
	if ansi.StringWidth(title)+len(words) > width-5 {
		words, _, _ = strings.Cut(words, ", ")
	}
	return words
}

func (p *Panel) playerPart(at conversation.ListedMachine, width int) string {
	title, look := at.ShownTitle(false), p.St.Text
	words := statusBeside(at, title, width)
	mark := at.StatusMark()
	switch {
	case at.ID == p.Session.Machine.ID:
		look = p.St.Chosen
		if at.Status == conversation.MachineBegun {
			words = "here"
		}
	case at.Status == conversation.MachineLocked:
		look = p.St.Faint
	}
	return terminal.PlaceApart(look.Render(mark+" "+terminal.CutToWidth(title, width-5-len(words))), p.St.Faint.Render(words), width-1)
}
