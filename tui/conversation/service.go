package conversation

import (
	"context"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Service is the part of the persona chat service that a chat uses. Each method has the name of an
// endpoint of the HTTP interface. The parameter machine is a machine's id or key. "" means the
// persona's primary machine, or for History the machine of the newest session. If the service
// answers with an error status, the error is a *wire.Error. Calls must return when their context is
// done.
type Service interface {
	// Published returns the published personas, newest first.
	Published(ctx context.Context) ([]wire.PersonaItem, error)
	FullPersona(ctx context.Context, persona string) (wire.FullPersona, error)
	AvailableMachines(ctx context.Context, persona, userSession string) ([]wire.AvailableMachine, error)
	Progress(ctx context.Context, persona, userSession string) (wire.Progress, error)
	InitSession(ctx context.Context, persona, machine string, body wire.InitSession) (wire.Opening, error)
	// StreamInitSession does the same as InitSession, but streams the opening if the service
	// supports streaming. It calls onDelta with each piece and fails if onDelta returns an error.
	// The returned opening is complete and may differ from the pieces.
	StreamInitSession(ctx context.Context, persona, machine string, body wire.InitSession, onDelta func(text string) error) (wire.Opening, error)
	SendMessage(ctx context.Context, persona, machine string, body wire.Message) (wire.Reply, error)
	// StreamMessage does the same as SendMessage, but streams the reply. It calls onDelta with each
	// piece, and fails if onDelta returns an error. The returned reply is complete. For the full
	// screen, both streaming methods must not retry, even after a 429, because the screen waits and
	// counts down.
	StreamMessage(ctx context.Context, persona, machine string, body wire.Message, onDelta func(text string) error) (wire.Reply, error)
	History(ctx context.Context, persona, userSession, machine string) (wire.History, error)
	// HistoryAtOnce does the same as History without retries, for calls while the player waits.
	HistoryAtOnce(ctx context.Context, persona, userSession, machine string) (wire.History, error)
	ResetSession(ctx context.Context, persona, userSession, machine string) (wire.ResetDone, error)
	// Fork creates a branch of a session. Branches lists all branches of the same conversation.
	// Only Parley's own server supports branches. For other services both methods return an error
	// that says so.
	Fork(ctx context.Context, persona, machine string, body wire.Fork) (wire.Branch, error)
	Branches(ctx context.Context, persona, userSession string) (wire.Branches, error)
	// Trace returns the explanation of a session. It fails if the caller does not own the persona
	// or the service does not support traces.
	Trace(ctx context.Context, persona, userSession, machine string) (wire.Trace, error)
}

// Memory stores one player's sessions with the personas of one server. One session with each
// persona is the present session, and the next chat resumes it. A Memory is safe for concurrent
// use.
type Memory interface {
	// Recall returns the present session with a persona.
	Recall(persona string) (SavedSession, bool)
	// Remember stores a session as the present session with its persona. An empty Label leaves the
	// stored label unchanged.
	Remember(known SavedSession) error
	// Sessions returns all sessions, most recently used first.
	Sessions() ([]SavedSession, error)
	// Rename sets the label of a session. "" removes it.
	Rename(persona, userSession, label string) error
	// Forget deletes a session.
	Forget(persona, userSession string) error
}

// SavedSession is a stored session of a player with a persona. Machine is the id of the machine
// that was last played. Texts are not cleaned.
type SavedSession struct {
	Persona       string
	PersonaName   string
	UserSessionID string
	PlayerName    string
	PlayerGender  string
	Machine       string
	Label         string // the player's name for the session, or ""
	Place         string // the part and its score or ending: "The cellar, score 1 of 2"
	LastWords     string // the first words of the character's last message
	Outcome       string // the outcome with which the story ended, or ""
	Draft         string // the unsent text in the input
	UnderWay      string // the text of a turn that was sent, if its reply was not seen
	UsedAt        time.Time
}
