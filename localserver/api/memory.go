package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/wire"
)

// Limits in bytes for the bodies of all requests together.
const (
	maxBodyCost = 256 << 20
	costOfByte  = 32       // memory for parsing a byte (210 MB for a save of 6.5 MB)
	maxReceived = 64 << 20 // bodies in transit
	// Small bodies have their own budgets. A player's message never waits for a save.
	smallBody        = 64 << 10
	maxSmallBodyCost = 64 << 20
	freeMemoryFrom   = 32 << 20
)

// Limits in bytes for all responses together.
const (
	maxAnswers         = 64 << 20
	maxDocuments       = 256 << 20
	costOfDocumentByte = 6 // the document is in memory twice, parsed and as JSON
	costOfAnswerByte   = 4
	smallAnswer        = 64 << 10
)

const (
	shareWait       = 10 * time.Second
	shareRetryAfter = 2 * time.Second
)

type bodyBudgets struct{ receiving, working *budget }

// ReserveAnswer reserves memory for response pages of pageBytes bytes. It replaces an earlier
// reservation. It returns a 503 if the memory stays unavailable for shareWait.
func (c *Call) ReserveAnswer(ctx context.Context, pageBytes int64) (err error) {
	c.answer.release()
	c.answer, err = c.checker.acquireAnswerShare(ctx, c.checker.pages, pageBytes, costOfAnswerByte)
	return err
}

// ReserveDocument is like ReserveAnswer for a response with a document of size bytes.
func (c *Call) ReserveDocument(ctx context.Context, size int64) (err error) {
	c.answer.release()
	c.answer, err = c.checker.acquireAnswerShare(ctx, c.checker.documents, size, costOfDocumentByte)
	return err
}

// ReserveDocument reserves memory for a page with a document of size bytes. The caller must call
// release.
func (c *Checker) ReserveDocument(ctx context.Context, size int64) (release func(), err error) {
	reserved, err := c.acquireAnswerShare(ctx, c.documents, size, costOfDocumentByte)
	return reserved.release, err
}

func (c *Checker) acquireAnswerShare(ctx context.Context, large *budget, size, costPerByte int64) (*share, error) {
	if size <= smallAnswer {
		return c.acquireShare(ctx, c.smallAnswers, size*costPerByte, "answers")
	}
	return c.acquireShare(ctx, large, size*costPerByte, "answers")
}

func (c *Checker) budgetsFor(length int64) bodyBudgets {
	if length <= smallBody {
		return c.smallBodies
	}
	return c.largeBodies
}

// receiveBody reserves the cost of parsing only after a slow sender has sent the body.
func (c *Checker) receiveBody(limit int64, w http.ResponseWriter, r *http.Request, call *Call) error {
	if limit == 0 || r.ContentLength == 0 {
		return nil
	}
	if r.ContentLength > limit {
		return bodyTooLarge(limit)
	}
	announced := r.ContentLength
	if announced < 0 {
		announced = limit
	}
	received, err := c.acquireShare(r.Context(), c.budgetsFor(announced).receiving, announced, "bodies")
	if err != nil {
		return err
	}
	defer received.release()
	if call.Body, err = readBody(limit, w, r); err != nil {
		return err
	}
	length := int64(len(call.Body))
	call.memory, err = c.acquireShare(r.Context(), c.budgetsFor(length).working, length*costOfByte, "bodies")
	return err
}

func (c *Checker) acquireShare(ctx context.Context, from *budget, amount int64, purpose string) (*share, error) {
	waiting, cancel := context.WithTimeout(ctx, shareWait)
	defer cancel()
	reserved, err := from.acquire(waiting, c.stopping, identity.Network(ctx), amount)
	switch {
	case err == nil:
		return reserved, nil
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		message := fmt.Sprintf("other requests use all the memory for %s (%d MiB), send the request again",
			purpose, from.total>>20)
		e := NewError(http.StatusServiceUnavailable, wire.CodeUnavailable, message)
		e.RetryAfter = shareRetryAfter
		return nil, e
	}
	return nil, Canceled()
}

// FinishParsing reduces the reserved memory to the size of the body. Call it before a slow request
// to a model.
func (c *Call) FinishParsing() { c.memory.shrinkTo(int64(len(c.Body))) }

// Release releases the memory of the call. Every admitted call must be released.
func (c *Call) Release() {
	c.answer.release()
	if c.memory == nil || c.memory.amount < freeMemoryFrom {
		c.memory.release()
		return
	}
	reserved := c.memory
	// FreeOSMemory is slow. Only the next body waits.
	go func() {
		debug.FreeOSMemory()
		reserved.release()
	}()
}

// A budget limits the memory of concurrent calls, in bytes. Waiting calls are served in order of
// arrival.
type budget struct {
	mu          sync.Mutex
	total, free int64
	waiting     []*share         // oldest first
	perCaller   int64            // 0 means unlimited
	taken       map[string]int64 // by caller, if perCaller is set
}

// A nil share is empty.
type share struct {
	budget  *budget
	amount  int64
	caller  string
	granted chan struct{}
}

func newBudget(total int64) *budget { return &budget{total: total, free: total} }

// newFairBudget limits each caller to a quarter of total, or to one larger share.
func newFairBudget(total int64) *budget {
	return &budget{total: total, free: total, perCaller: total / 4, taken: map[string]int64{}}
}

func (b *budget) acquire(ctx context.Context, stopping <-chan struct{}, caller string, amount int64) (*share, error) {
	s := &share{budget: b, caller: caller, amount: min(amount, b.total), granted: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, s)
	b.grantWaiting()
	b.mu.Unlock()
	err := context.Canceled
	select {
	case <-s.granted:
		return s, nil
	case <-stopping:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if b.withdraw(s) {
		return nil, err
	}
	return s, nil
}

func (b *budget) withdraw(s *share) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, s)
	if i < 0 {
		return false
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.grantWaiting()
	return true
}

// grantWaiting must be called with b.mu locked.
func (b *budget) grantWaiting() {
	for i := 0; i < len(b.waiting); {
		next := b.waiting[i]
		if used := b.taken[next.caller]; b.perCaller > 0 && used > 0 && used+next.amount > b.perCaller {
			i++
			continue
		}
		if next.amount > b.free {
			return
		}
		b.waiting = slices.Delete(b.waiting, i, i+1)
		b.free -= next.amount
		b.noteTaken(next.caller, next.amount)
		close(next.granted)
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
	s.budget.grantWaiting()
}

func (s *share) release() { s.shrinkTo(0) }
