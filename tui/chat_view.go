package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// Resize lays the chat out for a window.
func (c *chat) Resize(width, height int) {
	c.width, c.height = width, height
	c.layOut()
}

// columnWidth is the width that the conversation has beside the side panel.
func (c *chat) columnWidth() int { return c.width - c.sideWidth() }

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
	c.input.Resize(c.columnWidth()-1, max(min(6, c.height/4), 1))
	if c.over != nil {
		c.over.Resize(c.width, c.height)
	}
	c.completions.followLine(c.input.Text(), c.completer)
	c.log.Resize(c.columnWidth(), max(c.height-1-len(c.belowLines()), 1))
}

func (c *chat) DrawLines() []string {
	if c.over != nil {
		return c.over.DrawLines()
	}
	lines := append(c.log.DrawLines(), c.belowLines()...)
	if side := c.sideWidth(); side > 0 {
		lines = terminal.PlaceBeside(terminal.FitLines(lines, c.columnWidth(), c.height-1), c.side.PanelLines(side, c.height-1), c.columnWidth())
	}
	return append([]string{c.headLine()}, lines...)
}

func (c *chat) headLine() string {
	left := " " + c.st.Character.Render(terminal.CutToWidth(c.User.Persona.CharacterName(), c.width/2))
	return terminal.PlaceApart(left+c.st.Faint.Render(" · "+c.Session.Machine.Title), c.st.Faint.Render(terminal.Clean(c.User.Saved.PlayerName))+" ", c.width)
}

// belowLines is everything under the transcript: the rule, what went wrong, the
// input or the ending card, and the status line.
func (c *chat) belowLines() []string {
	lines := []string{c.ruleLine()}
	lines = append(lines, c.saidLines()...)
	lines = append(lines, c.waitingLines(c.columnWidth())...)
	if c.held != "" {
		lines = append(lines, c.heldLine(c.columnWidth()))
	}
	if c.ending != nil && c.wait == nil {
		lines = append(lines, c.ending.CardLines(c.columnWidth(), max(c.height/2-1, 4))...)
	}
	if c.ending == nil || c.isTyping() {
		said := c.input.DrawLines()
		lines = append(lines, c.completions.listLines(c.st, c.columnWidth(), c.height-len(lines)-len(said)-4)...)
		lines = append(lines, said...)
	}
	return append(lines, c.statusText())
}

// saidLines are what went wrong last, or what was done. They are whole, as long as they
// leave room for the input and a line of the conversation.
func (c *chat) saidLines() []string {
	text, look := c.troubleLine(), c.st.Bad
	if text == "" {
		text, look = c.news, c.st.Good
	}
	taken := 4 + len(c.waitingLines(c.columnWidth())) // First and last line, rule, a line of the conversation.
	if c.held != "" {
		taken++
	}
	if c.ending != nil && c.wait == nil {
		taken += len(c.ending.CardLines(c.columnWidth(), max(c.height/2-1, 4)))
	}
	if c.ending == nil || c.isTyping() {
		taken += len(c.input.DrawLines())
	}
	return styles.WrapShort(look, text, c.columnWidth(), max(c.height-taken, 1))
}

// heldLine is what is kept, above the ending's choices.
func (c *chat) heldLine(width int) string {
	const words = "   kept for what comes next: "
	return c.st.Faint.Render(words) + c.st.Text.Render(terminal.CutToWidth(terminal.Clean(c.held), width-len(words)-1))
}

// ruleLine parts the transcript from the input. What is waited for and that there
// is more below are written on it, so that the transcript never jumps for them.
func (c *chat) ruleLine() string {
	left, right := "", ""
	if c.wait != nil {
		left = " " + c.waitWords() + " "
	}
	if more := c.log.BelowWords(); more != "" && c.wait == nil {
		right = " " + more + ", Esc goes there "
	} else if more != "" {
		right = " " + more + " "
	}
	room := c.columnWidth() - 6
	if ansi.StringWidth(right) > room {
		right = " " + c.log.BelowWords() + " "
	}
	left = terminal.CutToWidth(left, room-ansi.StringWidth(right))
	line := strings.Repeat("─", max(room-ansi.StringWidth(left+right), 0))
	return " " + c.st.Rule.Render("──") + c.st.Chosen.Render(left) + c.st.Rule.Render(line) + c.st.Faint.Render(right) + c.st.Rule.Render("──")
}

// statusText is the last line: state, score, redirects, news and tokens, and where help
// is. Where there is no room the tokens go first, then the redirects, then words
// get shorter; score and help always stay.
func (c *chat) statusText() string {
	room := c.columnWidth() - 3
	for _, form := range c.statusForms() {
		if text := joinParts(form.parts); ansi.StringWidth(text)+len(form.help) <= room {
			return c.statusLine(text, form.help)
		}
	}
	at := c.Session.Standing
	rest := c.Session.Machine.ScoreWords(at.Score)
	if short := joinParts([]string{rest, c.statusNews(true)}); ansi.StringWidth(short) <= room-leastState {
		rest = short
	}
	state := terminal.CutToWidth(c.Session.Machine.StateTitle(at), room-ansi.StringWidth("F1  · "+rest))
	return c.statusLine(joinParts([]string{state, rest}), "F1 ")
}

// endingHeight is from when on a window shows an ending whole above its card.
const endingHeight = 16

// leastState is what is left to a state's name, and to the sign for help, before
// news give way.
const leastState = 12

func (c *chat) statusLine(text, help string) string {
	return terminal.PlaceApart(" "+c.st.Title.Render(text), c.st.Faint.Render(help), c.columnWidth())
}

// statusForm is one way to write the status line.
type statusForm struct {
	help  string
	parts []string
}

// statusForms are the status line's forms, from all that there is to the least.
func (c *chat) statusForms() []statusForm {
	const long, short = "F1 keys ", "F1 "
	m, at := c.Session.Machine, c.Session.Standing
	state, score, redirects, news := m.StateTitle(at), m.ScoreWords(at.Score), m.TriesWords(at), c.statusNews(false)
	var forms []statusForm
	if c.Spent.HasTokens() {
		forms = []statusForm{{long, []string{state, score, redirects, news, c.Spent.StatusWords()}}, {long, []string{state, score, redirects, news, c.Spent.ShortWords()}}}
	}
	for _, parts := range [][]string{{state, score, redirects, news}, {state, score, news}, {state, score, c.statusNews(true)}} {
		forms = append(forms, statusForm{long, parts}, statusForm{short, parts})
	}
	return forms
}

// statusNews is what is new in the session's standing, "" for nothing. While the ending's card
// stands the transcript says it.
func (c *chat) statusNews(short bool) string {
	at := c.Session.Standing
	switch {
	case c.ending != nil && c.height >= endingHeight:
		return ""
	case at.IsFinished() && short:
		return conversation.EndingOf(at.Outcome).Short
	case at.IsFinished():
		return conversation.EndingOf(at.Outcome).Title
	case at.FollowUp && short:
		return "wants more"
	case at.FollowUp:
		return "wants to hear more"
	}
	return ""
}

func joinParts(parts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), " · ")
}

func (c *chat) ApplyStyles() {
	c.log.ForgetLines()
	c.side.Lines = nil
	c.input.ApplyStyles(c.st)
	if over, ok := c.over.(styled); ok {
		over.ApplyStyles()
	}
}

// The smallest screen that is laid out, and the width from which the side panel
// is shown.
const (
	minWidth  = 40
	minHeight = 12
	panelFrom = 100
)
