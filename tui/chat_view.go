package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// resize lays the chat out for a window.
func (c *chat) resize(width, height int) {
	c.width, c.height = width, height
	c.layOut()
}

// column is the width that the conversation has beside the side panel.
func (c *chat) column() int {
	if c.width >= panelFrom {
		return c.width - panelWidth
	}
	return c.width
}

// layOut measures what stands below the transcript and gives it the rest.
func (c *chat) layOut() {
	if c.width == 0 {
		return
	}
	c.input.resize(c.column()-1, max(min(6, c.height/4), 1))
	if c.machines != nil {
		c.machines.resize(c.width, c.height-4)
	}
	c.log.resize(c.column(), max(c.height-1-len(c.below()), 1))
}

func (c *chat) view() []string {
	if c.machines != nil {
		return c.machinesView()
	}
	lines := append(c.log.view(), c.below()...)
	if c.width >= panelFrom {
		lines = beside(fit(lines, c.column(), c.height-1), c.panel(c.height-1), c.column())
	}
	return append([]string{c.head()}, lines...)
}

func (c *chat) head() string {
	left := " " + c.st.character.Render(cut(c.visit.cast.characterName(), c.width/2))
	return apart(left+c.st.faint.Render(" · "+c.scene.machine.title), c.st.faint.Render(Clean(c.visit.who.PlayerName))+" ", c.width)
}

// below is everything under the transcript: the rule, what went wrong, the
// input or the ending card, and the status line.
func (c *chat) below() []string {
	lines := []string{c.rule()}
	if c.trouble != "" {
		said := paragraph(c.st.bad, c.trouble, c.column())
		lines = append(lines, said[:min(len(said), 2)]...)
	}
	if c.ending != nil && c.wait == nil {
		lines = append(lines, c.ending.view(c.column(), max(c.height/2-1, 4))...)
	}
	if c.ending == nil || c.typing() {
		lines = append(lines, c.input.view()...)
	}
	return append(lines, c.status())
}

// rule parts the transcript from the input. What is waited for and that there
// is more below are written on it, so that the transcript never jumps for them.
func (c *chat) rule() string {
	left, right := "", ""
	if c.wait != nil {
		left = " " + c.waitWords() + " "
	}
	switch {
	case !c.log.follow && c.wait == nil:
		right = " more below, Esc goes there "
	case !c.log.follow:
		right = " more below "
	}
	room := c.column() - 6
	left = cut(left, room-ansi.StringWidth(right))
	line := strings.Repeat("─", max(room-ansi.StringWidth(left+right), 0))
	return " " + c.st.rule.Render("──") + c.st.chosen.Render(left) + c.st.rule.Render(line+right+"──")
}

// waitWords says what is waited for; dots move, and seconds count from the
// fifth on.
func (c *chat) waitWords() string {
	passed := c.opts.Now().Sub(c.wait.since)
	words := c.wait.words + pad(" "+strings.Repeat(".", 1+int(passed/waitBeat)%3), 4)
	if passed < 5*time.Second {
		return words
	}
	return fmt.Sprintf("%s %d s (Esc)", words, int(passed.Seconds()))
}

// status is the last line: state, score, redirects, news and tokens, and where help
// is. Where there is no room the tokens go first, then the redirects, then the
// score.
func (c *chat) status() string {
	m, at := c.scene.machine, c.scene.at
	state, score, redirects, news := m.state(at.state).title, m.scoreWords(at.score), m.redirectWords(at), ""
	switch {
	case at.finished():
		news = endingWords(at.outcome)
	case at.followUp:
		news = "wants to hear more"
	}
	help := "F1 keys "
	text := c.fitting(len(help), []string{state, score, redirects, news, c.spent.words()}, []string{state, score, redirects, news, c.spent.brief()})
	if text == "" || !c.spent.any() {
		text = c.fitting(0, []string{state, score, redirects, news}, []string{state, score, news}, []string{state, news})
	}
	left := " " + c.st.title.Render(cut(cmp.Or(text, joined([]string{state, news})), c.column()-2))
	return apart(left, c.st.faint.Render(help), c.column())
}

// fitting is the first of some lists that fits into the line beside so many
// cells, "" when none does.
func (c *chat) fitting(beside int, lists ...[]string) string {
	for _, parts := range lists {
		if text := joined(parts); ansi.StringWidth(text) <= c.column()-2-beside {
			return text
		}
	}
	return ""
}

func joined(parts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), " · ")
}

func (c *chat) machinesView() []string {
	lines := []string{header(c.st, "Machines of "+c.visit.cast.characterName(), "", c.width), ""}
	lines = append(lines, c.machines.view()...)
	return append(fit(lines, c.width, c.height-1), " "+c.st.faint.Render(cut("Enter goes there, Esc goes back", c.width-2)))
}

// beside puts the panel at the right of the conversation.
func beside(left, right []string, column int) []string {
	for i := range left {
		left[i] = pad(left[i], column)
		if i < len(right) {
			left[i] += right[i]
		}
	}
	return left
}
