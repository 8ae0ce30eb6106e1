package play

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// The session id and the machine are part of the hash, because they may be in the URL.
func (r Ref) idempotentCall(verb string, idempotency Idempotency) (*store.IdempotentCall, error) {
	if idempotency.Key == "" {
		return nil, nil
	}
	caller := []string{verb, r.Space, r.PersonaID, r.UserID}
	if r.Space == "" && r.UserID == "" {
		caller = append(caller, r.UserSessionID)
	}
	scope, err := json.Marshal(caller)
	hash, err2 := json.Marshal([]string{idempotency.BodyHash, r.UserSessionID, r.Machine})
	player := r.storePlayer()
	return &store.IdempotentCall{
		Scope: string(scope), Key: idempotency.Key, BodyHash: string(hash), Player: &player,
	}, errors.Join(err, err2)
}

func answerOnce[A any](
	ctx context.Context, s *Service, call *store.IdempotentCall, announceWait func(), do func() (A, error),
) (answer A, err error) {
	if call == nil {
		return do()
	}
	end, err := s.claim(ctx, call, announceWait)
	if err != nil {
		return answer, err
	}
	defer end()
	text, ok, err := s.Store.LoadAnswer(ctx, call)
	switch {
	case err != nil:
		return answer, callerError(err)
	case ok:
		return answer, json.Unmarshal(text, &answer)
	}
	return do()
}

func withAnswer(call *store.IdempotentCall, answer any) (*store.IdempotentCall, error) {
	if call == nil {
		return nil, nil
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	answered := *call
	answered.Answer = text
	return &answered, nil
}

func finalAnswer[A any](fresh A, stored []byte, err error) (A, error) {
	if err != nil || stored == nil {
		return fresh, callerError(err)
	}
	var answer A
	return answer, json.Unmarshal(stored, &answer)
}

// mu is unlocked while a call runs.
type callsUnderWay struct {
	mu    sync.Mutex
	calls map[callName]*callUnderWay
}

type callName struct{ scope, key string }

type callUnderWay struct {
	bodyHash string
	ended    chan struct{} // closed when the call was answered or has failed
}

func (u *callsUnderWay) claim(
	ctx context.Context, call *store.IdempotentCall, announceWait func(),
) (end func(), err error) {
	name := callName{call.Scope, call.Key}
	for {
		other := u.enter(name, call.BodyHash)
		switch {
		case other == nil:
			return func() {
				u.mu.Lock()
				defer u.mu.Unlock()
				close(u.calls[name].ended)
				delete(u.calls, name)
			}, nil
		case other.bodyHash != call.BodyHash:
			return nil, callerError(store.ErrKeyReused)
		}
		announceWait()
		select {
		case <-other.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (u *callsUnderWay) enter(name callName, bodyHash string) (other *callUnderWay) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if other = u.calls[name]; other != nil {
		return other
	}
	if u.calls == nil {
		u.calls = map[callName]*callUnderWay{}
	}
	u.calls[name] = &callUnderWay{bodyHash: bodyHash, ended: make(chan struct{})}
	return nil
}

// A lease expires only after its server was killed, because a running server renews its leases.
const (
	callLease   = 15 * time.Second
	callRenewal = callLease / 3
	firstPause  = 25 * time.Millisecond
	longPause   = 250 * time.Millisecond
)

func (s *Service) claim(
	ctx context.Context, call *store.IdempotentCall, announceWait func(),
) (end func(), err error) {
	calls := store.SharedCalls(s.Store)
	if calls == nil {
		return s.underWay.claim(ctx, call, announceWait)
	}
	holder := uuid.NewString()
	if err := awaitClaim(ctx, calls, call, holder, announceWait); err != nil {
		return nil, err
	}
	return holdClaim(ctx, calls, call, holder), nil
}

func awaitClaim(
	ctx context.Context, calls *store.Calls, call *store.IdempotentCall, holder string, announceWait func(),
) error {
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		claimed, err := calls.ClaimCall(ctx, call, holder, callLease)
		if claimed || err != nil {
			return callerError(err)
		}
		announceWait()
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// A failed renewal may let an equal call run too. Only the first answer is then stored.
func holdClaim(ctx context.Context, calls *store.Calls, call *store.IdempotentCall, holder string) (release func()) {
	ctx = context.WithoutCancel(ctx)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(callRenewal)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				_, _ = calls.ClaimCall(ctx, call, holder, callLease)
			}
		}
	}()
	return func() {
		close(stop)
		<-ended
		_ = calls.EndCall(ctx, call, holder)
	}
}

// Opening is the result of Open. Tokens counts the tokens of this call, and is zero for a stored
// answer. The JSON is stored for a day, so newer versions of parley must decode it.
type Opening struct {
	wire.Opening
	// Replayed is set for the stored answer to an earlier call.
	Replayed bool `json:"-"`
}

// UnmarshalJSON decodes a stored opening.
func (o *Opening) UnmarshalJSON(data []byte) error {
	o.Replayed = true
	return json.Unmarshal(data, &o.Opening)
}

// Reply is the result of Turn in the form of the SDK API. Tokens counts the tokens of this call,
// and is zero for a stored answer. The JSON is stored for a day, so newer versions of parley must
// decode it.
type Reply struct {
	wire.SDKReply
	// Replayed is set for the stored answer to an earlier call.
	Replayed bool `json:"-"`
}

// UnmarshalJSON decodes a stored reply.
func (r *Reply) UnmarshalJSON(data []byte) error {
	r.Replayed = true
	return json.Unmarshal(data, &r.SDKReply)
}

// Web converts the reply to the form of the web API.
func (r *Reply) Web() wire.Reply {
	web := r.Reply
	web.Unlocked = nil
	for _, m := range r.Unlocked {
		web.Unlocked = append(web.Unlocked, m.MachineID)
	}
	return web
}

func textOrNull[T ~string](text T) *string {
	if text == "" {
		return nil
	}
	return new(string(text))
}
