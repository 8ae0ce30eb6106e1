// Package play implements the operations of a player: open, turn, reset, fork, history and
// progress. A turn loads the session, asks the model for an evaluation, and steps the engine. Then
// it asks the model for the reply, and saves unless the session has changed. No transaction is open
// while a model runs. The package contains neither HTTP nor SQL.
package play

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
)

// Kind is the kind of an Error. The HTTP layer maps a kind to a status.
type Kind string

// The kinds of errors.
const (
	NotFound     Kind = "not-found"         // 404: persona, machine, session
	Forbidden    Kind = "forbidden"         // 403: the persona is not the caller's
	Locked       Kind = "machine-locked"    // 403: the machine is not available yet
	Finished     Kind = "finished"          // 409: message to a finished machine
	Conflict     Kind = "conflict"          // 409: another turn of the session was first
	Full         Kind = "session-full"      // 409: message to a session with MaxTurns turns
	PastGone     Kind = "past-not-kept"     // 409: the state after a turn cannot be restored exactly
	AnotherPast  Kind = "another-past"      // 409: the turns have another effect in the latest version
	ManyBranches Kind = "too-many-branches" // 409: the tree of forks is full
	NothingKept  Kind = "nothing-to-repeat" // 409: there is no verdict to repeat
	NoMessage    Kind = "no-message"        // 422: no message of the session has the id
	NoTurn       Kind = "no-turn"           // 422: the session has fewer turns
	KeyReused    Kind = "key-reused"        // 422: Idempotency-Key with another body
	TooLong      Kind = "text-too-long"     // 422: an expanded text of the persona is too long
	ModelDown    Kind = "model-failed"      // 502
	ModelLate    Kind = "model-timeout"     // 504
)

// Error is an error for the caller. Message is one sentence. Cause is for the log.
type Error struct {
	Kind    Kind
	Message string
	// CallersModel is set if the caller's own model failed.
	CallersModel bool
	Cause        error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// Ref identifies the player of a call. Space is "" for the web API, and the user id of the key's
// owner for the SDK API. UserID is "" without a token. Machine is an id, a key or "".
type Ref struct {
	Space         string
	PersonaID     string
	UserID        string
	UserSessionID string
	Machine       string
}

// Idempotency identifies repetitions of a call. For 24 hours, a call with the same Key and BodyHash
// returns the stored answer. Another BodyHash returns an *Error of kind KeyReused. The zero value
// disables idempotency.
type Idempotency struct {
	Key      string
	BodyHash string
}

// Service implements the operations of players. It is safe for concurrent use. Errors for the
// caller have the type *Error.
type Service struct {
	Store *store.Store
	// Model answers requests without a model of the caller.
	Model llm.Model
	Now   func() time.Time
	// TurnLimit is the total time limit for the model calls of a request. 0 means unlimited.
	TurnLimit time.Duration
	// MayDirect reports whether the caller may use director's marks with every persona. Nil means
	// false.
	MayDirect func(context.Context) bool
	// OnStep is called after each model step ("open", "evaluate", "reply", "summarize", "extract").
	// It may be nil.
	OnStep func(step string, duration time.Duration, err error)
	// NewID returns a version 7 UUID for a session or a message.
	NewID func() string

	underWay  callsUnderWay
	preparing preparations
}

// DefaultTurnLimit is the TurnLimit of a new service. It is shorter than the client timeout of two
// minutes, so the client receives the error.
const DefaultTurnLimit = 110 * time.Second

// New returns a service. Call Close when the service is no longer used.
func New(s *store.Store, m llm.Model) *Service {
	return &Service{Store: s, Model: m, Now: time.Now, NewID: newID, TurnLimit: DefaultTurnLimit}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (s *Service) currentTime() time.Time { return store.RoundTime(s.Now()) }

func (s *Service) chooseModel(callersModel llm.Model) llm.Model {
	if callersModel != nil {
		return callersModel
	}
	return s.Model
}

func askModel[T any](s *Service, step string, ask func() (T, error)) (T, error) {
	if s.OnStep == nil {
		return ask()
	}
	started := s.Now()
	answer, err := ask()
	s.OnStep(step, s.Now().Sub(started), err)
	return answer, err
}

func (r Ref) storePlayer() store.PlayerRef {
	return store.PlayerRef{Space: r.Space, PersonaID: r.PersonaID, UserSessionID: r.UserSessionID, UserID: r.UserID}
}
