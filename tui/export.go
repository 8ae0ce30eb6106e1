package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
)

func (c *chat) exportRecord(arg string) tea.Cmd {
	v := c.current.User
	return c.saveFile(func(ctx context.Context) ([]string, error) {
		return record.ExportRecord(ctx, c.env.requester, v, c.env.opts.Files, c.env.opts.Now(), arg)
	})
}

func (c *chat) savePlay(file string) tea.Cmd {
	v := c.current.User
	return c.saveFile(func(ctx context.Context) ([]string, error) {
		return record.SavePlay(ctx, c.env.requester, v, c.env.opts.Files, file)
	})
}

func (c *chat) saveFile(save func(context.Context) ([]string, error)) tea.Cmd {
	return c.later(func(ctx context.Context) func() tea.Cmd {
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
