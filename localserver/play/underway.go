package play

import (
	"context"
	"sync"

	"github.com/parley-npc/parley/localserver/store"
)

// callsUnderWay contains the calls with an Idempotency-Key that are being answered. mu is never locked
// while one is answered.
type callsUnderWay struct {
	mu    sync.Mutex
	calls map[callName]*callUnderWay
}

type callName struct{ scope, key string }

type callUnderWay struct {
	bodyHash string
	ended    chan struct{} // closed when the call was answered or has failed
}

// claimCall waits until no other goroutine is answering an equal call. end releases the claim.
func (u *callsUnderWay) claimCall(ctx context.Context, o *store.IdempotentCall, announceWait func()) (end func(), err error) {
	name := callName{o.Scope, o.Key}
	for {
		other := u.enterCall(name, o.BodyHash)
		switch {
		case other == nil:
			return func() {
				u.mu.Lock()
				defer u.mu.Unlock()
				close(u.calls[name].ended)
				delete(u.calls, name)
			}, nil
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
