package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// overlay is what is in the conversation's place until it is done: a list to
// choose from, or a view of something. At most one is over a chat.
type overlay interface {
	// Update takes keys and facts; done closes it.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	Resize(width, height int)
	DrawLines() []string
}

// overlays is the place of the conversation, and what is in it.
type overlays struct {
	over overlay // nil for the conversation itself
}

// openOverlay puts an overlay over the conversation.
func (s *overlays) openOverlay(o overlay) { s.over = o }

// updateOverlay hands a message to the overlay, and closes one that is done. A command
// of the overlay's that opens another one comes after that.
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
