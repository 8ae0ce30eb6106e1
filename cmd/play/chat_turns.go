package play

import (
	"context"
	"errors"
	"net/http"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
)

// noRetryService is the service as the whole screen makes turns with it: each failure
// comes at once, because the screen counts down itself. Its other questions are
// tried again as everywhere.
type noRetryService struct {
	chatService
	turns *client.Client
}

func newNoRetryService(s *service.Service) noRetryService {
	return noRetryService{chatService{s}, s.WithRetry(client.RetryPolicy{Attempts: 1})}
}

// SendMessage makes a turn and gives the reply as a whole.
func (a noRetryService) SendMessage(ctx context.Context, persona, machine string, body wire.Message) (wire.Reply, error) {
	return a.turns.SendMessage(ctx, persona, machine, body)
}

// StreamMessage makes a turn and gives the reply as it comes. The interface has
// no streams beside the game SDK's, so of a service that knows none it is asked
// whole, as the same turn (docs/decisions/cmd.md, stream-fallback).
func (a noRetryService) StreamMessage(ctx context.Context, persona, machine string, body wire.Message, onDelta func(text string) error) (wire.Reply, error) {
	reply, err := a.turns.StreamMessage(ctx, persona, machine, body, onDelta)
	if !isUnknownCall(err) {
		return reply, err
	}
	return a.turns.SendMessage(ctx, persona, machine, body)
}

// HistoryAtOnce reads a session while the screen counts down itself.
func (a noRetryService) HistoryAtOnce(ctx context.Context, persona, userSession, machine string) (wire.History, error) {
	return a.turns.History(ctx, persona, userSession, machine)
}

// isUnknownCall tells the answers to a call that a service does not have. A
// persona or a session that is not there is answered alike; the next call tells.
func isUnknownCall(err error) bool {
	status := 0
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		status = refusal.Status
	}
	if page, ok := errors.AsType[*client.NotService](err); ok {
		status = page.Status
	}
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

// isLost tells the connections that broke off or were never made; trying again
// may find them.
func isLost(err error) bool {
	_, lost := errors.AsType[*client.Unreachable](err)
	return lost
}

// isUnsent tells the connections that were never made: nothing was sent.
func isUnsent(err error) bool {
	lost, ok := errors.AsType[*client.Unreachable](err)
	return ok && !lost.Broken
}
