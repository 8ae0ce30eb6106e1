package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/wire"
)

type chatService struct {
	*service.Service
	turns *client.Client
}

// newNoRetryService does not retry turns, because the chat shows a failure with a countdown.
func newNoRetryService(s *service.Service) chatService {
	return chatService{s, s.WithAttempts(1)}
}

const maxPublished = 1000

func localHint(err error) string {
	unreachable, is := errors.AsType[*client.UnreachableError](err)
	if !is || !unreachable.IsNobody() || !wire.IsLoopbackURL(unreachable.URL) {
		return ""
	}
	return "; or play a sample without a service: `parley chat --local`"
}

// Published returns the newest public personas, at most 1,000.
func (s chatService) Published(ctx context.Context) ([]wire.PersonaItem, error) {
	all, err := s.PersonaPages(ctx, client.PersonaList{}, maxPublished)
	if err != nil {
		return nil, fmt.Errorf("list personas: %w%s", err, localHint(err))
	}
	items := make([]wire.PersonaItem, len(all.Items))
	for i := range all.Items {
		items[i] = all.Items[i].PersonaItem
	}
	return items, nil
}

func (s chatService) SendMessage(ctx context.Context, persona, machine string, body wire.Message) (wire.Reply, error) {
	return s.turns.SendMessage(ctx, persona, machine, body)
}

// StreamMessage sends a turn and streams the reply if the service supports streams.
func (s chatService) StreamMessage(ctx context.Context, persona, machine string, body wire.Message,
	onDelta func(text string) error) (wire.Reply, error) {
	reply, err := s.turns.StreamMessage(ctx, persona, machine, body, onDelta)
	if !isUnknownCall(err) {
		return reply, err
	}
	return s.turns.SendMessage(ctx, persona, machine, body)
}

func (s chatService) HistoryAtOnce(ctx context.Context, persona, userSession, machine string) (wire.History, error) {
	return s.turns.History(ctx, persona, userSession, machine)
}

// isUnknownCall also accepts a missing persona. The next call then returns the same status.
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

func isLost(err error) bool {
	_, lost := errors.AsType[*client.UnreachableError](err)
	return lost
}

func isUnsent(err error) bool {
	lost, ok := errors.AsType[*client.UnreachableError](err)
	return ok && !lost.Broken
}
