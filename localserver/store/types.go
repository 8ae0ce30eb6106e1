package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// Errors of the store. They may be wrapped: use errors.Is.
var (
	// ErrNotFound means that the row does not exist, or that the viewer may not see it.
	ErrNotFound = errors.New("not found")
	// ErrNoMachine means that the persona exists but the machine does not. ErrNoSession means that
	// the persona exists but the session does not. Both wrap ErrNotFound.
	ErrNoMachine = fmt.Errorf("machine %w", ErrNotFound)
	ErrNoSession = fmt.Errorf("session %w", ErrNotFound)
	// ErrForbidden means that the row belongs to another user.
	ErrForbidden = errors.New("it belongs to another user")
	// ErrNotOwn means, on the SDK side, that the key's owner does not own the persona or has not
	// published it. It wraps ErrForbidden.
	ErrNotOwn = fmt.Errorf("not a published persona of the key's account: %w", ErrForbidden)
	// ErrChanged means that the row has changed since the caller read it.
	ErrChanged = errors.New("it was changed in the meantime")
	// ErrConflict means that another row has the same id or secret.
	ErrConflict = errors.New("it already exists")
	// ErrTooLarge means that the stored form of a document is longer than personas.MaxFile.
	ErrTooLarge = fmt.Errorf("the document as JSON has more than %d bytes (a control character takes six): split it or shorten its prompts", personas.MaxFile)
	// ErrKeyReused means that the idempotency key was used with another body.
	ErrKeyReused = errors.New("the idempotency key was used with another body")
)

// IdempotencyWindow is the time for which the stored answer of an idempotent call is returned
// again.
const IdempotencyWindow = 24 * time.Hour

// IdempotentCall makes a write idempotent. If Key is "", the write is not idempotent. Scope
// identifies the caller and the operation. Key is the caller's Idempotency-Key. BodyHash is the
// hash of the body. Answer is stored in the same transaction as the write. SavePersona stores its
// own answer.
type IdempotentCall struct {
	Scope, Key, BodyHash string
	// Player is the player for whom the call is made, or nil if the call does not concern a player.
	// A stored answer is returned only to a caller who may still act for that player.
	Player *PlayerRef
	Answer []byte
}

// User is a signed-in user, as reported by the identity provider.
type User struct{ ID, Email, DisplayName string }

// Persona is a stored persona in its latest version. MachineIDs maps machine keys to machine ids.
// It contains all machines that the persona has or ever had.
type Persona struct {
	ID, OwnerID          string
	Public               bool
	Version              int64
	CreatedAt, UpdatedAt time.Time
	Doc                  personas.Persona
	MachineIDs           map[string]string
}

// PersonaSummary is a persona without its document. IdentityPrompt is not set in lists.
type PersonaSummary struct {
	ID, OwnerID, Name, Description, IdentityPrompt string

	Public               bool
	CreatedAt, UpdatedAt time.Time
}

// PersonaSave is a new persona, or a new version of the persona PersonaID. For a new persona,
// PersonaID is "". If IfUpdatedAt is set, it must equal the stored UpdatedAt, to the millisecond.
type PersonaSave struct {
	PersonaID, OwnerID string
	Doc                personas.Persona
	IfUpdatedAt        *time.Time
	Idempotency        *IdempotentCall
}

// PersonaQuery selects personas. If Mine is true, it selects the viewer's own personas. Otherwise
// it selects all personas that the viewer may see. PublicOnly excludes unpublished personas. If
// Name is set, only names that begin with Name match, in upper or lower case.
type PersonaQuery struct {
	Viewer           string
	Mine, PublicOnly bool
	Name             string
	After            ListCursor
	Limit            int
}

// ListCursor is a position in a list of personas or sessions. The list is sorted from new to old.
// It continues after the item with this creation time and id. The zero ListCursor is the beginning.
type ListCursor struct {
	CreatedAt time.Time
	ID        string
}

// Key is an API key of the Game SDK. Only the hash of the key is stored, not the key itself.
// LastUsedAt is zero if the key was never used.
type Key struct {
	ID, OwnerID, Name, Prefix, Hash string
	CreatedAt, LastUsedAt           time.Time
}

