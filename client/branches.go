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

// UnsupportedError means that a service does not have an endpoint that Parley's own server
// adds to the interface.
type UnsupportedError struct {
	// URL is the service's address, without user and password.
	URL string
	// What names the feature that the service lacks.
	What string
	Err  error
}

// Error names the missing feature and the remedy.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the service at %s cannot %s: use a server of this version of Parley (parley localserver)", e.URL, e.What)
}

// Unwrap returns the refusal.
func (e *UnsupportedError) Unwrap() error { return e.Err }

// What services without our additions cannot do.
const (
	cannotBranch = "take messages back or branch a conversation"
	cannotList   = "list the sessions of a persona"
)

// explainMissing returns an *UnsupportedError for a refusal that says that the path is unknown.
func (c *Client) explainMissing(err error, what string) error {
	refusal, ok := errors.AsType[*wire.Error](err)
	isMissing := ok && (refusal.Status == http.StatusMethodNotAllowed || refusal.Status == http.StatusNotFound &&
		(refusal.Code != wire.CodeNotFound || refusal.Message == wire.NoSuchPath))
	if _, other := errors.AsType[*NotServiceError](err); !isMissing && !other {
		return err
	}
	return &UnsupportedError{URL: c.Address(), What: what, Err: err}
}

// Fork makes a new player session with the past that a session had after body.At of the
// player's messages (POST fork, an addition of the local server). Without a machine it is the
// session that was opened last. It is made once however often it is sent under one key:
// body.Key, or a new one for each call. A service that cannot is an *UnsupportedError.
func (c *Client) Fork(ctx context.Context, id, machine string, body wire.Fork) (wire.Branch, error) {
	k, err := newForkCall(wire.PathFork, id, machine, body)
	if err != nil {
		return wire.Branch{}, err
	}
	b, err := fetchAnswer[wire.Branch](ctx, c, k)
	return b, c.explainMissing(err, cannotBranch)
}

func newForkCall(path, id, machine string, body wire.Fork) (call, error) {
	encoded, err := encodeBody(body)
	return call{
		method: http.MethodPost, path: path, id: id, query: optionalQuery("machine_id", machine),
		body: encoded, key: cmp.Or(body.Key, newIdempotencyKey()),
	}, err
}

// Branches lists the branches of the tree to which a player's session belongs (GET branches,
// an addition of the local server). A service that cannot is an *UnsupportedError.
func (c *Client) Branches(ctx context.Context, id, userSession string) (wire.Branches, error) {
	tree, err := fetchAnswer[wire.Branches](ctx, c, newReadCall(wire.PathBranches, id, playerQuery(userSession, "")))
	return tree, c.explainMissing(err, cannotBranch)
}

// Fork is Client.Fork on this side.
func (s *SDK) Fork(ctx context.Context, id, machine string, body wire.Fork) (wire.Branch, error) {
	k, err := newForkCall(wire.PathSDKFork, id, machine, body)
	if err != nil {
		return wire.Branch{}, err
	}
	k.signer = s.key
	b, err := fetchAnswer[wire.Branch](ctx, s.client, k)
	return b, s.client.explainMissing(err, cannotBranch)
}

// Branches is Client.Branches on this side.
func (s *SDK) Branches(ctx context.Context, id, userSession string) (wire.Branches, error) {
	tree, err := fetchAnswer[wire.Branches](ctx, s.client, s.newReadCall(wire.PathSDKBranches, id, playerQuery(userSession, "")))
	return tree, s.client.explainMissing(err, cannotBranch)
}

// SessionList filters the sessions of a persona. Empty fields match all; Outcome is
// wire.OutcomeNone for sessions that have not ended. Limit bounds the number of sessions; 0 is no
// limit.
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

// OwnedSessions lists the sessions of all players with a persona for its owner, through all
// pages, those begun last first (GET sessions, an addition of the local server).
func (c *Client) OwnedSessions(ctx context.Context, id string, list SessionList) (all []wire.OwnedSession, err error) {
	query := list.queryValues()
	for {
		limit := wire.MaxListLimit
		if list.Limit > 0 {
			limit = min(list.Limit-len(all), limit)
		}
		query.Set(wire.QueryLimit, strconv.Itoa(limit))
		response, err := c.makeCall(ctx, newReadCall(wire.PathSessions, id, query))
		if err != nil {
			return all, c.explainMissing(err, cannotList)
		}
		var page []wire.OwnedSession
		if err := response.decodeBody(&page); err != nil {
			return all, err
		}
		all = append(all, page...)
		next := nextQuery(response.Header).Get(wire.QueryAfter)
		if next == "" || next == query.Get(wire.QueryAfter) || len(page) == 0 || list.Limit > 0 && len(all) >= list.Limit {
			return all, nil
		}
		query.Set(wire.QueryAfter, next)
	}
}

// DeleteOwnedSession deletes a session of a persona for its owner (DELETE sessions, an addition
// of the local server).
func (c *Client) DeleteOwnedSession(ctx context.Context, id, session string) error {
	path := wire.Path(wire.Path(wire.PathOwnedSession, id), session)
	err := c.callWithoutAnswer(ctx, call{method: http.MethodDelete, path: path, idempotent: true})
	return c.explainMissing(err, cannotList)
}
