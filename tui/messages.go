package tui

import (
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// The messages of the screens. An answer identifies its question, so that a late one is dropped:
// entry counts the visits to personas, session is a session's id, and call counts the questions of
// one chat.

// personasListedMsg is the list of personas; tags describe the player's history with each.
type personasListedMsg struct {
	items []wire.PersonaItem
	tags  []string
}

type listFailedMsg struct{ err error }

// personaChosenMsg: the player wants to talk to this persona.
type personaChosenMsg struct{ persona string }

// pickerAskedMsg: the player wants another persona.
type pickerAskedMsg struct{}

type userSessionReadyMsg struct {
	entry int
	user  *conversation.UserSession
}

// sessionReadyMsg: a persona's machine is open, the chat can begin.
type sessionReadyMsg struct {
	entry   int
	user    *conversation.UserSession
	session *conversation.Session
}

type entryFailedMsg struct {
	entry int
	err   error
}

// ticket names the question that an answer belongs to.
type ticket struct {
	sessionID string
	call      int
}

// wordsCameMsg: words of a reply have gathered and are to be shown.
type wordsCameMsg struct{ ticket }

// replyArrivedMsg is a turn's reply. meanwhile has the messages from elsewhere before the turn, or
// nil if they are unknown; nearly is what words that ended the part nearly counted as.
type replyArrivedMsg struct {
	ticket
	text      string
	reply     *wire.Reply
	meanwhile *conversation.Meanwhile
	nearly    string
}

// failedMsg is a failed request. sent means that it was a turn that may have left.
type failedMsg struct {
	ticket
	sent bool
	what string
	err  error
}

// unseenReadMsg is the part of the session that the player has missed. unsent means that a turn was
// not sent, because an earlier one had arrived.
type unseenReadMsg struct {
	ticket
	unseen *conversation.Unseen
	unsent bool
}

// sessionOpenedMsg: another session is the present one.
type sessionOpenedMsg struct {
	ticket
	session *conversation.Session
	fresh   bool // its conversation begins anew
}

type machinesReadMsg struct {
	sessionID string
	machines  []conversation.ListedMachine
	progress  wire.Progress
	say       bool // the player asked for it in words
	open      bool // the player asked for the list
}

// machinesFailedMsg: asked says that the player had asked for it.
type machinesFailedMsg struct {
	sessionID string
	err       error
	asked     bool
}

type waitTickMsg struct{ ticket }

// retryTickMsg: the countdown to sending again moves.
type retryTickMsg struct{ ticket }

type interruptLapsedMsg struct{ press int }

type leaveAskedMsg struct{}

type helpAskedMsg struct{ authors bool } // authors: with what is for authors

// backgroundKnownMsg is the terminal's answer about its background.
type backgroundKnownMsg struct{ light bool }

// themeChosenMsg: the player wants other colours, for this chat.
type themeChosenMsg struct{ theme views.Theme }

// sessionChosenMsg: the player goes on with a session, or with fresh begins a new
// one with its persona.
type sessionChosenMsg struct {
	known conversation.SavedSession
	fresh bool
}

// sessionsReadMsg has the sessions in memory; words narrows the list.
type sessionsReadMsg struct {
	known []conversation.SavedSession
	words string
	said  string
	err   error
}

// sessionsKnownMsg has the sessions in memory, for the completion of /sessions.
type sessionsKnownMsg struct{ known []conversation.SavedSession }

// stepPickedMsg: the number of a way on is alone so far; inputs numbers what the player did.
type stepPickedMsg struct {
	sessionID string
	inputs    int
}

// notKeptMsg: something could not be kept on this machine.
type notKeptMsg struct {
	sessionID, what string
	err             error
}
