package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// Refusals of the store. They are wrapped: compare with errors.Is.
var (
	// ErrNotFound means that the row does not exist, or that the viewer may not know of it.
	ErrNotFound = errors.New("not found")
	// ErrNoMachine and ErrNoSession are ErrNotFound where a persona was found.
	ErrNoMachine = fmt.Errorf("machine %w", ErrNotFound)
	ErrNoSession = fmt.Errorf("session %w", ErrNotFound)
	// ErrForbidden: the row belongs to somebody else.
	ErrForbidden = errors.New("it belongs to another user")
	// ErrNotOwn is ErrForbidden on the SDK side, which requires a published persona of the key's
	// owner.
	ErrNotOwn = fmt.Errorf("not a published persona of the key's account: %w", ErrForbidden)
	// ErrChanged: the row is not any more as the caller saw it.
	ErrChanged = errors.New("it was changed in the meantime")
	// ErrConflict: another row has the same id or secret.
	ErrConflict = errors.New("there is one already")
	// ErrTooLarge means that the stored form of a document is longer than personas.MaxFile.
	ErrTooLarge = fmt.Errorf("written out the document has more than %d bytes (a character that does not show takes six), split it or shorten its prompts", personas.MaxFile)
	// ErrKeyReused: the idempotency key was used with another body.
	ErrKeyReused = errors.New("the idempotency key was used with another body")
)

// IdempotencyWindow is how long a stored answer is given again.
const IdempotencyWindow = 24 * time.Hour

// IdempotentCall makes a write idempotent. Scope is the caller and the operation, Key is the
// caller's, BodyHash is the hash of the body. Answer is stored in the same transaction as the
// write; SavePersona makes its own. The zero IdempotentCall disables idempotency.
type IdempotentCall struct {
	Scope, Key, BodyHash string
	// Player is the player that the call is made for; nil for a call about no player. A stored
	// answer is only returned to a caller who may still act for the player of its session.
	Player *PlayerRef
	Answer []byte
}

// User is a signed-in person as the identity provider names them.
type User struct{ ID, Email, DisplayName string }

// Persona is a stored persona in its current version. MachineIDs gives the id
// of every machine_key that the persona has or ever had.
type Persona struct {
	ID, OwnerID          string
	Public               bool
	Version              int64
	CreatedAt, UpdatedAt time.Time
	Doc                  personas.Persona
	MachineIDs           map[string]string
}

// PersonaSummary is a persona without its document.
type PersonaSummary struct {
	ID, OwnerID, Name, Description, IdentityPrompt string

	Public               bool
	CreatedAt, UpdatedAt time.Time
}

// PersonaItem is a persona in a list.
type PersonaItem struct {
	ID, Name, Description string
	Public                bool
	CreatedAt, UpdatedAt  time.Time
}

// PersonaSave is a new persona (PersonaID is "") or a new version of one. IfUpdatedAt,
// when set, must be the stored updated_at to the millisecond.
type PersonaSave struct {
	PersonaID, OwnerID string
	Doc                personas.Persona
	IfUpdatedAt        *time.Time
	Idempotency        *IdempotentCall
}

// PersonaQuery filters personas: with Mine the viewer's own (with PublicOnly only the published
// ones of them), else all that the viewer may see: the published ones, and without PublicOnly the
// viewer's own too. Name matches names that begin with it, ignoring case.
type PersonaQuery struct {
	Viewer           string
	Mine, PublicOnly bool
	Name             string
	After            ListCursor
	Limit            int
}

// ListCursor is a position in a list of personas or sessions, newest first: after the one with this
// creation time and id. The zero one is the beginning.
type ListCursor struct {
	CreatedAt time.Time
	ID        string
}

// Key is an API key of the Game SDK. The key itself is never stored, only Hash.
// LastUsedAt is zero for a key that was never used.
type Key struct {
	ID, OwnerID, Name, Prefix, Hash string
	CreatedAt, LastUsedAt           time.Time
}

