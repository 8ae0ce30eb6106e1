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

// HistoryPart selects the newest Limit messages before the message with the id Before. A zero
// field means no limit. Services other than the local server return the whole history.
type HistoryPart struct {
	Limit  int
	Before string
}

// HistoryPart returns part of a session's history, oldest message first (GET history). earlier
// reports whether older messages exist. If machine is empty, it uses the player's newest session.
func (c *Client) HistoryPart(ctx context.Context, id, userSession, machine string, part HistoryPart) (h wire.History, earlier bool, err error) {
	h, before, err := fetchPart[wire.History](ctx, c, newReadCall(wire.PathHistory, id, playerQuery(userSession, machine)), part)
	return h, before != "", err
}

// History returns all messages of a player's session, oldest first (GET history). It may make
// several requests. If machine is empty, it uses the player's newest session.
func (c *Client) History(ctx context.Context, id, userSession, machine string) (wire.History, error) {
	return joinParts(ctx, c, newReadCall(wire.PathHistory, id, playerQuery(userSession, machine)), historyMessages)
}

// Trace returns how the service judged each turn of a session with one of the caller's personas
// (GET trace, an addition of the local server). If machine is empty, it uses the newest session.
func (c *Client) Trace(ctx context.Context, id, userSession, machine string) (wire.Trace, error) {
	return joinParts(ctx, c, newReadCall(wire.PathTrace, id, playerQuery(userSession, machine)), tracedTurns)
}

func historyMessages(h *wire.History) *[]wire.HistoryMessage { return &h.Messages }

func tracedTurns(t *wire.Trace) *[]wire.TurnTrace { return &t.Turns }

const (
	// partLimit is the maximum number of messages that one request returns. It keeps the answer
	// below MaxAnswer.
	partLimit = 500
	maxParts  = 1000
)

// joinParts fetches an answer in parts, newest part first, and joins the lists of the parts. It
// fails if the session is reset meanwhile.
func joinParts[Answer, Item any](ctx context.Context, c *Client, k call, list func(*Answer) *[]Item) (whole Answer, err error) {
	whole, before, err := fetchPart[Answer](ctx, c, k, HistoryPart{Limit: partLimit})
	if isRefusedQuery(err) {
		return fetchAnswer[Answer](ctx, c, k) // The service may reject our limit.
	}
	parts := [][]Item{*list(&whole)}
	for err == nil && before != "" {
		if len(parts) == maxParts {
			return whole, &NotServiceError{URL: c.Address(), Problem: fmt.Sprintf("answered with more than %d parts of one history", maxParts)}
		}
		var part Answer
		part, before, err = fetchPart[Answer](ctx, c, k, HistoryPart{Limit: partLimit, Before: before})
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

// fetchPart returns one part. before is HistoryPart.Before for the next older part, or "" if there
// is none.
func fetchPart[Answer any](ctx context.Context, c *Client, k call, part HistoryPart) (answer Answer, before string, err error) {
	query := maps.Clone(k.query)
	if part.Limit > 0 {
		query.Set(wire.QueryLimit, strconv.Itoa(part.Limit))
	}
	if part.Before != "" {
		query.Set(wire.QueryBefore, part.Before)
	}
	k.query = query
	response, err := c.makeCall(ctx, k)
	if err == nil {
		before, err = nextQuery(response.Header).Get(wire.QueryBefore), response.decodeBody(&answer)
	}
	return answer, before, err
}
