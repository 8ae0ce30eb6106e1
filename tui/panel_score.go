package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// panelScore is the score against its threshold, how it went over the turns, and
// the redirects.
func (p *sidePanel) panelScore(width int) []string {
	m, at := p.session.machine, p.session.standing
	lines := []string{p.st.title.Render("Pass or fail"), p.st.faint.Render(endingWords(at.outcome))}
	if m.scoring {
		lines = []string{
			placeApart(p.st.title.Render(capitalize(m.scoreWords(at.score))), p.st.faint.Render(enoughWords(m, at)), width-1),
			p.scoreBar(at.score, m.threshold, width-1),
		}
		if line := p.scoreLine(width - 1); line != "" {
			lines = append(lines, line)
		}
	}
	return append(lines, p.panelRedirects()...)
}

// enoughWords says how far the score is from enough.
func enoughWords(m *machine, at standing) string {
	switch missing := m.threshold - at.score; {
	case at.isFinished():
		return outcomeWords(at.outcome)
	case missing > 0:
		return fmt.Sprintf("%d to go", missing)
	}
	return "enough"
}

// scoreBar shows a score against its threshold; a full bar is enough.
func (p *sidePanel) scoreBar(score, threshold, cells int) string {
	full := cells
	if threshold > 0 {
		full = int(max(min(int64(score)*int64(cells)/int64(threshold), int64(cells)), 0))
	}
	look := p.st.chosen
	if score >= threshold {
		look = p.st.good
	}
	return look.Render(strings.Repeat("━", full)) + p.st.rule.Render(strings.Repeat("─", cells-full))
}

// scoreLine is a sparkline of the score over the turns; "" before there are two.
func (p *sidePanel) scoreLine(width int) string {
	const words = " over %d turns"
	scores := p.listScores(width - len(words) - 3)
	if len(scores) < 3 {
		return ""
	}
	least := min(slices.Min(scores), 0)
	greatest := max(slices.Max(scores), p.session.machine.threshold, least+1)
	line := sparkline(scores, least, greatest, width)
	return p.st.chosen.Render(line) + p.st.faint.Render(fmt.Sprintf(words, len(scores)-1))
}

// listScores are the score at the beginning and after the newest turns, oldest first.
func (p *sidePanel) listScores(most int) []int {
	messages := p.session.messages
	var scores []int
	for i := len(messages) - 1; i >= 0 && len(scores) < most; i-- {
		if messages[i].Role == wire.RoleAssistant {
			scores = append(scores, messages[i].ScoreAtTime)
		}
	}
	slices.Reverse(scores)
	return scores
}

// panelRedirects says how many redirects of the present state are used; nothing
// where they are unlimited.
func (p *sidePanel) panelRedirects() []string {
	at := p.session.standing
	limit := p.session.machine.findState(at.state).maxRedirects
	switch {
	case limit < 0 || at.isFinished():
		return nil
	case at.redirects < 0:
		return []string{p.st.faint.Render(fmt.Sprintf("At most %s here", redirectsOf(limit)))}
	case at.redirects >= limit:
		return []string{p.st.bad.Render("No redirects left") + p.st.faint.Render(fmt.Sprintf(" of %d", limit))}
	}
	return []string{p.st.faint.Render(fmt.Sprintf("%d of %s used", at.redirects, redirectsOf(limit)))}
}

func redirectsOf(n int) string {
	if n == 1 {
		return "1 redirect"
	}
	return fmt.Sprintf("%d redirects", n)
}

// panelOpens is how far it is from here to the machines that this one unlocks, as
// far as the persona is public.
func (p *sidePanel) panelOpens(width int) []string {
	ways := p.session.listUnlockHints(p.user.persona, p.machines)
	if len(ways) == 0 {
		return nil
	}
	lines := []string{p.st.title.Render("Opens next")}
	for _, way := range ways {
		lines = append(lines, cutToWidth(way.title, width-1), p.st.faint.Render("  "+cutToWidth(way.words, width-3)))
	}
	return lines
}

// isHinted tells whether panelOpens says all about what opens a machine.
func (p *sidePanel) isHinted(at listedMachine) bool {
	return !slices.ContainsFunc(p.user.persona.links, func(l personas.Link) bool { return l.Target == at.key && !p.session.leadsOn(&l) })
}