// PlayerRef identifies a player for a caller. Space is "" for the web side and the key owner's user
// id for the SDK side. UserID is the signed-in caller, or "". Names are per user: a name means the
// caller's own player, else the anonymous one, and never another user's.
type PlayerRef struct {
	Space, PersonaID, UserSessionID, UserID string
}

// ownSpace is the column space of the caller's own players.
func (w PlayerRef) ownSpace() string {
	if w.Space == "" && w.UserID != "" {
		return "user:" + w.UserID
	}
	return w.Space
}

// sharedSpace returns the column space of anonymous players on the caller's side.
func (w PlayerRef) sharedSpace() string { return w.Space }

func (w PlayerRef) marksOf(playerID string) db.PlayerMarksParams {
	return db.PlayerMarksParams{PlayerID: playerID, Space: w.ownSpace(), Shared: w.sharedSpace()}
}

// PersonaHead is what a session's verbs need of a persona besides a version's document.
type PersonaHead struct {
	ID, OwnerID string
	Public      bool
	Version     int64
	Machines    Machines
}

// Machines are the machines that a persona has or ever had.
type Machines struct {
	IDs  map[string]string // by machine_key
	Keys map[string]string // by id
}

// Session is one player's play of one machine. Turn counts the turns since the
// opening line, Revision every write: it only grows, through resets too.
type Session struct {
	ID, PlayerID, MachineID string
	Version                 int64
	Engine                  engine.Session
	Turn, Revision          int64
	Summary                 string
	SummaryTo               int64 // messages that Summary covers
	PlayerName              string
	PlayerGender            string
	StartedAt               time.Time
	LastMessageAt           time.Time
}

// MessageCount returns how many messages the session has: the opening line and two
// a turn.
func (s *Session) MessageCount() int64 { return 1 + 2*s.Turn }

// Message is one message of a session. Role is "user" or "assistant"; State and Score are those at
// the time: before the step for the player's message, after it for the reply. Trace is the JSON
// explanation, or "".
type Message struct {
	ID, Role, Content string
	State             string
	Score             int
	Decision          personas.Decision
	FollowUp, Aside   bool
	At                time.Time
	Trace             string
}

// Completion is a machine's latest completion by a player.
type Completion struct {
	MachineID string
	Outcome   personas.Outcome
	Score     int
	At        time.Time
}

// RouteEntry is one init-session of a player.
type RouteEntry struct {
	MachineID string
	At        time.Time
}

// PlayerProgress is a player's state with a persona. PlayerID is "" for a player without a session;
// the rest is empty then.
type PlayerProgress struct {
	Persona     PersonaHead
	PlayerID    string
	Sessions    []Session    // the one opened last comes first
	Completions []Completion // oldest first
	Unlocked    []string     // machine ids
	Route       []RouteEntry // oldest first; only from Progress
	Vars        map[string]string
}

// LoadedSession is a session with what a turn needs: the last messages, oldest first.
type LoadedSession struct {
	Persona PersonaHead
	Session Session
	Recent  []Message
	Vars    map[string]string
}

// Opening is a new session with its opening line. It replaces the session that
// the player has with the machine.
type Opening struct {
	PlayerRef
	Session     Session // without PlayerID
	Line        Message
	Idempotency *IdempotentCall
}

// Turn is the result of a turn. Session is the state after the turn, but with the Revision that was
// loaded. Completion is nil while the machine runs.
type Turn struct {
	PersonaID string
	Session   Session
	Said      Message
	Reply     Message
	// IsSummarized means that this turn wrote the session's summary.
	IsSummarized bool
	Completion   *Completion
	Unlocked     []string // machine ids; those that are already unlocked are fine
	Vars         map[string]string
	Idempotency  *IdempotentCall
}

// Restart names a session to set back, and the start of its machine.
type Restart struct {
	SessionID string
	Engine    engine.Session
}

// Progress is called with the progress of a copy: done of total rows, the last ones in a table, or
// MiB of a file that SQLite copies whole. It may be nil.
type Progress func(table string, done, total int64)
