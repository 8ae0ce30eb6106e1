package tui

import (
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// The messages of the screens. A message with a result names its request, so that the screens drop
// a late result. entry is the number of a joinScreen, and call the number of a request in a chat.

// personasListedMsg is the list of personas. A tag describes the player's history with a persona.
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

type replyArrivedMsg struct {
	ticket
	text      string
	reply     *wire.Reply
	meanwhile *conversation.Meanwhile
	nearly    string
}

// failedMsg reports that a request has failed. sent means that the service may have received a
// turn.
type failedMsg struct {
	ticket
	sent bool
	what string
	err  error
}

// unseenReadMsg contains the messages that the player has not seen. unsent means that a turn was
// not sent because an earlier turn had arrived.
type unseenReadMsg struct {
	ticket
	unseen *conversation.Unseen
	unsent bool
}

type sessionOpenedMsg struct {
	ticket
	session *conversation.Session
	fresh   bool // the conversation was reset
}

type machinesReadMsg struct {
	sessionID string
	machines  []conversation.ListedMachine
	progress  wire.Progress
	say       bool // show the progress as a note
	open      bool // open the list of machines
}

// machinesFailedMsg reports that the machines could not be read. asked means that the player wanted
// to see them.
type machinesFailedMsg struct {
	sessionID string
	err       error
	asked     bool
}

type waitTickMsg struct{ ticket }

type retryTickMsg struct{ ticket }

type interruptLapsedMsg struct{ press int }

type leaveAskedMsg struct{}

type helpAskedMsg struct{ authors bool } // authors includes the authors' part

type backgroundKnownMsg struct{ light bool }

type themeChosenMsg struct{ theme views.Theme }

// sessionChosenMsg resumes a session or, if fresh is set, starts a new session with the same
// persona.
type sessionChosenMsg struct {
	known conversation.SavedSession
	fresh bool
}

// sessionsReadMsg contains the stored sessions. words is the initial search text of the list.
type sessionsReadMsg struct {
	known []conversation.SavedSession
	words string
	said  string
	err   error
}

type sessionsKnownMsg struct{ known []conversation.SavedSession }

// stepPickedMsg reports that pickPause has passed since a number was pressed. The number does not
// count if dialogue.inputs is no longer the value in inputs.
type stepPickedMsg struct {
	sessionID string
	inputs    int
}

// notKeptMsg reports that something could not be stored on this computer.
type notKeptMsg struct {
	sessionID, what string
	err             error
}
