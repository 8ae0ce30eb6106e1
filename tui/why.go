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

func (e *env) newAuthorView(title string, turns []conversation.ExplainedTurn) overlay {
	var lines []string // at linesWidth, because there may be thousands
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
		if said := turns[i].Said; said != "" {
			title = terminal.Clean(said)
		}
		lines = append(lines, " "+e.st.Player.Render(terminal.CutToWidth(title, width-2)))
		for _, f := range turns[i].ListFacts() {
			if f.Name == conversation.FactSaid {
				continue
			}
			look := e.st.Text
			if f.Name == conversation.FactFired || f.Name == conversation.FactEnding {
				look = e.st.Chosen
			}
			name := f.Name
			for _, line := range terminal.WrapText(f.Text, max(width-column-1, 1)) {
				lines = append(lines, e.st.Faint.Render(terminal.PadToWidth("   "+name, column))+look.Render(line))
				name = ""
			}
		}
	}
	return lines
}

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
				c.over = c.env.newAuthorView(m.Title, turns)
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
