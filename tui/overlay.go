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

// overlays is the place of the conversation and its overlay.
type overlays struct {
	over overlay // nil for the conversation itself
}

// openOverlay puts an overlay over the conversation.
func (s *overlays) openOverlay(o overlay) { s.over = o }

// updateOverlay passes a message to the overlay, and closes one that is done. Then it runs a
// command of the overlay that opens another one.
func (s *overlays) updateOverlay(msg tea.Msg) tea.Cmd {
	if s.over == nil {
		return nil
	}
	was := s.over
	cmd, done := was.Update(msg)
	if done && s.over == was {
		s.over = nil
	}
	return cmd
}
