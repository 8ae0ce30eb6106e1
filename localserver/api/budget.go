package api

import (
	"context"
	"slices"
	"sync"
)

// budget limits the amount in use at the same time. A call waits if not enough is free, first come,
// first served.
type budget struct {
	mu         sync.Mutex
	most, free int64
	waiting    []*share // the oldest first
	// perCaller is the maximum for one caller, even if others do not wait; 0 means unlimited.
	perCaller int64
	taken     map[string]int64 // by caller, if perCaller is set
}

// share is a part taken from a budget; nil is empty.
type share struct {
	budget *budget
	amount int64
	caller string
	// given is closed when the share is taken.
	given chan struct{}
}

func newBudget(most int64) *budget { return &budget{most: most, free: most} }

// newFairBudget returns a budget that allows a caller at most a quarter, or one share.
func newFairBudget(most int64) *budget {
	return &budget{most: most, free: most, perCaller: most / 4, taken: map[string]int64{}}
}

// takeShare waits for a share until ctx or stopping ends; then it returns the error of ctx, or
// context.Canceled. A request for more than the budget gets the whole budget, exclusively.
func (b *budget) takeShare(ctx context.Context, stopping <-chan struct{}, caller string, amount int64) (*share, error) {
	s := &share{budget: b, caller: caller, amount: min(amount, b.most), given: make(chan struct{})}
	b.addShare(s)
	err := context.Canceled
	select {
	case <-s.given:
		return s, nil
	case <-stopping:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if b.withdrawShare(s) {
		return nil, err
	}
	return s, nil
}

func (b *budget) addShare(s *share) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, s)
	b.serveWaiting()
}

// withdrawShare removes a waiting share; it returns false if the share was granted meanwhile.
func (b *budget) withdrawShare(s *share) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, s)
	if i < 0 {
		return false
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.serveWaiting()
	return true
}

// serveWaiting distributes free memory to the waiting calls in order; it skips callers who have
// reached the maximum for one caller. The caller of serveWaiting holds the lock.
func (b *budget) serveWaiting() {
	for i := 0; i < len(b.waiting); {
		next := b.waiting[i]
		if b.hasEnough(next) {
			i++
			continue
		}
		if next.amount > b.free {
			return
		}
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.free -= next.amount
		b.noteTaken(next.caller, next.amount)
		close(next.given)
	}
}

// hasEnough reports whether a share would exceed the maximum for one caller.
func (b *budget) hasEnough(s *share) bool {
	had := b.taken[s.caller]
	return b.perCaller > 0 && had > 0 && had+s.amount > b.perCaller
}

func (b *budget) noteTaken(caller string, amount int64) {
	if b.perCaller == 0 {
		return
	}
	if b.taken[caller] += amount; b.taken[caller] == 0 {
		delete(b.taken, caller)
	}
}

// shrinkTo returns the excess over an amount to the budget.
func (s *share) shrinkTo(amount int64) {
	if s == nil || amount >= s.amount {
		return
	}
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.budget.free += s.amount - amount
	s.budget.noteTaken(s.caller, amount-s.amount)
	s.amount = amount
	s.budget.serveWaiting()
}

// giveBack returns the whole share to the budget. It may be called twice.
func (s *share) giveBack() { s.shrinkTo(0) }

func (s *share) isLarge() bool { return s != nil && s.amount >= collectFrom }
