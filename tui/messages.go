package tui

import (
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// This file contains the messages of the screens. The result of a request identifies the request,
// so that a late result can be dropped. entry is the number of the joinScreen, sessionID is the id
// of the session, and call is the number of the request in a chat.

// personasListedMsg is the list of personas. tags describe the player's history with each persona.
type personasListedMsg struct {
	items []wire.PersonaItem
	tags  []string
}

type listFailedMsg struct{ err error }

type personaChosenMsg struct{ persona string }

// pickerAskedMsg requests the list of personas.
type pickerAskedMsg struct{}

type userSessionReadyMsg struct {
	entry int
	user  *conversation.UserSession
}

// sessionReadyMsg reports that a machine is open and the chat can begin.
type sessionReadyMsg struct {
	entry   int
	user    *conversation.UserSession
	session *conversation.Session
}

type entryFailedMsg struct {
	entry int
	err   error
}

// ticket identifies the request to which a result belongs.
type ticket struct {
	sessionID string
	call      int
}

type wordsCameMsg struct{ ticket }

// replyArrivedMsg is the reply to a turn, with the results of Requester.ReadMeanwhile and
// Requester.ReadNearly.
type replyArrivedMsg struct {
	ticket
	text      string
	reply     *wire.Reply
	meanwhile *conversation.Meanwhile
	nearly    string
}

// failedMsg reports that a request has failed. sent means that the request was a turn, which the
// service may have received.
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

// machinesFailedMsg reports that the machines could not be read. asked means that the player had
// requested them.
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

// backgroundKnownMsg reports whether the terminal's background is light.
type backgroundKnownMsg struct{ light bool }

type themeChosenMsg struct{ theme views.Theme }

// sessionChosenMsg resumes a session or, if fresh is set, starts a new session with its persona.
type sessionChosenMsg struct {
	known conversation.SavedSession
	fresh bool
}

// sessionsReadMsg contains the stored sessions. words is the initial search of the list.
type sessionsReadMsg struct {
	known []conversation.SavedSession
	words string
	said  string
	err   error
}

// sessionsKnownMsg contains the stored sessions, for the completion of /sessions.
type sessionsKnownMsg struct{ known []conversation.SavedSession }

// stepPickedMsg reports that pickPause has passed since a number was pressed. inputs is the value
// of dialogue.inputs at the press. If dialogue.inputs has changed, the number does not count.
type stepPickedMsg struct {
	sessionID string
	inputs    int
}

// notKeptMsg reports that something could not be stored on this computer.
type notKeptMsg struct {
	sessionID, what string
	err             error
}
