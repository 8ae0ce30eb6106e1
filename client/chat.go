package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"github.com/parley-npc/parley/personas/wire"
)

// InitSession starts a session and returns the opening line (POST init-session) and its cost.
// machine is a machine's id or key, or "" for the persona's primary machine.
func (c *Client) InitSession(ctx context.Context, id, machine string, body wire.InitSession) (wire.Opening, error) {
	k, err := newModelCall(wire.PathInitSession, id, machine, "", body)
	if err != nil {
		return wire.Opening{}, err
	}
	return callModel(ctx, c, k, openingCost)
}

// StreamInitSession is InitSession with the opening line in pieces, if the service streams it
// (docs/interface.md, sessions): it calls onDelta, which may be nil, with each piece. For a service
// that does not stream, it makes only one request and never calls onDelta. It returns the whole
// opening, which takes precedence over the pieces. Retries, errors and time limits are those of
// StreamMessage.
func (c *Client) StreamInitSession(ctx context.Context, id, machine string, body wire.InitSession, onDelta func(text string) error) (wire.Opening, error) {
	k, err := newModelCall(wire.PathInitSession, id, machine, "", body)
	if err != nil {
		return wire.Opening{}, err
	}
	k.takesWhole = true
	return streamAnswer(ctx, c, k, onDelta, openingCost)
}

// SendMessage sends a player's message and returns the reply (POST message). Any number of calls
// with one key make one turn: body.Key, or a new key for each call.
func (c *Client) SendMessage(ctx context.Context, id, machine string, body wire.Message) (wire.Reply, error) {
	k, err := newModelCall(wire.PathMessage, id, machine, body.Key, body)
	if err != nil {
		return wire.Reply{}, err
	}
	return callModel(ctx, c, k, replyCost)
}

// newModelCall builds a POST that makes a model speak. If key is empty, it makes a new
// Idempotency-Key.
func newModelCall(path, id, machine, key string, body any) (call, error) {
	encoded, err := encodeBody(body)
	return call{
		method: http.MethodPost, path: path, id: id, query: optionalQuery("machine_id", machine),
		body: encoded, key: cmp.Or(key, newIdempotencyKey()), usesModel: true,
	}, err
}

// ResetSession clears a session's history and begins it again (POST reset).
// Without a machine it is all the player's sessions with the persona.
func (c *Client) ResetSession(ctx context.Context, id, userSession, machine string) (wire.ResetDone, error) {
	k := call{method: http.MethodPost, path: wire.PathReset, id: id, query: playerQuery(userSession, machine), idempotent: true, usesModel: true}
	return fetchAnswer[wire.ResetDone](ctx, c, k)
}

// Me returns the user whom the token names (GET auth/me).
func (c *Client) Me(ctx context.Context) (wire.User, error) {
	return fetchAnswer[wire.User](ctx, c, newReadCall(wire.PathMe, "", url.Values{}))
}

// MigrateProgress moves anonymous progress to the user whom the token names
// (POST auth/migrate-progress).
func (c *Client) MigrateProgress(ctx context.Context, body wire.Migrate) (wire.Migrated, error) {
	return callOnce[wire.Migrated](ctx, c, wire.PathMigrateProgress, body)
}

// CreateKey creates a key for the game SDK (POST sdk/api-keys). The answer is
// the only one that ever shows it.
func (c *Client) CreateKey(ctx context.Context, body wire.NewKey) (wire.CreatedKey, error) {
	return callOnce[wire.CreatedKey](ctx, c, wire.PathAPIKeys, body)
}

// Keys lists the caller's API keys, newest first, without the keys themselves
// (GET sdk/api-keys).
func (c *Client) Keys(ctx context.Context) ([]wire.Key, error) {
	return fetchAnswer[[]wire.Key](ctx, c, newReadCall(wire.PathAPIKeys, "", nil))
}

// RevokeKey ends an API key for good (DELETE sdk/api-keys/{id}). When the answer
// to a first attempt was lost, a refusal with 404 can mean that it is done.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return c.callWithoutAnswer(ctx, call{method: http.MethodDelete, path: wire.PathAPIKey, id: id, idempotent: true})
}

// callOnce makes a POST that is not sent again once the service may have received
// it.
func callOnce[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	encoded, err := encodeBody(body)
	if err != nil {
		return *new(T), err
	}
	return fetchAnswer[T](ctx, c, call{method: http.MethodPost, path: path, body: encoded})
}
