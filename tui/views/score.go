package views

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

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
