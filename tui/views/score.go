package views

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

func (p *Panel) panelScore(width int) []string {
	m, at := p.Session.Machine, p.Session.Standing
	how := "still going"
	if at.Outcome != "" {
		how = conversation.EndingOf(at.Outcome).Short
	}
	lines := []string{p.St.Title.Render("Pass or fail"), p.St.Faint.Render(how)}
	if m.Scoring {
		lines = []string{
			terminal.PlaceApart(p.St.Title.Render(conversation.Capitalize(m.ScoreWords(at.Score))), p.St.Faint.Render(enoughWords(m, at)), width-1),
			p.scoreBar(at.Score, m.Threshold, width-1),
		}
		if line := p.scoreLine(width - 1); line != "" {
			lines = append(lines, line)
		}
	}
	return append(lines, p.panelRedirects()...)
}

func enoughWords(m *conversation.Machine, at conversation.Standing) string {
	switch missing := m.Threshold - at.Score; {
	case at.IsFinished():
		return conversation.EndingOf(at.Outcome).Short
	case missing > 0:
		return fmt.Sprintf("%d to go", missing)
	}
	return "enough"
}

func (p *Panel) scoreBar(score, threshold, cells int) string {
	full := cells
	if threshold > 0 {
		full = int(max(min(int64(score)*int64(cells)/int64(threshold), int64(cells)), 0))
	}
	look := p.St.Chosen
	if score >= threshold {
		look = p.St.Good
	}
	return look.Render(strings.Repeat("━", full)) + p.St.Rule.Render(strings.Repeat("─", cells-full))
}

func (p *Panel) scoreLine(width int) string {
	const words = " over %d turns"
	scores := p.listScores(width - len(words) - 3)
	if len(scores) < 3 {
		return ""
	}
	least := min(slices.Min(scores), 0)
	greatest := max(slices.Max(scores), p.Session.Machine.Threshold, least+1)
	line := sparkline(scores, least, greatest, width)
	return p.St.Chosen.Render(line) + p.St.Faint.Render(fmt.Sprintf(words, len(scores)-1))
}

// listScores returns the last scores at the beginning and after each turn, oldest first, at most as
// many as most.
func (p *Panel) listScores(most int) []int {
	messages := p.Session.Messages
	var scores []int
	for i := len(messages) - 1; i >= 0 && len(scores) < most; i-- {
		if messages[i].Role == wire.RoleAssistant {
			scores = append(scores, messages[i].ScoreAtTime)
		}
	}
	slices.Reverse(scores)
	return scores
}

func (p *Panel) panelRedirects() []string {
	at := p.Session.Standing
	limit := p.Session.Machine.FindState(at.State).MaxRedirects
	switch {
	case limit < 0 || at.IsFinished():
		return nil
	case at.Redirects < 0:
		return []string{p.St.Faint.Render(fmt.Sprintf("At most %s here", conversation.CountWords(limit, "redirect")))}
	case at.Redirects >= limit:
		return []string{p.St.Bad.Render("No redirects left") + p.St.Faint.Render(fmt.Sprintf(" of %d", limit))}
	}
	return []string{p.St.Faint.Render(fmt.Sprintf("%d of %s used", at.Redirects, conversation.CountWords(limit, "redirect")))}
}

func (p *Panel) panelOpens(width int) []string {
	ways := p.Session.ListUnlockHints(p.User.Persona, p.Machines)
	if len(ways) == 0 {
		return nil
	}
	lines := []string{p.St.Title.Render("Opens next")}
	for _, way := range ways {
		lines = append(lines, terminal.CutToWidth(way.Title, width-1), p.St.Faint.Render("  "+terminal.CutToWidth(way.Words, width-3)))
	}
	return lines
}

func (p *Panel) isHinted(at conversation.ListedMachine) bool {
	return !slices.ContainsFunc(p.User.Persona.Links, func(l personas.Link) bool { return l.Target == at.Key && !p.Session.LeadsOn(&l) })
}
