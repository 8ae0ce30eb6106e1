package tui

import (
	"github.com/parley-npc/parley/personas/wire"
)

// The facts that reach the screens. An answer names what it answers, so that
// one that comes late is dropped: guest numbers the entering of a persona,
// session is a session's id, and call numbers the questions of one chat.

// personasListedMsg: begun says of each item whether the player knows it.
type personasListedMsg struct {
	items []wire.PersonaItem
	begun []bool
}

type listFailedMsg struct{ err error }

// personaChosenMsg: the player wants to talk to this persona.
type personaChosenMsg struct{ persona string }

// pickerAskedMsg: the player wants another persona.
type pickerAskedMsg struct{}

type visitReadyMsg struct {
	guest int
	visit *visit
}

type playerNamedMsg struct{ name, gender string }

// sceneReadyMsg: a persona's machine is open, the chat can begin.
type sceneReadyMsg struct {
	guest int
	visit *visit
	scene *scene
}

type entryFailedMsg struct {
	guest int
	err   error
}

// ticket names the question that an answer belongs to.
type ticket struct {
	session string
	call    int
}

// wordsCameMsg: words of a reply have gathered and are to be shown.
type wordsCameMsg struct{ ticket }

type replyArrivedMsg struct {
	ticket
	text  string
	reply *wire.Reply
}

// failedMsg: what was asked could not be done; text is what was to be said.
type failedMsg struct {
	ticket
	text string
	what string
	err  error
}

// seenMsg: what the player has missed of the session. held is a text that was not
// sent, because an earlier turn had arrived.
type seenMsg struct {
	ticket
	missed *missed
	held   string
}

// movedMsg: another session is the present one.
type movedMsg struct {
	ticket
	scene *scene
	fresh bool // the transcript begins anew
}

type placesArrivedMsg struct {
	session  string
	places   []place
	progress wire.Progress
	say      bool // the player asked for it in words
	open     bool // the player asked for the list
}

// placesFailedMsg: asked says that the player had asked for it.
type placesFailedMsg struct {
	session string
	err     error
	asked   bool
}

type waitTickMsg struct{ ticket }

// holdTickMsg: the countdown to sending again moves.
type holdTickMsg struct{ ticket }

type interruptLapsedMsg struct{ press int }

type leaveAskedMsg struct{}

type helpAskedMsg struct{}