// PlayerRef identifies a player for a caller. Space is "" on the web side. On the SDK side, it is
// the user id of the key's owner. UserID is the signed-in caller, or "". UserSessionID selects the
// caller's own player with that id, or else the anonymous player with that id. It never selects
// another user's player.
type PlayerRef struct {
	Space, PersonaID, UserSessionID, UserID string
}

// ownSpace returns the value of the database column "space" for the caller's own players, for
// example "user:1".
func (ref PlayerRef) ownSpace() string {
	if ref.Space == "" && ref.UserID != "" {
		return "user:" + ref.UserID
	}
	return ref.Space
}

// sharedSpace returns the value of the database column "space" for anonymous players on the
// caller's side.
func (ref PlayerRef) sharedSpace() string { return ref.Space }

func (ref PlayerRef) marksOf(playerID string) db.PlayerMarksParams {
	return db.PlayerMarksParams{PlayerID: playerID, Space: ref.ownSpace(), Shared: ref.sharedSpace()}
}

// PersonaHead contains the properties of a persona that operations on sessions need. It does not
// contain the document.
type PersonaHead struct {
	ID, OwnerID string
	Public      bool
	Version     int64
	Machines    Machines
}

// Machines contains the ids and keys of the machines that a persona has or ever had.
type Machines struct {
	IDs  map[string]string // by machine_key
	Keys map[string]string // by id
}

// Session is the conversation of a player with a machine. Turn is the number of turns since the
// opening line. Revision is the number of writes to the session. It never decreases, because a
// reset is a write too.
type Session struct {
	ID, PlayerID, MachineID string
	Version                 int64
	Engine                  engine.Session
	Turn, Revision          int64
	Summary                 string
	SummaryTo               int64 // number of messages that Summary covers
	PlayerName              string
	PlayerGender            string
	StartedAt               time.Time
	LastMessageAt           time.Time

	cached *cachedSession // its source, or nil
}

// MessageCount returns the number of messages in the session: the opening line and two per turn.
func (s *Session) MessageCount() int64 { return 1 + 2*s.Turn }

// Message is one message of a session. Role is "user" or "assistant". In a player's message, State
// and Score are the values before the turn. In a reply, they are the values after the turn. Trace
// is the JSON of the turn's trace, or "".
type Message struct {
	ID, Role, Content string
	State             string
	Score             int
	Decision          personas.Decision
	FollowUp, Aside   bool
	At                time.Time
	Trace             string
}

// Completion is the latest completion of a machine by a player.
type Completion struct {
	MachineID string
	Outcome   personas.Outcome
	Score     int
	At        time.Time
}

// RouteEntry is one opening of a session by a player.
type RouteEntry struct {
	MachineID string
	At        time.Time
}

// PlayerProgress is a player's state with a persona. If the player has no session, only Persona is
// set.
type PlayerProgress struct {
	Persona     PersonaHead
	PlayerID    string
	Sessions    []Session    // most recently opened first
	Completions []Completion // oldest first
	Unlocked    []string     // machine ids
	Route       []RouteEntry // oldest first; set only by LoadProgressWithRoute
	Vars        map[string]string
}

// LoadedSession is a session with the data that a turn needs. Recent contains the last messages,
// oldest first.
type LoadedSession struct {
	Persona PersonaHead
	Session Session
	Recent  []Message
	Vars    map[string]string
}

// Opening is a new session with its opening line. It replaces the player's session with the same
// machine, if there is one.
type Opening struct {
	PlayerRef
	Session     Session // without PlayerID
	Line        Message
	Idempotency *IdempotentCall
}

// Turn is the result of a turn. Session is the state after the turn, except that its Revision is
// the one before the turn. Completion is nil if the machine has not ended.
type Turn struct {
	PersonaID string
	Session   Session
	Said      Message
	Reply     Message
	// IsSummarized means that this turn wrote Session.Summary.
	IsSummarized bool
	Completion   *Completion
	Unlocked     []string // machine ids; may include unlocked ones
	Vars         map[string]string
	Idempotency  *IdempotentCall
}

// Restart is a session that is to be reset. Engine is the initial state of the session's machine.
type Restart struct {
	SessionID string
	Engine    engine.Session
}

// Progress is a function that is called during a copy. table is the table that is being copied.
// done is the number of rows that were copied, and total is the number of all rows. A
// Progress may be nil.
type Progress func(table string, done, total int64)
