package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// RenamePlayer gives the player another name, or says which one she has.
func (a *actions) RenamePlayer(name string) tea.Cmd {
	switch {
	case name == "":
		a.tellPlayer(conversation.NameWords(a.User.Saved.PlayerName))
		return nil
	case terminal.CountCharacters(name) > wire.MaxPlayerName:
		a.trouble = fmt.Sprintf("a name may have %d characters", wire.MaxPlayerName)
		return nil
	}
	a.requester.SetPlayer(a.User, name, "")
	a.tellPlayer(conversation.NameNews(name))
	saved, session := a.User.Saved, a.Session.ID
	return func() tea.Msg {
		if err := a.requester.RenamePlayer(saved); err != nil {
			return notKeptMsg{session, "your name could not be kept", err}
		}
		return nil
	}
}
