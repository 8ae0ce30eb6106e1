package tui

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

type completions struct {
	line   string
	rows   []conversation.Command
	cursor int
	chosen bool // the cursor was moved
}

const maxCompletions = 7

func (p *completions) followLine(line string) {
	if line == p.line {
		return
	}
	*p = completions{line: line}
	for _, k := range conversation.Commands() {
		if line != "" && strings.HasPrefix("/"+k.Name, strings.ToLower(line)) {
			p.rows = append(p.rows, k)
		}
	}
}

func (p *completions) isOpen() bool { return len(p.rows) > 0 }

// TakesKey reports whether the list handles a key. Enter runs a complete command unless the cursor
// was moved.
func (p *completions) TakesKey(msg tea.KeyMsg, keys views.KeyMap) bool {
	switch {
	case !p.isOpen():
		return false
	case key.Matches(msg, keys.Send):
		return p.chosen || conversation.FindCommand(strings.TrimPrefix(p.line, "/")) == nil
	}
	return key.Matches(msg, keys.Up, keys.Down, keys.Complete, keys.Cancel)
}

func (c *chat) completionKey(msg tea.KeyMsg) tea.Cmd {
	p := c.completions
	switch {
	case key.Matches(msg, c.env.keys.Up):
		p.moveCursor(-1)
	case key.Matches(msg, c.env.keys.Down):
		p.moveCursor(1)
	case key.Matches(msg, c.env.keys.Cancel):
		p.rows = nil // closed until the line changes
	default:
		row := p.rows[p.cursor]
		line := "/" + row.Name
		if row.Args != "" {
			line += " "
		}
		c.input.SetText(line)
		c.checkRetryText()
		if row.Args == "" && key.Matches(msg, c.env.keys.Send) {
			return c.sendInput()
		}
	}
	return nil
}

func (p *completions) moveCursor(by int) {
	p.cursor = (p.cursor + by + len(p.rows)) % len(p.rows)
	p.chosen = true
}

func (p *completions) listLines(st *views.Styles, width, height int) []string {
	height = min(height, len(p.rows), maxCompletions)
	if height <= 0 {
		return nil
	}
	first := max(min(p.cursor-height/2, len(p.rows)-height), 0)
	column := 0
	for _, row := range p.rows {
		column = max(column, len("/"+row.Name))
	}
	lines := make([]string, height)
	for i := range lines {
		row, mark, look := p.rows[first+i], "   ", st.Text
		if first+i == p.cursor {
			mark, look = " › ", st.Chosen
		}
		about := strings.TrimSpace(row.Args + " " + row.Help)
		name := look.Render(mark + terminal.PadToWidth("/"+row.Name, column))
		lines[i] = terminal.CutToWidth(name+"  "+st.Faint.Render(about), width-1)
	}
	if height < len(p.rows) {
		count := st.Faint.Render(fmt.Sprintf(" %d of %d ", p.cursor+1, len(p.rows)))
		at := min(p.cursor-first, height-1)
		lines[at] = terminal.PlaceApart(terminal.CutToWidth(lines[at], width-ansi.StringWidth(count)-2), count, width)
	}
	return lines
}

func (c *chat) exportRecord(arg string) tea.Cmd {
	user := c.current.User
	return c.saveFile(func(ctx context.Context) ([]string, error) {
		return record.ExportRecord(ctx, c.env.requester, user, c.env.opts.Files, c.env.opts.Now(), arg)
	})
}

func (c *chat) savePlay(file string) tea.Cmd {
	user := c.current.User
	return c.saveFile(func(ctx context.Context) ([]string, error) {
		return record.SavePlay(ctx, c.env.requester, user, c.env.opts.Files, file)
	})
}

func (c *chat) saveFile(save func(context.Context) ([]string, error)) tea.Cmd {
	return c.runAsync(func(ctx context.Context) func() tea.Cmd {
		said, err := save(ctx)
		return func() tea.Cmd {
			if err != nil {
				c.trouble = "not saved: " + c.env.requester.ExplainError(err)
				return nil
			}
			c.tellPlayer(terminal.CleanLines(strings.Join(said, "\n")))
			return nil
		}
	})
}
