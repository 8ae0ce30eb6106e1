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
	// costOfByte is the expected memory for parsing one byte of a body. A measured save of 6.5 MB
	// needed 210 MB.
	costOfByte = 32
	// maxReceived is the maximum size of all bodies that are being received. Receiving a body needs
	// only the size of the body.
	maxReceived = 64 << 20
	// Bodies of at most smallBody bytes have separate budgets, so that a player's message never
	// waits for a save.
	smallBody        = 64 << 10
	maxSmallBodyCost = 64 << 20
	// After a call that needed at least collectFrom bytes, the memory is returned to the system
	// before the next call gets it.
	collectFrom = 32 << 20
)

// Limits in bytes for all answers together. There are separate limits for answers that are written
// page by page, and for answers that contain a persona's document.
const (
	maxAnswers   = 64 << 20
	maxDocuments = 256 << 20
	// costOfDocumentByte is the expected memory for one byte of a document. A document is in memory
	// twice: parsed and as JSON.
	costOfDocumentByte = 6
	costOfAnswerByte   = 4
	// smallAnswer is the maximum size of a page or document that uses the budget for small answers.
	// That budget is separate, so that a small answer never waits for large ones.
	smallAnswer = 64 << 10
)

// A call waits at most shareWait for memory. If the call is rejected, the client should retry after
// shareRetryAfter.
const (
	shareWait       = 10 * time.Second
	shareRetryAfter = 2 * time.Second
)

type bodyBudgets struct{ receiving, working *budget }

// ReserveAnswer reserves memory for pages of at most pageBytes bytes. The reservation lasts until
// the next reservation of the call, or until Release. The error is a 503 if not enough memory
// becomes free within shareWait.
func (c *Call) ReserveAnswer(ctx context.Context, pageBytes int64) (err error) {
	c.answer.release()
	c.answer, err = c.checker.takeAnswerShare(ctx, c.checker.pages, pageBytes, costOfAnswerByte)
	return err
}

// ReserveDocument is like ReserveAnswer, but for an answer that contains a document of the given
// size.
func (c *Call) ReserveDocument(ctx context.Context, bytes int64) (err error) {
	c.answer.release()
	c.answer, err = c.checker.takeAnswerShare(ctx, c.checker.documents, bytes, costOfDocumentByte)
	return err
}

// ReserveDocument reserves memory for a page that contains a document of the given size, until
// release is called.
func (c *Checker) ReserveDocument(ctx context.Context, bytes int64) (release func(), err error) {
	taken, err := c.takeAnswerShare(ctx, c.documents, bytes, costOfDocumentByte)
	return taken.release, err
}

func (c *Checker) takeAnswerShare(ctx context.Context, from *budget, bytes, cost int64) (*share, error) {
	if bytes <= smallAnswer {
		from = c.smallAnswers
	}
	return c.takeShare(ctx, from, bytes*cost, "answers")
}

func (c *Checker) budgetsFor(length int64) bodyBudgets {
	if length <= smallBody {
		return c.smallBodies
	}
	return c.largeBodies
}

// receiveBody reserves only the size of a body while it is received, so that a slow sender does not block
// others.
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
	received, err := c.takeShare(r.Context(), c.budgetsFor(announced).receiving, announced, "bodies")
	if err != nil {
		return err
	}
	defer received.release()
	if call.Body, err = readBody(limit, w, r); err != nil {
		return err
	}
	length := int64(len(call.Body))
	call.memory, err = c.takeShare(r.Context(), c.budgetsFor(length).working, length*costOfByte, "bodies")
	return err
}

// takeShare waits until memory is free. It gives up after shareWait, when the caller disconnects,
// and when the server stops. The error contains use ("bodies" or "answers") and
// the limit.
func (c *Checker) takeShare(ctx context.Context, from *budget, amount int64, use string) (*share, error) {
	waiting, cancel := context.WithTimeout(ctx, shareWait)
	defer cancel()
	taken, err := from.takeShare(waiting, c.stopping, identity.Network(ctx), amount)
	switch {
	case err == nil:
		return taken, nil
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		e := NewError(http.StatusServiceUnavailable, wire.CodeUnavailable,
			fmt.Sprintf("other requests use all the memory for %s (%d MiB), send the request again", use, from.most>>20))
		e.RetryAfter = shareRetryAfter
		return nil, e
	}
	return nil, Canceled()
}

// FinishParsing reduces the reserved memory to the size of the body. Call it before waiting for a
// model, so that slow models do not block other callers.
func (c *Call) FinishParsing() { c.memory.shrinkTo(int64(len(c.Body))) }

// Release releases the call's memory. It must be called at the end of every admitted call.
func (c *Call) Release() {
	c.answer.release()
	if c.memory == nil || c.memory.amount < collectFrom {
		c.memory.release()
		return
	}
	taken := c.memory
	// The answer need not wait for FreeOSMemory, but the next body must.
	go func() {
		debug.FreeOSMemory()
		taken.release()
	}()
}

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

// newFairBudget returns a budget with a maximum for each caller. A caller may use a quarter of the
// budget, or one share that is larger.
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

// serveWaiting grants the waiting shares in order. It skips a share that would exceed the maximum
// of its caller. b.mu must be locked.
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

// release may be called twice.
func (s *share) release() { s.shrinkTo(0) }
