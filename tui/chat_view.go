package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) Resize(width, height int) {
	c.width, c.height = width, height
	c.layOut()
}

func (c *chat) columnWidth() int { return min(c.width-c.sideWidth(), widestColumn) }

func (c *chat) columnMargin() int { return (c.width - c.sideWidth() - c.columnWidth()) / 2 }

func (c *chat) sideWidth() int {
	if c.env.opts.PanelHidden {
		return 0
	}
	return views.WidthBeside(c.width)
}

func (c *chat) airHeight() int {
	if c.height < airFrom {
		return 0
	}
	return 1
}

func (c *chat) layOut() {
	if c.width == 0 {
		return
	}
	c.input.Resize(c.columnWidth()-1, max(min(6, c.height/4), 1))
	if c.overlay != nil {
		c.overlay.Resize(min(c.width, views.WidestScreen), c.height)
	}
	c.completions.followLine(c.input.Text())
	c.narrow = c.width < views.LeastWindow
	c.log.ShowStanding(c.sideWidth() > 0)
	c.log.Resize(c.columnWidth(), max(c.height-1-c.airHeight()-len(c.belowLines()), 1))
}

func (c *chat) DrawLines() []string {
	if c.overlay != nil {
		return terminal.CentreLines(c.overlay.DrawLines(), min(c.width, views.WidestScreen), c.width)
	}
	head := c.headLines()
	return append(head, c.placePanel(append(c.log.DrawLines(), c.belowLines()...), c.height-len(head))...)
}

func (c *chat) headLines() []string {
	name, about, player := c.headName(), c.current.Session.Machine.Title, c.current.User.NameIn(c.current.Session)
	if c.wantsAim() && c.fitsAim() {
		about = c.aimWords()
	}
	title := strings.Repeat(" ", 1+c.columnMargin()) + c.env.st.Character.Render(name)
	head := terminal.PlaceApart(title+c.env.st.Faint.Render(" · "+about), c.env.st.Faint.Render(player)+" ", c.width)
	return append([]string{head}, make([]string, c.airHeight())...)
}

func (c *chat) placePanel(lines []string, rows int) []string {
	terminal.IndentLines(lines, c.columnMargin())
	side := c.sideWidth()
	if side == 0 {
		return lines
	}
	sideLines := c.side.PanelLines(side, c.height-1-c.airHeight())
	return terminal.PlaceBeside(terminal.FitLines(lines, c.width-side, rows), sideLines, c.width-side)
}

func (c *chat) headName() string {
	return terminal.CutToWidth(c.current.User.Persona.CharacterName(), c.width/2)
}

func (c *chat) aimWords() string { return "Your aim: " + c.current.Session.Machine.Goal }

func (c *chat) fitsAim() bool {
	words := c.headName() + c.aimWords() + c.current.User.NameIn(c.current.Session)
	return ansi.StringWidth(words)+2*len(" · ") <= c.width
}

func (c *chat) wantsAim() bool {
	session := c.current.Session
	if session.Machine.Goal == "" || session.Standing.IsFinished() {
		return false
	}
	return c.sideWidth() == 0 && !views.ShowsBeginning(c.log)
}

func (c *chat) belowLines() []string {
	lines := append(c.airAbove(), c.ruleLine())
	standing := c.waitingLines(c.columnWidth())
	if c.state == stateEnded {
		standing = append(standing, c.ending.CardLines(c.columnWidth(), max(c.height/2-1, 4))...)
	}
	var input []string
	if c.ending == nil || c.hasInput() {
		input = c.input.DrawLines()
	}
	text, style := c.troubleLine(), c.env.st.Bad
	if text == "" {
		text, style = c.news, c.env.st.Good
	}
	room := c.height - len(lines) - len(standing) - len(input) - 3 // header, status line and one line of conversation
	lines = append(lines, views.WrapShort(style, text, c.columnWidth(), max(room, 1))...)
	lines = append(lines, standing...)
	if input != nil {
		lines = append(lines, c.completions.listLines(c.env.st, c.columnWidth(), c.height-len(lines)-len(input)-4)...)
	}
	return append(append(lines, input...), c.statusText())
}

func (c *chat) airAbove() []string {
	if c.height < moreAirFrom {
		return nil
	}
	return []string{""}
}

func (c *chat) ruleLine() string {
	left, right := "", ""
	if c.state.isOut() {
		left = " " + c.waitWords() + " "
	}
	if more := c.log.BelowWords(); more != "" && !c.state.isOut() {
		right = " " + more + ", Esc goes to the end "
	} else if more != "" {
		right = " " + more + " "
	}
	room := c.columnWidth() - 6
	if ansi.StringWidth(right) > room {
		right = " " + c.log.BelowWords() + " "
	}
	left = terminal.CutToWidth(left, room-ansi.StringWidth(right))
	line := strings.Repeat("─", max(room-ansi.StringWidth(left+right), 0))
	st := c.env.st
	edge := st.Rule.Render("──")
	return " " + edge + st.Chosen.Render(left) + st.Rule.Render(line) + st.Faint.Render(right) + edge
}

