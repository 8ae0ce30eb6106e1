package conversation

import (
	"context"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Service is the client of the persona chat service. The methods correspond to the endpoints of the
// HTTP interface. A machine is an id, a key, or "" for the primary machine. An error status is a
// *wire.Error. Calls return when ctx is done.
type Service interface {
	Published(ctx context.Context) ([]wire.PersonaItem, error)
	FullPersona(ctx context.Context, persona string) (wire.FullPersona, error)
	AvailableMachines(ctx context.Context, persona, userSession string) ([]wire.AvailableMachine, error)
	Progress(ctx context.Context, persona, userSession string) (wire.Progress, error)
	InitSession(ctx context.Context, persona, machine string, body wire.InitSession) (wire.Opening, error)
	// StreamInitSession is InitSession with a streamed opening. onDelta receives each part, and an
	// error of onDelta aborts the call. The returned opening is complete and may differ from the
	// parts.
	StreamInitSession(
		ctx context.Context, persona, machine string, body wire.InitSession, onDelta func(text string) error,
	) (wire.Opening, error)
	SendMessage(ctx context.Context, persona, machine string, body wire.Message) (wire.Reply, error)
	// StreamMessage is SendMessage with a streamed reply. For the full screen, both streaming
	// methods must not retry, because the screen shows a countdown.
	StreamMessage(
		ctx context.Context, persona, machine string, body wire.Message, onDelta func(text string) error,
	) (wire.Reply, error)
	History(ctx context.Context, persona, userSession, machine string) (wire.History, error)
	// HistoryAtOnce is History without retries.
	HistoryAtOnce(ctx context.Context, persona, userSession, machine string) (wire.History, error)
	ResetSession(ctx context.Context, persona, userSession, machine string) (wire.ResetDone, error)
	// Fork creates a branch of a session. Branches lists all branches of the conversation. Both
	// methods work only with Parley's own server.
	Fork(ctx context.Context, persona, machine string, body wire.Fork) (wire.Branch, error)
	Branches(ctx context.Context, persona, userSession string) (wire.Branches, error)
	// Trace returns the explanation of a session. Only the persona's owner may call Trace.
	Trace(ctx context.Context, persona, userSession, machine string) (wire.Trace, error)
}

// Memory stores the sessions of one player on one server. The present session with a persona is
// resumed by the next chat. Methods are safe for concurrent use.
type Memory interface {
	// Recall returns the present session with a persona.
	Recall(persona string) (SavedSession, bool)
	// Remember stores a session as the present one. An empty Label keeps the stored label.
	Remember(saved SavedSession) error
	// Sessions returns all sessions, most recently used first.
	Sessions() ([]SavedSession, error)
	// Rename sets the label of a session. An empty label removes the old one.
	Rename(persona, userSession, label string) error
	// Forget deletes a session.
	Forget(persona, userSession string) error
}

// SavedSession is a stored session of a player with a persona. Texts are not clean.
type SavedSession struct {
	Persona       string
	PersonaName   string
	UserSessionID string
	PlayerName    string
	PlayerGender  string
	Machine       string
	Label         string // the player's name for the session
	Place         string // for example "The cellar, score 1 of 2"
	LastWords     string // of the character
	Outcome       string // of the whole story
	Draft         string // unsent text in the input
	UnderWay      string // a sent turn without a reply
	UsedAt        time.Time
}
