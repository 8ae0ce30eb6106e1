package api

import (
	"context"
	"slices"
	"sync"
)

// A budget limits how many bytes of memory calls use at the same time. If not enough memory is
// free, calls wait and are served in the order of arrival.
type budget struct {
	mu         sync.Mutex
	most, free int64
	waiting    []*share // oldest first
	// perCaller is the maximum for one caller, even if no other call waits. 0 means unlimited.
	perCaller int64
	taken     map[string]int64 // by caller, if perCaller is set
}

// A share is an amount taken from a budget. A nil share is empty.
type share struct {
	budget *budget
	amount int64
	caller string
	// given is closed when the share is granted.
	given chan struct{}
}

func newBudget(most int64) *budget { return &budget{most: most, free: most} }

// newFairBudget gives each caller at most a quarter of the budget, or a single larger share.
func newFairBudget(most int64) *budget {
	return &budget{most: most, free: most, perCaller: most / 4, taken: map[string]int64{}}
}

// takeShare waits for a share, or for the whole budget if amount is larger. It returns the error of ctx if
// ctx ends first, and context.Canceled if stopping is closed first.
func (b *budget) takeShare(ctx context.Context, stopping <-chan struct{}, caller string, amount int64) (*share, error) {
	s := &share{budget: b, caller: caller, amount: min(amount, b.most), given: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, s)
	b.serveWaiting()
	b.mu.Unlock()
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

// serveWaiting grants the waiting shares in order, except shares that would exceed the maximum of a caller.
// b.mu must be locked.
func (b *budget) serveWaiting() {
	for i := 0; i < len(b.waiting); {
		next := b.waiting[i]
		if had := b.taken[next.caller]; b.perCaller > 0 && had > 0 && had+next.amount > b.perCaller {
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

func (b *budget) noteTaken(caller string, amount int64) {
	if b.perCaller == 0 {
		return
	}
	if b.taken[caller] += amount; b.taken[caller] == 0 {
		delete(b.taken, caller)
	}
}

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

// giveBack may be called twice.
func (s *share) giveBack() { s.shrinkTo(0) }
