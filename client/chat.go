package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

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
