package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// The messages of the screens. A message with a result names its request, so that the screens drop
// a late result. entry is the number of a joinScreen, and call the number of a request in a chat.

type personasListedMsg struct {
	items []wire.PersonaItem
	tags  []string
}

type listFailedMsg struct{ err error }

type personaChosenMsg struct{ persona string }

type pickerAskedMsg struct{}

type userSessionReadyMsg struct {
	entry int
	user  *conversation.UserSession
}

type sessionReadyMsg struct {
	entry   int
	user    *conversation.UserSession
	session *conversation.Session
}

type entryFailedMsg struct {
	entry int
	err   error
}

type ticket struct {
	sessionID string
	call      int
}

type wordsCameMsg struct{ ticket }

type failedMsg struct {
	ticket
	what string
	err  error
}

// answerMsg is the answer to the request with the ticket. show shows the result.
type answerMsg struct {
	ticket
	show func() tea.Cmd
}

// resultMsg is the result of work that a chat has started with later. show shows the result.
type resultMsg struct {
	chat *chat
	show func() tea.Cmd
}

type waitTickMsg struct{ ticket }

type retryTickMsg struct{ ticket }

type interruptLapsedMsg struct{ press int }

type leaveAskedMsg struct{}

type helpAskedMsg struct{ authors bool } // authors includes the authors' part

type backgroundKnownMsg struct{ light bool }

type themeChosenMsg struct{ theme views.Theme }

type sessionChosenMsg struct {
	known conversation.SavedSession
	fresh bool
}
