package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/cache"
	"github.com/parley-npc/parley/personas/engine"
)

// Errors of the store. They may be wrapped: use errors.Is.
var (
	// ErrNotFound means that the row does not exist, or that the viewer may not see the row.
	ErrNotFound = errors.New("not found")
	// ErrNoMachine and ErrNoSession mean that only the machine or the session is missing. Both wrap
	// ErrNotFound.
	ErrNoMachine = fmt.Errorf("machine %w", ErrNotFound)
	ErrNoSession = fmt.Errorf("session %w", ErrNotFound)
	// ErrForbidden means that the row belongs to another user.
	ErrForbidden = errors.New("it belongs to another user")
	// ErrNotOwn means that the owner of an SDK key may not play the persona. It wraps ErrForbidden.
	ErrNotOwn = fmt.Errorf("not a published persona of the key's account: %w", ErrForbidden)
	// ErrChanged means that the row has changed since the caller read the row.
	ErrChanged = errors.New("it was changed in the meantime")
	// ErrConflict means that another row has the same id or secret.
	ErrConflict = errors.New("it already exists")
	// ErrTooLarge means that a stored document would be longer than personas.MaxFile.
	ErrTooLarge = fmt.Errorf(
		"the document as JSON has more than %d bytes (a control character takes six): split it or shorten its prompts",
		personas.MaxFile,
	)
	// ErrKeyReused means that the idempotency key was used with another body.
	ErrKeyReused = errors.New("the idempotency key was used with another body")
)

// IdempotencyWindow is the lifetime of a stored answer.
const IdempotencyWindow = 24 * time.Hour

// IdempotentCall makes a write idempotent. An empty Key disables it. Scope identifies the caller
// and the operation. The transaction of the write also stores Answer, except in SavePersona.
type IdempotentCall struct {
	Scope, Key, BodyHash string
	// Player is the acting player, or nil. Only a caller who may act for Player gets a stored
	// answer.
	Player *PlayerRef
	Answer []byte
}

// User is a signed-in user, as reported by the identity provider.
type User struct{ ID, Email, DisplayName string }

// Persona is a stored persona in its latest version. MachineIDs contains all current and former
// machines by key.
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

// PersonaSave is a new persona, or a new version if PersonaID is set. A non-nil IfUpdatedAt must
// equal the stored UpdatedAt, to the millisecond.
type PersonaSave struct {
	PersonaID, OwnerID string
	Doc                personas.Persona
	IfUpdatedAt        *time.Time
	Idempotency        *IdempotentCall
}

// PersonaQuery selects the personas that the viewer may see, or only the viewer's own if Mine is
// set. PublicOnly excludes unpublished personas. Name is a prefix in any case.
type PersonaQuery struct {
	Viewer           string
	Mine, PublicOnly bool
	Name             string
	After            ListCursor
	Limit            int
}

// ListCursor is the position after an item in a list from new to old. The zero ListCursor is the
// beginning.
type ListCursor struct {
	CreatedAt time.Time
	ID        string
}

// Key is an API key of the Game SDK. The store contains only the hash of a key. LastUsedAt is zero
// before the first use.
type Key struct {
	ID, OwnerID, Name, Prefix, Hash string
	CreatedAt, LastUsedAt           time.Time
}

// PlayerRef identifies a player for a caller. Space is "" in the web API, and the user id of the
// key's owner in the SDK API. UserID is the signed-in caller, or "". UserSessionID selects the
// caller's own player or an anonymous player, never another user's.
type PlayerRef struct {
	Space, PersonaID, UserSessionID, UserID string
}

func (ref PlayerRef) ownSpace() string {
	if ref.Space == "" && ref.UserID != "" {
		return "user:" + ref.UserID
	}
	return ref.Space
}

func (ref PlayerRef) sharedSpace() string { return ref.Space }

func (ref PlayerRef) marksOf(playerID string) db.PlayerMarksParams {
	return db.PlayerMarksParams{PlayerID: playerID, Space: ref.ownSpace(), Shared: ref.sharedSpace()}
}

// PersonaHead is a persona without its document.
type PersonaHead struct {
	ID, OwnerID string
	Public      bool
	Version     int64
	Machines    Machines
}

// Machines contains the ids and keys of a persona's current and former machines.
type Machines struct {
	IDs  map[string]string // by machine_key
	Keys map[string]string // by id
}

// Session is a conversation of a player with a machine. Turn counts the turns since the opening
// line. Revision counts all writes, including resets.
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

// MessageCount returns the number of messages, including the opening line.
func (s *Session) MessageCount() int64 { return 1 + 2*s.Turn }

// Message is a message of a session. Role is "user" or "assistant". State and Score are from before
// the turn for a player's message, and from after the turn for a reply. Trace is JSON, or "".
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

// RouteEntry is an opening of a session by a player.
type RouteEntry struct {
	MachineID string
	At        time.Time
}

// PlayerProgress is a player's state with a persona. Without a session, only Persona is set.
type PlayerProgress struct {
	Persona     PersonaHead
	PlayerID    string
	Sessions    []Session    // most recently opened first
	Completions []Completion // oldest first
	Unlocked    []string     // machine ids
	Route       []RouteEntry // oldest first; set only by LoadProgressWithRoute
	Vars        map[string]string
}

// LoadedSession is a session with the data for a turn. Recent contains the last messages, oldest
// first.
type LoadedSession struct {
	Persona PersonaHead
	Session Session
	Recent  []Message
	Vars    map[string]string
}

// Opening is a new session with its opening line.
type Opening struct {
	PlayerRef
	Session     Session // without PlayerID
	Line        Message
	Idempotency *IdempotentCall
}

// Turn is the result of a turn. Session is the state after the turn, but has the Revision from
// before the turn. Completion is nil for an unfinished machine.
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

// Restart is a session to reset. Engine is the initial state of its machine.
type Restart struct {
	SessionID string
	Engine    engine.Session
}

// Progress receives the progress of a copy. table is the current table. done and total count rows.
// A Progress may be nil.
type Progress func(table string, done, total int64)

func loadMachines(ctx context.Context, q *db.Queries, personaID string) (Machines, error) {
	rows, err := q.Machines(ctx, personaID)
	if err != nil {
		return Machines{}, err
	}
	ms := Machines{IDs: make(map[string]string, len(rows)), Keys: make(map[string]string, len(rows))}
	for _, row := range rows {
		ms.IDs[row.MachineKey] = row.ID
		ms.Keys[row.ID] = row.MachineKey
	}
	return ms, nil
}

// viewCache saves a third of the CPU time of a request for a persona. It is unused in a shared
// database.
type viewCache = cache.Cache[viewKey, PersonaSummary]

type viewKey struct{ persona, viewer string }

const (
	maxViewBytes = 8 << 20
	viewBytes    = 1024 // a summary without its longer texts
)

func newViewCache() *viewCache { return cache.New[viewKey, PersonaSummary](maxViewBytes) }
