package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// resize lays the chat out for a window.
func (c *chat) resize(width, height int) {
	c.width, c.height = width, height
	c.layOut()
}

// column is the width that the conversation has beside the side panel.
func (c *chat) column() int { return c.width - c.sideWidth() }

// sideWidth is the side panel's, 0 where there is no room for one; then the
// status line says state and score.
func (c *chat) sideWidth() int {
	switch {
	case c.width < panelFrom:
		return 0
	case c.width < panelFrom+50:
		return 34
	}
	return 42
}

// layOut measures what stands below the transcript and gives it the rest.
func (c *chat) layOut() {
	if c.width == 0 {
		return
	}
	c.input.resize(c.column()-1, max(min(6, c.height/4), 1))
	if c.over != nil {
		c.over.resize(c.width, c.height)
	}
	c.pop.follow(c.input.value(), c.completer)
	c.log.resize(c.column(), max(c.height-1-len(c.below()), 1))
}

func (c *chat) view() []string {
	if c.over != nil {
		return c.over.view()
	}
	lines := append(c.log.view(), c.below()...)
	if side := c.sideWidth(); side > 0 {
		lines = beside(fit(lines, c.column(), c.height-1), c.side.panel(side, c.height-1), c.column())
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
	trouble := c.troubleLine()
	lines = append(lines, shortParagraph(c.st.bad, trouble, c.column(), 2)...)
	if trouble == "" && c.news != "" {
		lines = append(lines, " "+c.st.good.Render(cut(c.news, c.column()-2)))
	}
	if c.queued != "" {
		lines = append(lines, c.queueLine(c.column()))
	}
	if c.ending != nil && c.wait == nil {
		lines = append(lines, c.ending.view(c.column(), max(c.height/2-1, 4))...)
	}
	if c.ending == nil || c.typing() {
		said := c.input.view()
		lines = append(lines, c.pop.view(c.st, c.column(), c.height-len(lines)-len(said)-4)...)
		lines = append(lines, said...)
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
	if more := c.log.below(); more != "" && c.wait == nil {
		right = " " + more + ", Esc goes there "
	} else if more != "" {
		right = " " + more + " "
	}
	room := c.column() - 6
	if ansi.StringWidth(right) > room {
		right = " " + c.log.below() + " "
	}
	left = cut(left, room-ansi.StringWidth(right))
	line := strings.Repeat("─", max(room-ansi.StringWidth(left+right), 0))
	return " " + c.st.rule.Render("──") + c.st.chosen.Render(left) + c.st.rule.Render(line) + c.st.faint.Render(right) + c.st.rule.Render("──")
}

// status is the last line: state, score, redirects, news and tokens, and where help
// is. Where there is no room the tokens go first, then the redirects, then words
// get shorter; score and help always stay.
func (c *chat) status() string {
	room := c.column() - 3
	for _, form := range c.statusForms() {
		if text := joined(form.parts); ansi.StringWidth(text)+len(form.help) <= room {
			return c.statusLine(text, form.help)
		}
	}
	at := c.scene.at
	rest := c.scene.machine.scoreWords(at.score)
	if short := joined([]string{rest, c.statusNews(true)}); ansi.StringWidth(short) <= room-leastState {
		rest = short
	}
	state := cut(c.scene.machine.state(at.state).title, room-ansi.StringWidth("F1  · "+rest))
	return c.statusLine(joined([]string{state, rest}), "F1 ")
}

// leastState is what is left to a state's name, and to the sign for help, before
// news give way.
const leastState = 12

func (c *chat) statusLine(text, help string) string {
	return apart(" "+c.st.title.Render(text), c.st.faint.Render(help), c.column())
}

// statusForm is one way to write the status line.
type statusForm struct {
	help  string
	parts []string
}

// statusForms are the status line's forms, from all that there is to the least.
func (c *chat) statusForms() []statusForm {
	const long, short = "F1 keys ", "F1 "
	m, at := c.scene.machine, c.scene.at
	state, score, redirects, news := m.state(at.state).title, m.scoreWords(at.score), m.redirectWords(at), c.statusNews(false)
	var forms []statusForm
	if c.spent.any() {
		forms = []statusForm{{long, []string{state, score, redirects, news, c.spent.words()}}, {long, []string{state, score, redirects, news, c.spent.brief()}}}
	}
	for _, parts := range [][]string{{state, score, redirects, news}, {state, score, news}, {state, score, c.statusNews(true)}} {
		forms = append(forms, statusForm{long, parts}, statusForm{short, parts})
	}
	return forms
}

// statusNews is what is new in the session's standing, "" for nothing.
func (c *chat) statusNews(short bool) string {
	at := c.scene.at
	switch {
	case at.finished() && short:
		return outcomeWords(at.outcome)
	case at.finished():
		return endingWords(at.outcome)
	case at.followUp && short:
		return "wants more"
	case at.followUp:
		return "wants to hear more"
	}
	return ""
}

func joined(parts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), " · ")
}

// beside puts the panel at the right of the conversation.
func beside(left, right []string, column int) []string {
	for i := range left {
		if i < len(right) {
			left[i] = toColumn(left[i], column) + right[i]
		}
	}
	return left
}
