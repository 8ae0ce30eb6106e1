package play

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/store"
)

// Times for servers that share a database and wait for each other's calls. A claim is renewed while
// the call is being answered, so that the claim expires only if its server was killed.
const (
	callLease   = 15 * time.Second
	callRenewal = callLease / 3
	firstPause  = 25 * time.Millisecond
	longPause   = 250 * time.Millisecond
)

// claimCall waits until no server of the database is answering an equal call. end releases the claim.
func (s *Service) claimCall(ctx context.Context, o *store.IdempotentCall, announceWait func()) (end func(), err error) {
	calls := store.SharedCalls(s.Store)
	if calls == nil {
		return s.underWay.claimCall(ctx, o, announceWait)
	}
	// The database decides which body may use the key. In this process, calls with different bodies
	// are different calls.
	here := *o
	here.Key += "\x00" + o.BodyHash
	endHere, err := s.underWay.claimCall(ctx, &here, announceWait)
	if err != nil {
		return nil, err
	}
	holder := uuid.NewString()
	if err := awaitClaim(ctx, calls, o, holder, announceWait); err != nil {
		endHere()
		return nil, err
	}
	giveBack := holdClaim(ctx, calls, o, holder)
	return func() {
		giveBack()
		endHere()
	}, nil
}

func awaitClaim(ctx context.Context, calls *store.Calls, o *store.IdempotentCall, holder string, announceWait func()) error {
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		claimed, err := calls.ClaimCall(ctx, o, holder, callLease)
		if claimed || err != nil {
			return refusalOf(err)
		}
		announceWait()
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// holdClaim renews a claim until giveBack. After a failed renewal, an equal call may run at the same time,
// and one of the answers is stored.
func holdClaim(ctx context.Context, calls *store.Calls, o *store.IdempotentCall, holder string) (giveBack func()) {
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
				_, _ = calls.ClaimCall(ctx, o, holder, callLease)
			}
		}
	}()
	return func() {
		close(stop)
		<-ended
		_ = calls.EndCall(ctx, o, holder)
	}
}
