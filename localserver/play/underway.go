package play

import (
	"context"
	"sync"

	"github.com/parley-npc/parley/localserver/store"
)

// callsUnderWay are the calls with an Idempotency-Key that are being answered now.
// The zero value is ready. Its lock is held for a look at the table only.
type callsUnderWay struct {
	mu    sync.Mutex
	calls map[callName]*callUnderWay
}

// callName is what makes two calls the same one.
type callName struct{ scope, key string }

type callUnderWay struct {
	bodyHash string
	ended    chan struct{} // closed when it was answered or has failed
}

// claimCall waits until nobody else answers the same call, and claims it; end releases it. It calls
// announceWait before each wait. It refuses KeyReused if another request is being answered under
// the key, and ends with ctx.
func (u *callsUnderWay) claimCall(ctx context.Context, o *store.IdempotentCall, announceWait func()) (end func(), err error) {
	name := callName{o.Scope, o.Key}
	for {
		other := u.enterCall(name, o.BodyHash)
		switch {
		case other == nil:
			return func() { u.endCall(name) }, nil
		case other.bodyHash != o.BodyHash:
			return nil, refusalOf(store.ErrKeyReused)
		}
		announceWait()
		select {
		case <-other.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// enterCall marks a call as under way, or returns the one that already is.
func (u *callsUnderWay) enterCall(name callName, bodyHash string) (other *callUnderWay) {
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

func (u *callsUnderWay) endCall(name callName) {
	u.mu.Lock()
	defer u.mu.Unlock()
	close(u.calls[name].ended)
	delete(u.calls, name)
}
