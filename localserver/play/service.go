package play

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/cache"
)

// Service plays sessions. Make one with New; Now, NewID and TurnLimit are for
// tests to replace before the first call. It is safe for concurrent use. Refusals are
// *Error; any other error is an internal one, or the caller's own cancellation.
type Service struct {
	Store *store.Store
	// Model speaks where a request brings no caller's model.
	Model llm.Model
	Now   func() time.Time
	// TurnLimit bounds the total time of the model calls of one request; 0 is no bound.
	TurnLimit time.Duration
	// MayDirect reports whether the caller may direct without owning the persona; nil means that
	// nobody may.
	MayDirect func(context.Context) bool
	// NewID returns ids for sessions and messages: UUIDs of version 7.
	NewID func() string

	versions *cache.Cache[versionKey, *loadedVersion]
	underWay callsUnderWay
}

// DefaultTurnLimit is the TurnLimit of a new service: a little less than the two
// minutes that a client waits by default, so that it hears why there is no
// answer.
const DefaultTurnLimit = 110 * time.Second

// New is a service on a store, spoken by a model.
func New(s *store.Store, m llm.Model) *Service {
	return &Service{Store: s, Model: m, Now: time.Now, NewID: newID, TurnLimit: DefaultTurnLimit, versions: newVersionCache()}
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// currentTime is the time as it will be read back.
func (s *Service) currentTime() time.Time { return store.RoundTime(s.Now()) }

// chooseModel is the caller's model where the request brings one, else the service's.
func (s *Service) chooseModel(callersModel llm.Model) llm.Model {
	if callersModel != nil {
		return callersModel
	}
	return s.Model
}

func (r Ref) storePlayer() store.PlayerRef {
	return store.PlayerRef{Space: r.Space, PersonaID: r.PersonaID, UserSessionID: r.UserSessionID, UserID: r.UserID}
}
