package conversation

import (
	"context"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Service is the part of the persona chat service that a chat uses. The names are those of the
// interface's endpoints; machine is a machine's id or key, or "" for the persona's primary machine
// (for History, the newest session's). A refusal is a *wire.Error. Calls must end when their
// context does.
type Service interface {
	// Published lists the personas that anybody may talk to, newest first.
	Published(ctx context.Context) ([]wire.PersonaItem, error)
	FullPersona(ctx context.Context, persona string) (wire.FullPersona, error)
	AvailableMachines(ctx context.Context, persona, userSession string) ([]wire.AvailableMachine, error)
	Progress(ctx context.Context, persona, userSession string) (wire.Progress, error)
	InitSession(ctx context.Context, persona, machine string, body wire.InitSession) (wire.Opening, error)
	// StreamInitSession is InitSession with the opening's text in pieces, if the service streams
	// it: it calls onDelta with each piece, ends if onDelta returns an error, and returns the whole
	// opening, which takes precedence over the pieces.
	StreamInitSession(ctx context.Context, persona, machine string, body wire.InitSession, onDelta func(text string) error) (wire.Opening, error)
	SendMessage(ctx context.Context, persona, machine string, body wire.Message) (wire.Reply, error)
	// StreamMessage is SendMessage with a streamed reply: it calls onDelta with each piece, ends
	// the turn if onDelta returns an error, and returns the whole reply at the end. The full screen
	// needs each failure of these two at once, even a rate limit, because it waits and counts down
	// itself.
	StreamMessage(ctx context.Context, persona, machine string, body wire.Message, onDelta func(text string) error) (wire.Reply, error)
	History(ctx context.Context, persona, userSession, machine string) (wire.History, error)
	// HistoryAtOnce is History for a player who waits for the service to come back:
	// the full screen wants each failure of it at once too.
	HistoryAtOnce(ctx context.Context, persona, userSession, machine string) (wire.History, error)
	ResetSession(ctx context.Context, persona, userSession, machine string) (wire.ResetDone, error)
	// Fork makes a branch of a session, and Branches lists those of its tree. Both are additions
	// of Parley's own server: another one is refused with an error that says so.
	Fork(ctx context.Context, persona, machine string, body wire.Fork) (wire.Branch, error)
	Branches(ctx context.Context, persona, userSession string) (wire.Branches, error)
	// Trace returns the explanation of a session to the persona's owner. Others are refused, and so
	// is everybody if the service lacks traces.
	Trace(ctx context.Context, persona, userSession, machine string) (wire.Trace, error)
}

// Memory keeps one player's sessions with the personas of one server. One session per persona is
// the present one, where the next chat continues. It is safe for concurrent use.
type Memory interface {
	// Recall returns the present session with a persona.
	Recall(persona string) (SavedSession, bool)
	// Remember stores a session as the present one with its persona; others stay. An empty label
	// keeps the stored one.
	Remember(known SavedSession) error
	// Sessions lists all sessions, the one that was used last first.
	Sessions() ([]SavedSession, error)
	// Rename sets the label of a session, "" for none.
	Rename(persona, userSession, label string) error
	// Forget drops a session.
	Forget(persona, userSession string) error
}

// SavedSession is a player's place with a persona. Machine is the id of the machine
// that was last played; its texts, except for the ids, are as they were written.
type SavedSession struct {
	Persona       string
	PersonaName   string
	UserSessionID string
	PlayerName    string
	PlayerGender  string
	Machine       string
	Label         string // what the player calls the session
	Place         string // the part and how it stands, "The cellar, score 1 of 2"
	LastWords     string // the beginning of what was said last
	Outcome       string // how the story ended, in the interface's word; "" while it goes on
	Draft         string // what was begun and not said
	UnderWay      string // a turn whose answer was not seen
	UsedAt        time.Time
}
