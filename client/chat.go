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

// InitSession starts a session and returns the opening line (POST init-session). machine is a
// machine's id or key. An empty machine means the primary machine.
func (c *Client) InitSession(ctx context.Context, id, machine string, body wire.InitSession) (wire.Opening, error) {
	return fetchModelAnswer(ctx, c, newModelCall(wire.PathInitSession, id, machine, "", body), openingCost)
}

// StreamInitSession is InitSession with a streamed opening line. It calls onDelta, unless nil, with
// each piece of the line. The pieces may differ from the returned line. Retries and timeouts are
// those of StreamMessage.
func (c *Client) StreamInitSession(
	ctx context.Context, id, machine string, body wire.InitSession, onDelta func(text string) error,
) (wire.Opening, error) {
	spec := newModelCall(wire.PathInitSession, id, machine, "", body)
	spec.acceptsJSON = true
	return streamAnswer(ctx, c, spec, onDelta, openingCost)
}

// SendMessage sends a player's message and returns the reply (POST message). Calls with the same
// body.Key make only one turn. An empty Key is replaced by a generated one.
func (c *Client) SendMessage(ctx context.Context, id, machine string, body wire.Message) (wire.Reply, error) {
	return fetchModelAnswer(ctx, c, newModelCall(wire.PathMessage, id, machine, body.Key, body), replyCost)
}

func newModelCall(path, id, machine, key string, body any) call {
	return call{
		method: http.MethodPost, path: path, id: id, query: optionalQuery("machine_id", machine),
		key: cmp.Or(key, newIdempotencyKey()), usesModel: true,
	}.withBody(body)
}

// ResetSession deletes a session's history and restarts the session (POST reset). An empty machine
// means all sessions of the player with the persona.
func (c *Client) ResetSession(ctx context.Context, id, userSession, machine string) (wire.ResetDone, error) {
	spec := call{
		method: http.MethodPost, path: wire.PathReset, id: id, query: playerQuery(userSession, machine),
		idempotent: true, usesModel: true,
	}
	return fetchAnswer[wire.ResetDone](ctx, c, spec)
}

// Me returns the owner of the token (GET auth/me).
func (c *Client) Me(ctx context.Context) (wire.User, error) {
	return fetchAnswer[wire.User](ctx, c, newReadCall(wire.PathMe, "", url.Values{}))
}

// MigrateProgress moves an anonymous player's progress to the owner of the token (POST
// auth/migrate-progress).
func (c *Client) MigrateProgress(ctx context.Context, body wire.Migrate) (wire.Migrated, error) {
	return callOnce[wire.Migrated](ctx, c, wire.PathMigrateProgress, body)
}

// CreateKey creates an API key for games (POST sdk/api-keys). No other response contains the key.
func (c *Client) CreateKey(ctx context.Context, body wire.NewKey) (wire.CreatedKey, error) {
	return callOnce[wire.CreatedKey](ctx, c, wire.PathAPIKeys, body)
}

// Keys lists the caller's API keys, newest first (GET sdk/api-keys).
func (c *Client) Keys(ctx context.Context) ([]wire.Key, error) {
	return fetchAnswer[[]wire.Key](ctx, c, newReadCall(wire.PathAPIKeys, "", nil))
}

// RevokeKey revokes an API key (DELETE sdk/api-keys/{id}). It returns a 404 if the response to an
// earlier attempt was lost.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return c.callWithoutAnswer(ctx, call{method: http.MethodDelete, path: wire.PathAPIKey, id: id, idempotent: true})
}

func callOnce[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	return fetchAnswer[T](ctx, c, call{method: http.MethodPost, path: path}.withBody(body))
}

// UnsupportedError means that a service lacks an endpoint of Parley's local server.
type UnsupportedError struct {
	// URL is the service's address without user and password.
	URL string
	// What is the missing feature, such as "list the sessions of a persona".
	What string
	Err  error
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("the service at %s cannot %s: use a server of this version of Parley (parley localserver)",
		e.URL, e.What)
}

// Unwrap returns the service's error.
func (e *UnsupportedError) Unwrap() error { return e.Err }

const (
	cannotBranch = "take messages back or branch a conversation"
	cannotList   = "list the sessions of a persona"
)

func (c *Client) explainMissing(err error, what string) error {
	if _, other := errors.AsType[*NotServiceError](err); !other && !isUnknownPath(err) {
		return err
	}
	return &UnsupportedError{URL: c.Address(), What: what, Err: err}
}

func isUnknownPath(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	if !ok || refusal.Status != http.StatusNotFound {
		return ok && refusal.Status == http.StatusMethodNotAllowed
	}
	return refusal.Code != wire.CodeNotFound || refusal.Message == wire.NoSuchPath
}

// Fork creates a branch from the player's first body.At messages of a session (POST fork). An empty
// machine means the session that was opened last. Calls with the same body.Key create one branch.
// The error is an *UnsupportedError if the service cannot branch.
func (c *Client) Fork(ctx context.Context, id, machine string, body wire.Fork) (wire.Branch, error) {
	spec := call{
		method: http.MethodPost, path: wire.PathFork, id: id, query: optionalQuery("machine_id", machine),
		key: cmp.Or(body.Key, newIdempotencyKey()),
	}
	branch, err := fetchAnswer[wire.Branch](ctx, c, spec.withBody(body))
	return branch, c.explainMissing(err, cannotBranch)
}

// Branches lists a player's session and all sessions connected to it by forks (GET branches). The
// error is an *UnsupportedError if the service cannot branch.
func (c *Client) Branches(ctx context.Context, id, userSession string) (wire.Branches, error) {
	tree, err := fetchAnswer[wire.Branches](ctx, c, newReadCall(wire.PathBranches, id, playerQuery(userSession, "")))
	return tree, c.explainMissing(err, cannotBranch)
}

// SessionList filters the sessions of a persona. A zero field matches all sessions.
// wire.OutcomeNone matches unfinished sessions. Limit is the maximum number of sessions.
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

// OwnedSessions returns all players' sessions with a persona of the caller, newest first (GET
// sessions). The error is an *UnsupportedError if the service has no list of sessions.
func (c *Client) OwnedSessions(ctx context.Context, id string, list SessionList) (all []wire.OwnedSession, err error) {
	spec := newReadCall(wire.PathSessions, id, list.queryValues())
	all, _, _, err = fetchPages[wire.OwnedSession](ctx, c, spec, list.Limit)
	return all, c.explainMissing(err, cannotList)
}

// DeleteOwnedSession deletes a player's session with a persona of the caller (DELETE sessions).
func (c *Client) DeleteOwnedSession(ctx context.Context, id, session string) error {
	path := wire.Path(wire.Path(wire.PathOwnedSession, id), session)
	err := c.callWithoutAnswer(ctx, call{method: http.MethodDelete, path: path, idempotent: true})
	return c.explainMissing(err, cannotList)
}
