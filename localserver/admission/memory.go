package admission

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/parley-npc/parley/localserver/apierror"
	"github.com/parley-npc/parley/personas/wire"
)

// What the bodies of all requests may cost together, in bytes
// (docs/decisions/localserver.md, body-memory).
const (
	// maxBodyCost bounds the bodies that are being worked on: what reading the
	// documents in them is expected to take.
	maxBodyCost = 256 << 20
	// costOfByte is the expected cost of each byte of a body: a save of 6.5 MB was
	// measured to hold 210 MB.
	costOfByte = 32
	// maxReceived bounds the bodies that are still coming, which cost what they weigh.
	maxReceived = 64 << 20
	// A body of up to smallBody has budgets of its own, so that a player's message
	// never waits behind a save.
	smallBody        = 64 << 10
	maxSmallBodyCost = 64 << 20
	// collectFrom is the cost from which memory is given back to the system before
	// the next body is read.
	collectFrom = 32 << 20
)

// A body waits up to bodyWait for its share; whoever is refused is asked to come
// again after bodyRetryAfter.
const (
	bodyWait       = 10 * time.Second
	bodyRetryAfter = 2 * time.Second
)

// bodyBudgets are the budgets of bodies of one size.
type bodyBudgets struct{ receiving, working *budget }

// bodyMemory is what bodies may take.
type bodyMemory struct{ small, large bodyBudgets }

func newBodyMemory() bodyMemory {
	return bodyMemory{
		small: bodyBudgets{newBudget(maxReceived), newBudget(maxSmallBodyCost)},
		large: bodyBudgets{newBudget(maxReceived), newBudget(maxBodyCost)},
	}
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
	received, err := c.takeShare(r.Context(), c.bodies.budgetsFor(announced).receiving, announced)
	if err != nil {
		return err
	}
	defer received.giveBack()
	if call.Body, err = readBody(limit, w, r); err != nil {
		return err
	}
	length := int64(len(call.Body))
	call.memory, err = c.takeShare(r.Context(), c.bodies.budgetsFor(length).working, length*costOfByte)
	return err
}

// takeShare waits for a share, but not for long, nor for a caller who has gone, nor
// when the server stops. (That a caller has gone is known once his body is there.)
func (c *Checker) takeShare(ctx context.Context, from *budget, amount int64) (*share, error) {
	waiting, cancel := context.WithTimeout(ctx, bodyWait)
	defer cancel()
	taken, err := from.takeShare(waiting, c.stopping, amount)
	switch {
	case err == nil:
		return taken, nil
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return nil, noMemoryLeft()
	}
	return nil, apierror.Canceled()
}

func noMemoryLeft() *apierror.Error {
	e := apierror.New(http.StatusServiceUnavailable, wire.CodeUnavailable,
		fmt.Sprintf("the bodies of other requests take all the memory that there is for bodies (%d MiB), send it again", maxBodyCost>>20))
	e.RetryAfter = bodyRetryAfter
	return e
}

// FinishParsing gives back what was taken for reading the body, all but what the body
// weighs. What goes on to wait for a model calls it first, so that slow models keep
// nobody out.
func (c *Call) FinishParsing() { c.memory.shrinkTo(int64(len(c.Body))) }

// Release gives back what the call has taken. It comes at the end of every call that
// was admitted.
func (c *Call) Release() {
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
