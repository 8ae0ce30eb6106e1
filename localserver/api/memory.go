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

// Limits for the bodies of all requests together, in bytes. A save of 6.5 MB was measured at 32
// bytes of memory for each byte of its body.
const (
	// maxBodyCost bounds the bodies in work: the expected memory for reading the documents in them.
	maxBodyCost = 256 << 20
	// costOfByte is the expected cost of each byte of a body: a save of 6.5 MB was
	// measured to hold 210 MB.
	costOfByte = 32
	// maxReceived bounds the bodies that are still coming, which cost what they weigh.
	maxReceived = 64 << 20
	// Bodies of up to smallBody have separate budgets, so that a player's message never waits
	// behind a save.
	smallBody        = 64 << 10
	maxSmallBodyCost = 64 << 20
	// From a cost of collectFrom on, memory is returned to the system before the next body is read.
	collectFrom = 32 << 20
)

// Limits for all large answers together: those written while they are read from the database, and
// those made of a persona's document.
const (
	maxAnswers   = 64 << 20
	maxDocuments = 256 << 20
	// costOfDocumentByte is the cost of each byte of a document: once as read, and once as JSON.
	costOfDocumentByte = 6
	// costOfAnswerByte is the cost of each byte of a page: once as read, and once as JSON.
	costOfAnswerByte = 4
	// smallAnswer is the largest page or document in the separate budget for small answers, so that
	// a short answer never waits behind long ones.
	smallAnswer = 64 << 10
)

// A call waits for a share up to shareWait; after a refusal the client should retry after
// shareRetryAfter.
const (
	shareWait       = 10 * time.Second
	shareRetryAfter = 2 * time.Second
)

// bodyBudgets are the budgets of bodies of one size.
type bodyBudgets struct{ receiving, working *budget }

// bodyMemory is the memory for bodies.
type bodyMemory struct{ small, large bodyBudgets }

func newBodyMemory() bodyMemory {
	return bodyMemory{
		small: bodyBudgets{newBudget(maxReceived), newBudget(maxSmallBodyCost)},
		large: bodyBudgets{newBudget(maxReceived), newBudget(maxBodyCost)},
	}
}

// answerMemory is the memory for answers. A caller may use at most a quarter of that for large
// ones, so that one slow reader does not block others.
type answerMemory struct{ small, pages, documents *budget }

func newAnswerMemory() answerMemory {
	return answerMemory{newBudget(maxAnswers), newFairBudget(maxAnswers), newFairBudget(maxDocuments)}
}

// ReserveAnswer takes the memory for an answer that is written in pages of at most pageBytes. The
// call keeps it until the next reservation, or until Release. If other answers use all of it for
// too long, the error is a 503.
func (c *Call) ReserveAnswer(ctx context.Context, pageBytes int64) (err error) {
	c.answer.giveBack()
	from := c.checker.answers.pages
	if pageBytes <= smallAnswer {
		from = c.checker.answers.small
	}
	c.answer, err = c.checker.takeShare(ctx, from, pageBytes*costOfAnswerByte, "answers", maxAnswers)
	return err
}

// ReserveDocument is ReserveAnswer for an answer that is made of a document of the given size.
func (c *Call) ReserveDocument(ctx context.Context, bytes int64) (err error) {
	c.answer.giveBack()
	c.answer, err = c.checker.takeDocumentShare(ctx, bytes)
	return err
}

// ReserveDocument takes the memory for a page that is made of a document of the given size, until
// release.
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

// receiveBody reads a body within the memory that bodies may take. A slow sender
// holds only what the body weighs; the share for working on it comes when all of it
// is there, and is the call's until Release.
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

// takeShare waits for a share, but not for long, nor for a caller who has gone, nor
// when the server stops. (That a caller has gone is known once his body is there.) what
// and most say in a refusal what has taken how many bytes.
func (c *Checker) takeShare(ctx context.Context, from *budget, amount int64, what string, most int) (*share, error) {
	waiting, cancel := context.WithTimeout(ctx, shareWait)
	defer cancel()
	taken, err := from.takeShare(waiting, c.stopping, identity.Network(ctx), amount)
	switch {
	case err == nil:
		return taken, nil
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, noMemoryLeft(what, most)
	}
	return nil, Canceled()
}

func noMemoryLeft(what string, most int) *Error {
	e := NewError(http.StatusServiceUnavailable, wire.CodeUnavailable,
		fmt.Sprintf("the %[1]s of other requests take all the memory that there is for %[1]s (%[2]d MiB), send it again", what, most>>20))
	e.RetryAfter = shareRetryAfter
	return e
}

// FinishParsing returns the memory for reading the body, except for the size of the body. Call it
// before waiting for a model, so that slow models do not block other callers.
func (c *Call) FinishParsing() { c.memory.shrinkTo(int64(len(c.Body))) }

// Release returns the call's memory. It must be called at the end of every admitted call.
func (c *Call) Release() {
	c.answer.giveBack()
	if !c.memory.isLarge() {
		c.memory.giveBack()
		return
	}
	taken := c.memory
	// The answer need not wait for it, the next body must.
	go func() {
		debug.FreeOSMemory()
		taken.giveBack()
	}()
}
