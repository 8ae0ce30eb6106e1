package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
)

// savedMsg is the result of writing a file: notes about the written files, or an error.
type savedMsg struct {
	said []string
	err  error
}

func (c *chat) reportSaved(msg savedMsg) {
	if msg.err != nil {
		c.trouble = "not saved: " + c.env.requester.ExplainError(msg.err)
		return
	}
	for i := range msg.said {
		msg.said[i] = terminal.Clean(msg.said[i])
	}
	c.tellPlayer(strings.Join(msg.said, "\n"))
}

// completeFormat returns the arguments of /export.
func (c *chat) completeFormat() []completion {
	var list []completion
	for _, f := range record.Formats() {
		list = append(list, completion{text: f.Name, about: f.About, whole: true})
	}
	return list
}

// exportRecord writes the conversation to a file.
func (c *chat) exportRecord(arg string) tea.Cmd {
	v := c.current.User
	return func() tea.Msg {
		said, err := record.ExportRecord(c.env.ctx, c.env.requester, v, c.env.opts.Files, c.env.opts.Now(), arg)
		return savedMsg{said, err}
	}
}

// savePlay writes the conversation to a file as a play-through.
func (c *chat) savePlay(file string) tea.Cmd {
	v := c.current.User
	return func() tea.Msg {
		said, err := record.SavePlay(c.env.ctx, c.env.requester, v, c.env.opts.Files, file)
		return savedMsg{said, err}
	}
}
