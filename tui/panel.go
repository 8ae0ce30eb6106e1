package tui

import (
	"strings"
)

// panel is the side panel in height lines: the machine's states with the
// present one marked, the score against its threshold, the redirects, and the
// persona's machines.
func (c *chat) panel(height int) []string {
	machines := append(c.panelTokens(), c.panelMachines()...)
	score := c.panelScore()
	states := c.panelStates(max(height-len(score)-len(machines), 4))
	lines := append(append(states, score...), machines...)
	if len(lines) > height {
		lines = append(lines[:height-1], c.st.faint.Render("…"))
	}
	lines = fit(lines, panelWidth-3, height)
	edge := c.st.rule.Render("│") + " "
	for i := range lines {
		lines[i] = edge + lines[i]
	}
	return lines
}

// panelStates lists the states, as many around the present one as fit.
func (c *chat) panelStates(room int) []string {
	m := c.scene.machine
	lines := []string{c.st.title.Render(cut(m.title, panelWidth-3))}
	at := 0
	for i, s := range m.states {
		if s.key == c.scene.at.state {
			at = i
		}
	}
	room = max(room-2, 3)
	first := 0
	if len(m.states) > room {
		first = max(min(at-room/2, len(m.states)-room), 0)
	}
	for _, s := range m.states[first:min(first+room, len(m.states))] {
		lines = append(lines, c.panelState(&s))
	}
	return append(lines, "")
}

func (c *chat) panelState(s *state) string {
	mark, look := "○ ", c.st.faint
	if s.terminal {
		mark = "◇ "
	}
	if s.key == c.scene.at.state {
		look = c.st.chosen
		if mark = "● "; s.terminal {
			mark = "◆ "
		}
	}
	return look.Render(mark + cut(s.title, panelWidth-6))
}

func (c *chat) panelScore() []string {
	m, at := c.scene.machine, c.scene.at
	if !m.scoring {
		lines := []string{c.st.title.Render("Pass or fail"), c.st.faint.Render(endingWords(at.outcome)), ""}
		return c.withRedirects(lines)
	}
	return c.withRedirects([]string{c.st.title.Render(capital(m.scoreWords(at.score))), c.bar(at.score, m.threshold), ""})
}

func (c *chat) withRedirects(lines []string) []string {
	if words := c.scene.machine.redirectWords(c.scene.at); words != "" {
		lines[len(lines)-1] = capital(words)
		lines = append(lines, "")
	}
	return lines
}

// bar shows a score against its threshold; a full bar is enough.
func (c *chat) bar(score, threshold int) string {
	const cells = panelWidth - 6
	full := cells
	if threshold > 0 {
		full = max(min(score*cells/threshold, cells), 0)
	}
	look := c.st.chosen
	if score >= threshold {
		look = c.st.good
	}
	return look.Render(strings.Repeat("━", full)) + c.st.faint.Render(strings.Repeat("╌", cells-full))
}

func (c *chat) panelMachines() []string {
	if len(c.progress) == 0 {
		return nil
	}
	lines := []string{c.st.title.Render("Machines")}
	for _, at := range c.progress {
		lines = append(lines, c.panelMachine(at)...)
	}
	return lines
}

func (c *chat) panelMachine(at place) []string {
	mark, look := "○ ", c.st.text
	switch at.status {
	case placeLocked:
		mark, look = "× ", c.st.faint
	case placeRunning:
		mark = "◐ "
	case placeEnded:
		mark = "✓ "
	}
	if at.id == c.scene.machine.id {
		look = c.st.chosen
	}
	words := at.words()
	if words == "begun" && at.id == c.scene.machine.id {
		words = "here"
	}
	lines := []string{apart(look.Render(mark+cut(at.title, panelWidth-8-len(words))), c.st.faint.Render(words), panelWidth-4)}
	if at.status != placeLocked || at.hint == "" {
		return lines
	}
	for _, line := range wrap(at.hint, panelWidth-6) {
		lines = append(lines, c.st.faint.Render("  "+line))
	}
	return lines
}
