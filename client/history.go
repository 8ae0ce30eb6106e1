package client

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/parley-npc/parley/personas/wire"
)

// HistoryPart selects the newest Limit messages before the message with the id Before. A zero field
// means no limit. Only the local server supports parts.
type HistoryPart struct {
	Limit  int
	Before string
}

// HistoryPart returns part of a session's history, oldest message first (GET history). earlier
// reports whether older messages exist. An empty machine means the player's newest session.
func (c *Client) HistoryPart(
	ctx context.Context, id, userSession, machine string, part HistoryPart,
) (h wire.History, earlier bool, err error) {
	spec := newReadCall(wire.PathHistory, id, playerQuery(userSession, machine))
	h, before, err := fetchPart[wire.History](ctx, c, spec, part)
	return h, before != "", err
}

// History returns a session's messages, oldest first (GET history). It may send several requests.
// An empty machine means the player's newest session.
func (c *Client) History(ctx context.Context, id, userSession, machine string) (wire.History, error) {
	return joinParts(ctx, c, newReadCall(wire.PathHistory, id, playerQuery(userSession, machine)), historyMessages)
}

// Trace returns the evaluation of each turn of a session (GET trace). The persona must belong to
// the caller. If machine is empty, Trace uses the player's newest session.
func (c *Client) Trace(ctx context.Context, id, userSession, machine string) (wire.Trace, error) {
	return joinParts(ctx, c, newReadCall(wire.PathTrace, id, playerQuery(userSession, machine)), tracedTurns)
}

func historyMessages(h *wire.History) *[]wire.HistoryMessage { return &h.Messages }

func tracedTurns(t *wire.Trace) *[]wire.TurnTrace { return &t.Turns }

const (
	// partLimit is the number of messages per request. It keeps a response below MaxAnswer.
	partLimit = 500
	maxParts  = 1000
)

func joinParts[Answer, Item any](
	ctx context.Context, c *Client, spec call, list func(*Answer) *[]Item,
) (whole Answer, err error) {
	whole, before, err := fetchPart[Answer](ctx, c, spec, HistoryPart{Limit: partLimit})
	if isRefusedQuery(err) {
		return fetchAnswer[Answer](ctx, c, spec) // The service may reject partLimit.
	}
	parts := [][]Item{*list(&whole)}
	for err == nil && before != "" {
		if len(parts) == maxParts {
			problem := fmt.Sprintf("answered with more than %d parts of one history", maxParts)
			return whole, &NotServiceError{URL: c.Address(), Problem: problem}
		}
		var part Answer
		part, before, err = fetchPart[Answer](ctx, c, spec, HistoryPart{Limit: partLimit, Before: before})
		parts = append(parts, *list(&part))
	}
	slices.Reverse(parts)
	*list(&whole) = slices.Concat(parts...)
	return whole, err
}

func isRefusedQuery(err error) bool {
	status := wire.ErrorStatus(err)
	return status == http.StatusUnprocessableEntity || status == http.StatusBadRequest
}

func fetchPart[Answer any](
	ctx context.Context, c *Client, spec call, part HistoryPart,
) (answer Answer, before string, err error) {
	query := maps.Clone(spec.query)
	if part.Limit > 0 {
		query.Set(wire.QueryLimit, strconv.Itoa(part.Limit))
	}
	if part.Before != "" {
		query.Set(wire.QueryBefore, part.Before)
	}
	spec.query = query
	response, err := c.fetchResponse(ctx, spec)
	if err == nil {
		before, err = nextQuery(response.Header).Get(wire.QueryBefore), response.decodeBody(&answer)
	}
	return answer, before, err
}
