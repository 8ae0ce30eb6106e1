package chat

import (
	"context"
	"errors"
	"net/http"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
)

// noRetryService does not retry failed turns, because the full-screen chat shows a failure with its
// own countdown.
type noRetryService struct {
	chatService
	turns *client.Client
}

func newNoRetryService(s *service.Service, names *publishedNames) noRetryService {
	return noRetryService{chatService{s, names}, s.WithRetry(client.RetryPolicy{Attempts: 1})}
}

// SendMessage sends a turn and returns the whole reply.
func (s noRetryService) SendMessage(ctx context.Context, persona, machine string, body wire.Message) (wire.Reply, error) {
	return s.turns.SendMessage(ctx, persona, machine, body)
}

// StreamMessage sends a turn and streams the reply, or requests the whole reply if the service has
// no streams.
func (s noRetryService) StreamMessage(ctx context.Context, persona, machine string, body wire.Message, onDelta func(text string) error) (wire.Reply, error) {
	reply, err := s.turns.StreamMessage(ctx, persona, machine, body, onDelta)
	if !isUnknownCall(err) {
		return reply, err
	}
	return s.turns.SendMessage(ctx, persona, machine, body)
}

// HistoryAtOnce reads a session without retries, because the screen has its own countdown.
func (s noRetryService) HistoryAtOnce(ctx context.Context, persona, userSession, machine string) (wire.History, error) {
	return s.turns.History(ctx, persona, userSession, machine)
}

// isUnknownCall reports whether a service may lack an endpoint. A missing persona has the same
// status, and the next call tells the two apart.
func isUnknownCall(err error) bool {
	status := 0
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		status = refusal.Status
	}
	if page, ok := errors.AsType[*client.NotServiceError](err); ok {
		status = page.Status
	}
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

// isLost reports whether a connection broke or was never made, so that a retry may succeed.
func isLost(err error) bool {
	_, lost := errors.AsType[*client.UnreachableError](err)
	return lost
}

func isUnsent(err error) bool {
	lost, ok := errors.AsType[*client.UnreachableError](err)
	return ok && !lost.Broken
}
