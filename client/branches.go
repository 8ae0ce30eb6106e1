package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// UnsupportedError means that a service lacks an endpoint that only Parley's own server adds to the
// HTTP interface.
type UnsupportedError struct {
	// URL is the service's address, without user and password.
	URL string
	// What is the missing feature, in the words that follow "cannot" in the message.
	What string
	Err  error
}

// Error explains what the service cannot do and which server can.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the service at %s cannot %s: use a server of this version of Parley (parley localserver)", e.URL, e.What)
}

// Unwrap returns the service's error.
func (e *UnsupportedError) Unwrap() error { return e.Err }

const (
	cannotBranch = "take messages back or branch a conversation"
	cannotList   = "list the sessions of a persona"
)

func (c *Client) explainMissing(err error, what string) error {
	refusal, ok := errors.AsType[*wire.Error](err)
	isMissing := ok && (refusal.Status == http.StatusMethodNotAllowed || refusal.Status == http.StatusNotFound &&
		(refusal.Code != wire.CodeNotFound || refusal.Message == wire.NoSuchPath))
	if _, other := errors.AsType[*NotServiceError](err); !isMissing && !other {
		return err
	}
	return &UnsupportedError{URL: c.Address(), What: what, Err: err}
}

// Fork creates a player session (POST fork). It copies the first body.At messages of an existing
// session, and the replies to them. machine is a machine_key, or "" for the session that was opened
// last. Calls with the same body.Key create one session. The error is an *UnsupportedError if the
// service cannot branch.
func (c *Client) Fork(ctx context.Context, id, machine string, body wire.Fork) (wire.Branch, error) {
	k := call{
		method: http.MethodPost, path: wire.PathFork, id: id, query: optionalQuery("machine_id", machine), key: cmp.Or(body.Key, newIdempotencyKey()),
	}
	b, err := fetchAnswer[wire.Branch](ctx, c, k.withBody(body))
	return b, c.explainMissing(err, cannotBranch)
}

// Branches lists a player's session and all sessions that are connected with it by forks (GET
// branches, an addition of the local server). The error is an *UnsupportedError if the service
// cannot branch.
func (c *Client) Branches(ctx context.Context, id, userSession string) (wire.Branches, error) {
	tree, err := fetchAnswer[wire.Branches](ctx, c, newReadCall(wire.PathBranches, id, playerQuery(userSession, "")))
	return tree, c.explainMissing(err, cannotBranch)
}

// SessionList filters the sessions of a persona. An empty field matches all sessions. The Outcome
// wire.OutcomeNone matches sessions that have not ended. Limit is the maximum number of sessions. 0
// means no limit.
type SessionList struct {
	Outcome, State string
	Version        int
	Since          time.Time
	Limit          int
}

func (l SessionList) queryValues() url.Values {
	query := optionalQuery(wire.QueryOutcome, l.Outcome)
	if l.State != "" {
		query.Set(wire.QueryState, l.State)
	}
	if l.Version > 0 {
		query.Set(wire.QueryVersion, strconv.Itoa(l.Version))
	}
	if !l.Since.IsZero() {
		query.Set(wire.QuerySince, l.Since.UTC().Format(time.RFC3339))
	}
	return query
}

// OwnedSessions returns all players' sessions with one of the caller's personas, newest first (GET
// sessions, an addition of the local server). It fetches all pages.
func (c *Client) OwnedSessions(ctx context.Context, id string, list SessionList) (all []wire.OwnedSession, err error) {
	all, _, _, err = fetchPages[wire.OwnedSession](ctx, c, newReadCall(wire.PathSessions, id, list.queryValues()), list.Limit)
	return all, c.explainMissing(err, cannotList)
}

// DeleteOwnedSession deletes a session, of any player, with one of the caller's personas (DELETE
// sessions, an addition of the local server).
func (c *Client) DeleteOwnedSession(ctx context.Context, id, session string) error {
	path := wire.Path(wire.Path(wire.PathOwnedSession, id), session)
	err := c.callWithoutAnswer(ctx, call{method: http.MethodDelete, path: path, idempotent: true})
	return c.explainMissing(err, cannotList)
}
