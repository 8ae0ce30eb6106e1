package admission

import (
	"context"
	"slices"
	"sync"
)

// budget is how much may be taken at the same time. Whoever finds too little waits,
// first come, first served.
type budget struct {
	mu         sync.Mutex
	most, free int64
	waiting    []*share // the oldest first
}

// share is what was taken of a budget; nil is none.
type share struct {
	budget *budget
	amount int64
	// given is closed when the share is taken.
	given chan struct{}
}

func newBudget(most int64) *budget { return &budget{most: most, free: most} }

// takeShare waits for a share until ctx or stopping ends; then the error is that of
// ctx, or context.Canceled. Who asks for more than there is gets all of it, alone.
func (b *budget) takeShare(ctx context.Context, stopping <-chan struct{}, amount int64) (*share, error) {
	s := &share{budget: b, amount: min(amount, b.most), given: make(chan struct{})}
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

// withdrawShare takes a share back that was waited for; false says that it was given
// meanwhile.
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

// serveWaiting gives what is free to those who wait, in their order. The caller
// holds the lock.
func (b *budget) serveWaiting() {
	for len(b.waiting) > 0 && b.waiting[0].amount <= b.free {
		next := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.free -= next.amount
		close(next.given)
	}
}

// shrinkTo gives back what is above an amount.
func (s *share) shrinkTo(amount int64) {
	if s == nil || amount >= s.amount {
		return
	}
	s.budget.mu.Lock()
	defer s.budget.mu.Unlock()
	s.budget.free += s.amount - amount
	s.amount = amount
	s.budget.serveWaiting()
}

// giveBack gives all of it back. A second time it does nothing.
func (s *share) giveBack() { s.shrinkTo(0) }

func (s *share) isLarge() bool { return s != nil && s.amount >= collectFrom }
