package tui

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// authorView is the overlay that explains how each turn was judged. The newest turn is last.
type authorView struct {
	env           *env
	title         string
	turns         []conversation.ExplainedTurn
	lines         []string // at the present width
	top           int
	width, height int
}

// Update handles a key, and reports whether the overlay closes.
func (a *authorView) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	switch {
	case !pressed:
	case key.Matches(press, a.env.keys.Up):
		a.ScrollBy(-1)
	case key.Matches(press, a.env.keys.Down):
		a.ScrollBy(1)
	case key.Matches(press, a.env.keys.PageUp):
		a.ScrollBy(-a.visibleRows())
	case key.Matches(press, a.env.keys.PageDown):
		a.ScrollBy(a.visibleRows())
	case key.Matches(press, a.env.keys.Top):
		a.ScrollBy(-len(a.lines))
	case key.Matches(press, a.env.keys.Bottom):
		a.ScrollBy(len(a.lines))
	default:
		return nil, key.Matches(press, a.env.keys.Cancel, a.env.keys.Send, a.env.keys.Author)
	}
	return nil, false
}

func (a *authorView) ScrollBy(n int) { a.top = max(min(a.top+n, len(a.lines)-a.visibleRows()), 0) }

func (a *authorView) visibleRows() int { return max(a.height-3, 1) }

// Resize sets the size of the window. A view at the end stays at the end.
func (a *authorView) Resize(width, height int) {
	atEnd := a.top >= len(a.lines)-a.visibleRows()
	if width != a.width {
		a.lines = nil
		for i := range a.turns {
			if i > 0 {
				a.lines = append(a.lines, "")
			}
			a.lines = append(a.lines, a.turnLines(i, width)...)
		}
	}
	a.width, a.height = width, height
	if atEnd {
		a.top = len(a.lines)
	}
	a.ScrollBy(0)
}

func (a *authorView) turnLines(i, width int) []string {
	const column = 13
	title := "the opening line"
	if said := a.turns[i].Said; said != "" {
		title = terminal.Clean(said)
	}
	lines := []string{" " + a.env.st.Player.Render(terminal.CutToWidth(title, width-2))}
	for _, f := range a.turns[i].ListFacts() {
		if f.Name == conversation.FactSaid {
			continue
		}
		look := a.env.st.Text
		if f.Name == conversation.FactFired || f.Name == conversation.FactEnding {
			look = a.env.st.Chosen
		}
		name := f.Name
		for _, line := range terminal.WrapText(f.Text, max(width-column-1, 1)) {
			lines = append(lines, a.env.st.Faint.Render(terminal.PadToWidth("   "+name, column))+look.Render(line))
			name = ""
		}
	}
	return lines
}

func (a *authorView) DrawLines() []string {
	lines := []string{views.HeaderLine(a.env.st, "Why: each turn as the persona's author sees it", a.title, a.width), ""}
	shown := a.lines[min(a.top, len(a.lines)):]
	lines = append(lines, terminal.FitLines(shown, a.width, a.visibleRows())...)
	foot := "Esc goes back"
	if len(a.lines) > a.visibleRows() {
		foot = fmt.Sprintf("Esc goes back, Up and Down scroll, line %d of %d", min(a.top+a.visibleRows(), len(a.lines)), len(a.lines))
	}
	return append(lines, views.FooterLine(a.env.st, foot, a.width))
}

// askWhy explains the turns of the session in an overlay, or the newest turn in a note.
func (c *chat) askWhy(inOverlay bool) tea.Cmd {
	v, m, session := c.current.User, c.current.Session.Machine, c.current.Session.ID
	return c.later(func(ctx context.Context) func() tea.Cmd {
		turns, _, err := c.env.requester.ExplainTurns(ctx, v, m)
		return func() tea.Cmd {
			c.current.Author = c.current.Author || err == nil
			elsewhere := session != c.current.Session.ID
			switch {
			case elsewhere && inOverlay:
			case err != nil:
				c.trouble = c.env.requester.ExplainError(err)
			case len(turns) == 0:
			case inOverlay:
				c.over = &authorView{env: c.env, title: m.Title, turns: turns}
			default:
				said := conversation.WhyBriefly(&turns[len(turns)-1])
				if elsewhere {
					said = append([]string{m.Title}, said...)
				}
				c.log.AddNote(strings.Join(said, "\n"), views.ToneNews)
			}
			return nil
		}
	})
}
