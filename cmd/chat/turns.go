package chat

import (
	"context"
	"errors"
	"net/http"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
)

// noRetryService is the service for a chat on a screen: it does not retry a failed turn, because
// the screen shows the failure and counts down itself. Other calls are retried as usual.
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

// StreamMessage sends a turn and streams the reply. If the service does not support streams, it
// requests the whole reply, as the same turn.
func (s noRetryService) StreamMessage(ctx context.Context, persona, machine string, body wire.Message, onDelta func(text string) error) (wire.Reply, error) {
	reply, err := s.turns.StreamMessage(ctx, persona, machine, body, onDelta)
	if !isUnknownCall(err) {
		return reply, err
	}
	return s.turns.SendMessage(ctx, persona, machine, body)
}

// HistoryAtOnce reads a session without a retry, while the screen counts down itself.
func (s noRetryService) HistoryAtOnce(ctx context.Context, persona, userSession, machine string) (wire.History, error) {
	return s.turns.History(ctx, persona, userSession, machine)
}

// isUnknownCall reports whether a service does not know a call. It answers a persona or a
// session that does not exist in the same way; the next call shows which it was.
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

// isLost reports whether a connection broke off or was never made, so that trying again may
// help.
func isLost(err error) bool {
	_, lost := errors.AsType[*client.UnreachableError](err)
	return lost
}

// isUnsent reports whether a connection was never made, so that nothing was sent.
func isUnsent(err error) bool {
	lost, ok := errors.AsType[*client.UnreachableError](err)
	return ok && !lost.Broken
}
