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

// InitSession starts a session and returns the opening line and its cost (POST init-session).
// machine is a machine's id or key, or "" for the persona's primary machine.
func (c *Client) InitSession(ctx context.Context, id, machine string, body wire.InitSession) (wire.Opening, error) {
	return callModel(ctx, c, newModelCall(wire.PathInitSession, id, machine, "", body), openingCost)
}

// StreamInitSession is InitSession with a streamed opening line. It calls onDelta with each
// piece, unless onDelta is nil or the service does not stream openings. Use the returned
// opening instead of the pieces, which may differ. Retries, errors and time limits are as in
// StreamMessage.
func (c *Client) StreamInitSession(ctx context.Context, id, machine string, body wire.InitSession, onDelta func(text string) error) (wire.Opening, error) {
	k := newModelCall(wire.PathInitSession, id, machine, "", body)
	k.acceptsJSON = true
	return streamAnswer(ctx, c, k, onDelta, openingCost)
}

// SendMessage sends a player's message and returns the reply (POST message). Repeated calls with
// the same body.Key make only one turn. If body.Key is empty, SendMessage generates a key.
func (c *Client) SendMessage(ctx context.Context, id, machine string, body wire.Message) (wire.Reply, error) {
	return callModel(ctx, c, newModelCall(wire.PathMessage, id, machine, body.Key, body), replyCost)
}

// newModelCall builds a POST that makes the service call a model. If key is empty, newModelCall
// generates the Idempotency-Key.
func newModelCall(path, id, machine, key string, body any) call {
	return call{
		method: http.MethodPost, path: path, id: id, query: optionalQuery("machine_id", machine),
		key: cmp.Or(key, newIdempotencyKey()), usesModel: true,
	}.withBody(body)
}

// ResetSession deletes a session's history and restarts it (POST reset). If machine is empty, it
// resets all the player's sessions with the persona.
func (c *Client) ResetSession(ctx context.Context, id, userSession, machine string) (wire.ResetDone, error) {
	k := call{method: http.MethodPost, path: wire.PathReset, id: id, query: playerQuery(userSession, machine), idempotent: true, usesModel: true}
	return fetchAnswer[wire.ResetDone](ctx, c, k)
}

// Me returns the user who owns the token (GET auth/me).
func (c *Client) Me(ctx context.Context) (wire.User, error) {
	return fetchAnswer[wire.User](ctx, c, newReadCall(wire.PathMe, "", url.Values{}))
}

// MigrateProgress moves an anonymous player's progress to the user who owns the token (POST
// auth/migrate-progress).
func (c *Client) MigrateProgress(ctx context.Context, body wire.Migrate) (wire.Migrated, error) {
	return callOnce[wire.Migrated](ctx, c, wire.PathMigrateProgress, body)
}

// CreateKey creates a key for the game SDK (POST sdk/api-keys). Only this answer contains the key.
// The service cannot return the key again.
func (c *Client) CreateKey(ctx context.Context, body wire.NewKey) (wire.CreatedKey, error) {
	return callOnce[wire.CreatedKey](ctx, c, wire.PathAPIKeys, body)
}

// Keys lists the caller's API keys, newest first, without the keys themselves
// (GET sdk/api-keys).
func (c *Client) Keys(ctx context.Context) ([]wire.Key, error) {
	return fetchAnswer[[]wire.Key](ctx, c, newReadCall(wire.PathAPIKeys, "", nil))
}

// RevokeKey revokes an API key permanently (DELETE sdk/api-keys/{id}). It returns a 404 if an
// earlier attempt revoked the key but the answer was lost.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return c.callWithoutAnswer(ctx, call{method: http.MethodDelete, path: wire.PathAPIKey, id: id, idempotent: true})
}

// callOnce makes a POST without an Idempotency-Key. It does not repeat the POST if the service may
// have received it.
func callOnce[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	return fetchAnswer[T](ctx, c, call{method: http.MethodPost, path: path}.withBody(body))
}

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
