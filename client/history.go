package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/parley-npc/parley/personas/wire"
)

// HistoryPart selects part of a history: at most Limit messages, the newest of those before the
// message with the id Before. Zero values set no bound. Both are additions of the local server; a
// service without them answers with the whole history.
type HistoryPart struct {
	Limit  int
	Before string
}

// HistoryPart returns a part of a player's history (GET history), oldest first, and reports
// whether there are messages before it. Without a machine it is the newest session.
func (c *Client) HistoryPart(ctx context.Context, id, userSession, machine string, part HistoryPart) (h wire.History, earlier bool, err error) {
	return fetchPart[wire.History](ctx, c, newReadCall(wire.PathHistory, id, playerQuery(userSession, machine)), part)
}

// History returns all messages of a player's session, oldest first (GET history), however
// many there are: it asks for them in parts. Without a machine it is the newest session.
func (c *Client) History(ctx context.Context, id, userSession, machine string) (wire.History, error) {
	return joinParts(ctx, c, newReadCall(wire.PathHistory, id, playerQuery(userSession, machine)), historyList())
}

// Trace returns why a player's session went as it did, to the persona's owner (GET
// trace; an addition of the local server), in parts as History. Without a machine it is the
// newest session.
func (c *Client) Trace(ctx context.Context, id, userSession, machine string) (wire.Trace, error) {
	return joinParts(ctx, c, newReadCall(wire.PathTrace, id, playerQuery(userSession, machine)), traceList())
}

// History is Client.History on this side.
func (s *SDK) History(ctx context.Context, id, userSession, machine string) (wire.History, error) {
	return joinParts(ctx, s.client, s.newReadCall(wire.PathSDKHistory, id, playerQuery(userSession, machine)), historyList())
}

// answerList is where an answer has its list, the id of an item, and which session it is of.
type answerList[Answer, Item any] struct {
	items   func(*Answer) *[]Item
	id      func(*Item) string
	session func(*Answer) string
}

func historyList() answerList[wire.History, wire.HistoryMessage] {
	return answerList[wire.History, wire.HistoryMessage]{
		func(h *wire.History) *[]wire.HistoryMessage { return &h.Messages },
		func(m *wire.HistoryMessage) string { return m.ID },
		func(h *wire.History) string { return h.SessionID },
	}
}

func traceList() answerList[wire.Trace, wire.TurnTrace] {
	return answerList[wire.Trace, wire.TurnTrace]{
		func(t *wire.Trace) *[]wire.TurnTrace { return &t.Turns },
		func(t *wire.TurnTrace) string { return t.MessageID },
		func(t *wire.Trace) string { return t.SessionID },
	}
}

const (
	// partLimit is how many messages are asked for at a time: they fit into MaxAnswer.
	partLimit = 500
	// maxParts bounds the number of parts that a service can make us read.
	maxParts = 1000
	// maxJoins is how often to read a history that is reset meanwhile.
	maxJoins = 3
)

// errReset: the session was reset or replaced while its history was read.
var errReset = errors.New("the session was begun again while its history was read: read it again")

// joinParts reads an answer part by part, the newest first, and joins them. Fields other than the
// list come from the newest part.
func joinParts[Answer, Item any](ctx context.Context, c *Client, k call, list answerList[Answer, Item]) (whole Answer, err error) {
	for range maxJoins {
		whole, err = joinOnce(ctx, c, k, list)
		if !errors.Is(err, errReset) {
			break
		}
	}
	return whole, err
}

func joinOnce[Answer, Item any](ctx context.Context, c *Client, k call, list answerList[Answer, Item]) (whole Answer, err error) {
	whole, earlier, err := fetchPart[Answer](ctx, c, k, HistoryPart{Limit: partLimit})
	if isRefusedQuery(err) {
		return fetchAnswer[Answer](ctx, c, k) // Perhaps it was our own value.
	}
	items := list.items(&whole)
	parts := [][]Item{*items}
	for first := *items; err == nil && earlier && len(first) > 0; parts = append(parts, first) {
		if len(parts) == maxParts {
			return whole, &NotServiceError{URL: c.Address(), Problem: fmt.Sprintf("answered with more than %d parts of one history", maxParts)}
		}
		var part Answer
		part, earlier, err = fetchPart[Answer](ctx, c, k, HistoryPart{Limit: partLimit, Before: list.id(&first[0])})
		if isRefusedQuery(err) || err == nil && list.session(&part) != list.session(&whole) {
			return whole, errReset
		}
		first = *list.items(&part)
	}
	slices.Reverse(parts)
	*items = slices.Concat(parts...)
	return whole, err
}

// isRefusedQuery reports whether an error refuses the query of a request.
func isRefusedQuery(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && (refusal.Status == http.StatusUnprocessableEntity || refusal.Status == http.StatusBadRequest)
}

// fetchPart reads a part of an answer, and reports whether there is something before it.
func fetchPart[Answer any](ctx context.Context, c *Client, k call, part HistoryPart) (answer Answer, earlier bool, err error) {
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
		earlier, err = len(nextQuery(response.Header)) > 0, response.decodeBody(&answer)
	}
	return answer, earlier, err
}