func (c *chat) statusText() string {
	if c.sideWidth() > 0 {
		return c.statusLine(c.hopeWords(), c.env.keys.FootKey("panel", "panel")+c.keysWords())
	}
	m, standing, room := c.current.Session.Machine, c.current.Session.Standing, c.columnWidth()-3
	state, score, tries := m.StateTitle(standing), m.ScoreWords(standing.Score), m.TriesWords(standing)
	news, tokens := c.statusNews(c.columnWidth() < smallWindow), c.current.Spent.StatusWords()
	longestFirst := [][]string{
		{state, score, tries, news, tokens},
		{state, score, tries, news},
		{state, score, news},
		{state, score},
	}
	for _, parts := range longestFirst {
		for _, help := range []string{c.keysWords(), c.helpSign() + "keys ", c.helpSign()} {
			if text := joinParts(parts); ansi.StringWidth(text)+len(help) <= room {
				return c.statusLine(text, help)
			}
		}
	}
	state = terminal.CutToWidth(state, room-ansi.StringWidth(c.helpSign()+" · "+score))
	return c.statusLine(joinParts([]string{state, score}), c.helpSign())
}

const smallWindow = 60

const endingHeight = 16

func (c *chat) statusLine(text, help string) string {
	m, standing := c.current.Session.Machine, c.current.Session.Standing
	shown, tries := c.env.st.Text.Render(text), m.TriesWords(standing)
	if before, after, ok := strings.Cut(text, tries); ok && tries != "" {
		style := c.env.st.TriesStyle(m.CountTries(standing))
		shown = c.env.st.Text.Render(before) + style.Render(tries) + c.env.st.Text.Render(after)
	}
	return terminal.PlaceApart(" "+shown, c.env.st.Faint.Render(help), c.columnWidth())
}

func (c *chat) helpSign() string { return helpKey(c.env.keys) + " " }

func (c *chat) keysWords() string {
	if c.wantsAim() && !c.fitsAim() {
		return c.env.keys.FootKey("state", "aim") + c.helpSign() + "keys "
	}
	return c.helpSign() + "keys "
}

func (c *chat) statusNews(short bool) string {
	standing := c.current.Session.Standing
	switch {
	case c.ending != nil && c.height >= endingHeight:
		return ""
	case standing.IsFinished() && short:
		return conversation.EndingOf(standing.Outcome).Short
	case standing.IsFinished():
		return conversation.EndingOf(standing.Outcome).Title
	case standing.FollowUp && short:
		return playwords.WantsMoreShort
	}
	return c.hopeWords()
}

func (c *chat) hopeWords() string {
	if standing := c.current.Session.Standing; standing.FollowUp && !standing.IsFinished() {
		return c.current.User.Persona.CharacterName() + " wants you to " + playwords.WantsMoreShort
	}
	return ""
}

func joinParts(parts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), " · ")
}

func (c *chat) ApplyStyles() {
	c.log.ForgetLines()
	c.input.ApplyStyles(c.env.st)
	if overlay, ok := c.overlay.(styled); ok {
		overlay.ApplyStyles()
	}
}

const (
	minWidth     = 40
	minHeight    = 12
	widestColumn = views.WidestMeasure + 6
	airFrom      = 20
	moreAirFrom  = 24
)

func (e *env) newAuthorView(title string, turns []conversation.ExplainedTurn) overlay {
	var lines []string // cached for linesWidth, because a session can have thousands of turns
	linesWidth := 0
	return &views.Pager{
		St: e.st, Keys: e.keys, Title: "Why: each turn as the persona's author sees it", About: title, AtEnd: true,
		Close: []key.Binding{e.keys.Author},
		Lines: func(width int) []string {
			if width != linesWidth {
				lines, linesWidth = e.turnsLines(turns, width), width
			}
			return lines
		},
		Foot: func(first, end, all int) string {
			if first == 0 && end == all {
				return "Esc goes back"
			}
			return fmt.Sprintf("Esc goes back, Up and Down scroll, line %d of %d", end, all)
		},
	}
}

func (e *env) turnsLines(turns []conversation.ExplainedTurn, width int) []string {
	const column = 13
	var lines []string
	for i := range turns {
		if i > 0 {
			lines = append(lines, "")
		}
		title := "the opening line"
		if text := turns[i].Said; text != "" {
			title = terminal.Clean(text)
		}
		lines = append(lines, " "+e.st.Player.Render(terminal.CutToWidth(title, width-2)))
		for _, f := range turns[i].ListFacts() {
			if f.Name == conversation.FactSaid {
				continue
			}
			style := e.st.Text
			if f.Name == conversation.FactFired || f.Name == conversation.FactEnding {
				style = e.st.Chosen
			}
			name := f.Name
			for _, line := range terminal.WrapText(f.Text, max(width-column-1, 1)) {
				lines = append(lines, e.st.Faint.Render(terminal.PadToWidth("   "+name, column))+style.Render(line))
				name = ""
			}
		}
	}
	return lines
}

func (c *chat) askWhy(inOverlay bool) tea.Cmd {
	user, machine, sessionID := c.current.User, c.current.Session.Machine, c.current.Session.ID
	return c.runAsync(func(ctx context.Context) func() tea.Cmd {
		turns, _, err := c.env.requester.ExplainTurns(ctx, user, machine)
		return func() tea.Cmd {
			c.current.Author = c.current.Author || err == nil
			elsewhere := sessionID != c.current.Session.ID
			switch {
			case elsewhere && inOverlay:
			case err != nil:
				c.trouble = c.env.requester.ExplainError(err)
			case len(turns) == 0:
			case inOverlay:
				c.overlay = c.env.newAuthorView(machine.Title, turns)
			default:
				lines := conversation.WhyBriefly(&turns[len(turns)-1])
				if elsewhere {
					lines = append([]string{machine.Title}, lines...)
				}
				c.log.AddNote(strings.Join(lines, "\n"), views.ToneNews)
			}
			return nil
		}
	})
}
