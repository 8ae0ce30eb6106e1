package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/wire"
)

// Limits for the bodies of all requests together, in bytes.
const (
	// maxBodyCost is the maximum expected memory for parsing large bodies at the same time.
	maxBodyCost = 256 << 20
	// costOfByte is the expected memory for parsing one byte of a body: saving 6.5 MB was measured
	// to need 210 MB.
	costOfByte = 32
	// maxReceived is the maximum size of all bodies that are being received, which need only their
	// own size.
	maxReceived = 64 << 20
	// Bodies of at most smallBody bytes have separate budgets, so that a player's message never
	// waits for a save.
	smallBody        = 64 << 10
	maxSmallBodyCost = 64 << 20
	// After a call that needed at least collectFrom, memory is returned to the system before it is
	// granted to the next call.
	collectFrom = 32 << 20
)

// Limits for all answers together, in bytes: for answers that are written page by page, and for
// answers that contain a persona's document.
const (
	maxAnswers   = 64 << 20
	maxDocuments = 256 << 20
	// costOfDocumentByte is the expected memory for one byte of a document, which is in memory both
	// parsed and as JSON.
	costOfDocumentByte = 6
	// costOfAnswerByte is the expected memory for one byte of a page, which is in memory both
	// parsed and as JSON.
	costOfAnswerByte = 4
	// smallAnswer is the maximum size of a page or document in the separate budget for small
	// answers, so that a small answer never waits for large ones.
	smallAnswer = 64 << 10
)

// A call waits at most shareWait for memory. If it is rejected, the client should retry after
// shareRetryAfter.
const (
	shareWait       = 10 * time.Second
	shareRetryAfter = 2 * time.Second
)

// bodyBudgets are the budgets for receiving and parsing bodies of one size class.
type bodyBudgets struct{ receiving, working *budget }

// bodyMemory contains the budgets for small and for large bodies.
type bodyMemory struct{ small, large bodyBudgets }

func newBodyMemory() bodyMemory {
	return bodyMemory{
		small: bodyBudgets{newBudget(maxReceived), newBudget(maxSmallBodyCost)},
		large: bodyBudgets{newBudget(maxReceived), newBudget(maxBodyCost)},
	}
}

// answerMemory contains the budgets for answers. A caller may use at most a quarter of the budgets
// for large answers, so that one slow reader does not block others.
type answerMemory struct{ small, pages, documents *budget }

func newAnswerMemory() answerMemory {
	return answerMemory{newBudget(maxAnswers), newFairBudget(maxAnswers), newFairBudget(maxDocuments)}
}

// ReserveAnswer reserves memory for an answer that is written in pages of at most pageBytes bytes.
// The memory is reserved until the next reservation of the call, or until Release. If not enough
// memory becomes free within shareWait, the error is a 503.
func (c *Call) ReserveAnswer(ctx context.Context, pageBytes int64) (err error) {
	c.answer.giveBack()
	from := c.checker.answers.pages
	if pageBytes <= smallAnswer {
		from = c.checker.answers.small
	}
	c.answer, err = c.checker.takeShare(ctx, from, pageBytes*costOfAnswerByte, "answers", maxAnswers)
	return err
}

// ReserveDocument is like ReserveAnswer, for an answer that contains a document of the given size.
func (c *Call) ReserveDocument(ctx context.Context, bytes int64) (err error) {
	c.answer.giveBack()
	c.answer, err = c.checker.takeDocumentShare(ctx, bytes)
	return err
}

// ReserveDocument reserves memory for a page that contains a document of the given size, until
// release is called.
func (c *Checker) ReserveDocument(ctx context.Context, bytes int64) (release func(), err error) {
	taken, err := c.takeDocumentShare(ctx, bytes)
	return taken.giveBack, err
}

func (c *Checker) takeDocumentShare(ctx context.Context, bytes int64) (*share, error) {
	from := c.answers.documents
	if bytes <= smallAnswer {
		from = c.answers.small
	}
	return c.takeShare(ctx, from, bytes*costOfDocumentByte, "answers", maxDocuments)
}

func (m *bodyMemory) budgetsFor(length int64) bodyBudgets {
	if length <= smallBody {
		return m.small
	}
	return m.large
}

// receiveBody reads a body within the memory budgets. While the body is being received, only its
// size is reserved, so that a slow sender does not block others. The memory for parsing is reserved
// when the body is complete, until Release.
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
	received, err := c.takeShare(r.Context(), c.bodies.budgetsFor(announced).receiving, announced, "bodies", maxBodyCost)
	if err != nil {
		return err
	}
	defer received.giveBack()
	if call.Body, err = readBody(limit, w, r); err != nil {
		return err
	}
	length := int64(len(call.Body))
	call.memory, err = c.takeShare(r.Context(), c.bodies.budgetsFor(length).working, length*costOfByte, "bodies", maxBodyCost)
	return err
}

// takeShare waits for a share for at most shareWait, and stops when the caller has disconnected or
// the server stops. (A disconnect is detected only after the body was received.) The error contains
// use, which is "bodies" or "answers", and size, the size of the budget in bytes.
func (c *Checker) takeShare(ctx context.Context, from *budget, amount int64, use string, size int) (*share, error) {
	waiting, cancel := context.WithTimeout(ctx, shareWait)
	defer cancel()
	taken, err := from.takeShare(waiting, c.stopping, identity.Network(ctx), amount)
	switch {
	case err == nil:
		return taken, nil
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, noMemoryLeft(use, size)
	}
	return nil, Canceled()
}

func noMemoryLeft(use string, size int) *Error {
	e := NewError(http.StatusServiceUnavailable, wire.CodeUnavailable,
		fmt.Sprintf("other requests use all the memory for %[1]s (%[2]d MiB), send the request again", use, size>>20))
	e.RetryAfter = shareRetryAfter
	return e
}

// FinishParsing releases the memory for parsing, except for the size of the body. Call it before
// waiting for a model, so that slow models do not block other callers.
func (c *Call) FinishParsing() { c.memory.shrinkTo(int64(len(c.Body))) }

// Release releases the call's memory. It must be called at the end of every admitted call.
func (c *Call) Release() {
	c.answer.giveBack()
	if !c.memory.isLarge() {
		c.memory.giveBack()
		return
	}
	taken := c.memory
	// The answer does not wait for FreeOSMemory, but the next body must.
	go func() {
		debug.FreeOSMemory()
		taken.giveBack()
	}()
}
