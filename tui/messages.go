package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// The messages of the screens. A message with a result contains the screen or the ticket of the
// request, so that a result that arrives too late is dropped.

// screenMsg is the result of work that a screen has started with the function later. of is that
// screen, and show shows the result.
type screenMsg struct {
	of   screen
	show func() tea.Cmd
}

// later returns a command that runs work in the background for a screen. The function that work
// returns then runs, unless the player has left the screen.
func later(of screen, work func() (show func() tea.Cmd)) tea.Cmd {
	return func() tea.Msg { return screenMsg{of, work()} }
}

// ticket identifies a request of a chat: the session and the number of the request.
type ticket struct {
	sessionID string
	call      int
}

// answerMsg reports that the request with the ticket has succeeded. show shows the result.
type answerMsg struct {
	ticket
	show func() tea.Cmd
}

type failedMsg struct {
	ticket
	what string
	err  error
}

type wordsCameMsg struct{ ticket }

type waitTickMsg struct{ ticket }

type retryTickMsg struct{ ticket }

type pickerAskedMsg struct{}

type personaChosenMsg struct{ persona string }

type sessionChosenMsg struct {
	known conversation.SavedSession
	fresh bool
}

type sessionReadyMsg struct {
	join    *joinScreen
	session *conversation.Session
}

type interruptLapsedMsg struct{ press int }

type leaveAskedMsg struct{}

type helpAskedMsg struct{ authors bool } // authors includes the authors' part

type backgroundKnownMsg struct{ light bool }

type themeChosenMsg struct{ theme views.Theme }
