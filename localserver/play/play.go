// Package play is the verbs of a chat session: open, turn, reset, history, and
// a player's progress over the machines of a persona. A turn loads, asks the
// model, steps the engine, asks the model for the reply, and saves if the
// session is still where it was; no transaction is held while a model thinks.
// It never speaks HTTP and never writes SQL.
package play

import (
	"time"

	"github.com/parley-npc/parley/personas"
)

// Kind sorts refusals; the HTTP side makes statuses of them.
type Kind string

// The kinds of refusals.
const (
	NotFound  Kind = "not-found"      // 404: persona, machine, session
	Forbidden Kind = "forbidden"      // 403: the session belongs to another user
	Locked    Kind = "machine-locked" // 403: the machine is not available yet
	Finished  Kind = "finished"       // 409: message to a finished machine
	Conflict  Kind = "conflict"       // 409: another turn of the session was first
	KeyReused Kind = "key-reused"     // 422: Idempotency-Key with another body
	ModelDown Kind = "model-failed"   // 502
	ModelLate Kind = "model-timeout"  // 504
)

// Error is a refusal in one sentence for the caller; Cause is for the log, and what
// a model's failure is told apart by.
type Error struct {
	Kind    Kind
	Message string
	// Lent says that the model that failed was the caller's own.
	Lent  bool
	Cause error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// Ref names whom a call is about. Space is "" for the web side and the key
// owner's user id for the SDK side. UserID is the signed-in caller, "" without a
// token. Machine is a machine's id or key; "" means what the call's doc says.
type Ref struct {
	Space         string
	PersonaID     string
	UserID        string
	UserSessionID string
	Machine       string
}

// Once makes a call idempotent: the same Key with the same BodyHash within 24
// hours gives the stored answer again, with another BodyHash KeyReused. The zero
// Once does nothing.
type Once struct {
	Key      string
	BodyHash string
}

// Opening is what Open gives.
type Opening struct {
	Message            string
	SessionID          string
	UserSessionID      string
	PersonaName        string
	PersonaDescription string
	PlayerName         string
	PlayerGender       string
	MachineID          string
	// Tokens are what this call cost; a stored answer costs nothing.
	Tokens Tokens `json:"-"`
	// Replayed says that this is the stored answer of an earlier call (Once).
	Replayed bool
}

// UnlockedMachine is a machine that a completion made available.
type UnlockedMachine struct {
	ID, Key, Name string
	AutoAdvance   bool
}

// Reply is what Turn gives. Decision is "" for a follow-up, Outcome "" while
// the machine runs, RedirectCount nil when it is finished.
type Reply struct {
	Message       string
	CurrentState  string
	Score         int
	Outcome       personas.Outcome
	Decision      personas.Decision
	FollowUp      bool
	RedirectCount *int
	SessionID     string
	ScoringMode   personas.ScoringMode
	Completed     bool
	Unlocked      []UnlockedMachine
	// Tokens are what this call cost; a stored answer costs nothing.
	Tokens Tokens `json:"-"`
	// Replayed says that this is the stored answer of an earlier call (Once).
	Replayed bool
}

// History is a session with all its messages, oldest first.
type History struct {
	SessionID     string
	PersonaID     string
	Messages      []HistoryMessage
	CurrentState  string
	Score         int
	Outcome       personas.Outcome
	PlayerName    string
	PlayerGender  string
	StartedAt     time.Time
	LastMessageAt time.Time
}

// HistoryMessage is one message of a History; Role is "user" or "assistant".
type HistoryMessage struct {
	ID       string
	Role     string
	Content  string
	State    string
	Score    int
	Decision personas.Decision
	FollowUp bool
	At       time.Time
}

// AvailableMachine is a machine that the player can start.
type AvailableMachine struct {
	ID, Key, Name, Description string
	HasSession                 bool
	Outcome                    personas.Outcome
	IsLinked                   bool
}

// CompletedMachine is a machine's latest completion.
type CompletedMachine struct {
	ID, Key, Name string
	Outcome       personas.Outcome
	Score         int
	At            time.Time
}

// RouteStep is one entry of the player's route.
type RouteStep struct {
	ID, Key, Name string
	At            time.Time
}

// Progress is a player's progress over a persona.
type Progress struct {
	PersonaID         string
	CurrentMachineID  string
	RelationshipLevel int
	TotalScore        int
	Completed         []CompletedMachine
	Available         []AvailableMachine
	Route             []RouteStep
	Vars              map[string]string
	HasLinks          bool
}

// Migrated is what Migrate gives.
type Migrated struct {
	Sessions int
	Personas []string
}
