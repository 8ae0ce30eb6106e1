package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// overlay replaces the conversation until it is closed: a list to choose from, or a view. A chat
// has at most one.
type overlay interface {
	// Update takes keys and facts; done closes it.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	Resize(width, height int)
	DrawLines() []string
}

// openOverlay puts an overlay over the conversation.
func (c *chat) openOverlay(o overlay) { c.over = o }

// updateOverlay passes a message to the overlay, and closes one that is done. Then it runs a
// command of the overlay that opens another one.
func (c *chat) updateOverlay(msg tea.Msg) tea.Cmd {
	if c.over == nil {
		return nil
	}
	was := c.over
	cmd, done := was.Update(msg)
	if done && c.over == was {
		c.over = nil
	}
	return cmd
}
