package play

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
)

// Service implements the operations of players. It is safe for concurrent use. Errors for the
// caller are of type *Error. Other errors are internal, or mean that the caller canceled the call.
type Service struct {
	Store *store.Store
	// Model is used for requests without a model of the caller.
	Model llm.Model
	Now   func() time.Time
	// TurnLimit is the maximum total time of the model calls of one request. 0 means unlimited.
	TurnLimit time.Duration
	// MayDirect reports whether the caller may use director's marks without owning the persona. Nil
	// means never.
	MayDirect func(context.Context) bool
	// OnStep is called after each step of a model ("open", "evaluate", "reply", "summarize", "extract"). It may
	// be nil.
	OnStep func(step string, took time.Duration, err error)
	// NewID returns an id for a session or a message. The ids are UUIDs of version 7.
	NewID func() string

	underWay  callsUnderWay
	preparing preparations
}

// DefaultTurnLimit is the TurnLimit of a new service. Clients have a default timeout of two
// minutes. The limit is a little shorter, so that the client gets an error that explains the delay.
const DefaultTurnLimit = 110 * time.Second

// New returns a service that uses a store and a model. Call Close when it is no longer used.
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
	begun := s.Now()
	answer, err := ask()
	s.OnStep(step, s.Now().Sub(begun), err)
	return answer, err
}

func (r Ref) storePlayer() store.PlayerRef {
	return store.PlayerRef{Space: r.Space, PersonaID: r.PersonaID, UserSessionID: r.UserSessionID, UserID: r.UserID}
}
