// Package api contains what all endpoints have in common: the properties of an endpoint (Route),
// the checks before a handler runs (address, origin, credentials, limits, body), errors with their
// statuses, metrics, injected faults, and the OpenAPI description.
package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// Access defines which callers may use an endpoint. If a caller sends a token, the token must be
// valid on every endpoint. Otherwise a player with an expired token would unknowingly play without
// an account.
type Access string

const (
	// Optional endpoints do not require a token. If a token is sent, it identifies the user.
	Optional Access = "optional"
	// Player endpoints require a token only if web chat requires one (Options.ChatNeedsToken).
	Player Access = "player"
	// Account endpoints require a token.
	Account Access = "account"
	// SDK endpoints require an API key, which identifies the caller.
	SDK Access = "sdk key"
	// SDKPlayer endpoints require an API key and the key of a model provider.
	SDKPlayer Access = "sdk key and model key"
)

// NeedsAPIKey reports whether an API key identifies the caller.
func (a Access) NeedsAPIKey() bool { return a == SDK || a == SDKPlayer }

// NeedsModelKey reports whether the caller must send the key of a model provider.
func (a Access) NeedsModelKey() bool { return a == SDKPlayer }

// A Route contains the properties of an endpoint, without its handler.
type Route struct {
	ID     string // operation id
	Method string
	Path   string // a pattern
	Access Access
	Limit  Category
	// Idempotent means that the endpoint supports the header Idempotency-Key.
	Idempotent bool
	// Success lists the statuses of successful answers. The usual status is the first.
	Success []int
	// MaxBody is the maximum size of the request body in bytes. It is 0 if the endpoint does not
	// use a body.
	MaxBody int64
	// CountsTokens means that headers of the answer contain the number of tokens that the model
	// used.
	CountsTokens bool
	// MayStream means that a caller can choose to receive the answer as events.
	MayStream bool
	// HasPages means that a header of the answer contains the URL of the next page.
	HasPages bool
	// HasTotal means that a header of the answer contains the number of items on all pages, if the
	// request asks for it.
	HasTotal bool
}

// NamesSession reports whether a request identifies a player's sessions by user_session_id and
// machine_id. They may be in the request's query or in its body.
func (r *Route) NamesSession() bool {
	return strings.Contains(r.Path, "/chat/{persona_id}/") || r.Path == wire.PathProgress || r.Path == wire.PathAvailableMachines
}

// BodyLimit returns the maximum size of the request body in bytes, or 0 if the body is not read. A
// request that identifies a session may have a body even if MaxBody is 0.
func (r *Route) BodyLimit() int64 {
	if r.MaxBody == 0 && r.NamesSession() {
		return wire.MaxBody
	}
	return r.MaxBody
}

// IsSDK reports whether the endpoint belongs to the SDK side.
func (r *Route) IsSDK() bool { return strings.HasPrefix(r.Path, wire.PrefixSDK) }

// IsStream reports whether the answer is always a stream of events.
func (r *Route) IsStream() bool { return strings.HasSuffix(r.Path, StreamSuffix) }

// A Page is a page for GET requests that is not part of the service's HTTP interface, such as
// /health.
type Page struct {
	ID, Path    string
	ContentType string
	// Limit is the category in which requests are counted. "" means that they are not counted.
	Limit Category
	// Schema is the JSON type of the body. Type is the Go type of the body, or nil if the members
	// of the body are not described.
	Schema string
	Type   reflect.Type
	// Success lists the statuses of successful answers. Errors lists the statuses of errors.
	Success, Errors []int
	// Summary and Text describe the page in the documentation.
	Summary, Text string
}

// StreamSuffix is the end of the path of each endpoint that always answers with events.
const StreamSuffix = "/stream"

// Maximum lengths of the headers with callers' models and model provider keys, in bytes.
const (
	MaxModelName = 200
	MaxModelKey  = 4096
)

// HeaderReplayed is the header for an answer that was stored for an earlier request. Its value is
// "true".
const HeaderReplayed = "Idempotency-Replayed"

const (
	ContentJSON   = "application/json"
	ContentHTML   = "text/html"
	ContentText   = "text/plain"
	ContentEvents = "text/event-stream"
)

// Category is a row of the table of rate limits in the service's HTTP interface.
type Category string

// The categories.
const (
	LimitGeneration Category = "generation"
	LimitChat       Category = "chat"
	LimitGeneral    Category = "general"
	LimitSDKChat    Category = "sdk-chat"
	LimitSDKGeneral Category = "sdk-general"
	LimitPages      Category = "pages"
)

// RateLimit is the maximum number of requests of a category in any minute. If PerKey is true,
// requests are counted by API key. Otherwise they are counted by address.
type RateLimit struct {
	PerMinute int
	PerKey    bool
}

// RateLimits are the rate limits of the service's HTTP interface (section Limits).
var RateLimits = map[Category]RateLimit{
	LimitGeneration: {PerMinute: 10},
	LimitChat:       {PerMinute: 60},
	LimitGeneral:    {PerMinute: 120},
	LimitSDKChat:    {PerMinute: 30, PerKey: true},
	LimitSDKGeneral: {PerMinute: 60, PerKey: true},
	// The service's HTTP interface does not define this limit. A person never reaches it, and a
	// program below it does not cause much work.
	LimitPages: {PerMinute: 300},
}

// OwnerMultiple is the ratio of the limit of an account to the limit of one API key. Without a
// limit for the account, a caller could avoid the limits with more keys.
const OwnerMultiple = 10

// Headers with the state of the rate limit. The answers to all counted requests contain them
// (docs/interface.md, "How often"). The names are spelled in net/http's canonical form.
const (
	HeaderLimit     = "Ratelimit-Limit"
	HeaderRemaining = "Ratelimit-Remaining"
	HeaderReset     = "Ratelimit-Reset"
)

// readBody reads the body, and rejects any Content-Type except JSON. Browsers let every web page
// send text/plain to any address.
func readBody(limit int64, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, bodyTooLarge(limit)
		}
		if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
			return nil, NewError(http.StatusRequestTimeout, wire.CodeBadRequest, "the body was not received in time")
		}
		return nil, BadRequest("the body ended before it was complete")
	}
	// Some editors and libraries write a byte order mark first.
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if len(body) > 0 && !isJSON(r.Header.Get("Content-Type")) {
		return nil, NewError(http.StatusUnsupportedMediaType, wire.CodeMediaType, "the body must be JSON, with Content-Type: "+ContentJSON)
	}
	if !utf8.Valid(body) {
		return nil, BadRequest("the body is not UTF-8, as JSON must be")
	}
	return body, nil
}

func bodyTooLarge(limit int64) error {
	return NewError(http.StatusRequestEntityTooLarge, wire.CodeTooLarge, fmt.Sprintf("the body is longer than %d bytes", limit))
}

// isJSON reports whether the Content-Type is JSON. It also accepts an empty Content-Type, because
// simple clients send none.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == ContentJSON || strings.HasSuffix(media, "+json"))
}

// readIdempotencyKey returns the Idempotency-Key with a hash of the path, the query and the body,
// so that a key identifies one request. StreamSuffix is not hashed, so that a client can repeat an
// interrupted stream as an ordinary request.
func readIdempotencyKey(r *http.Request, body []byte) (play.Idempotency, error) {
	key := r.Header.Get(wire.HeaderIdempotencyKey)
	if key == "" {
		return play.Idempotency{}, nil
	}
	if len(key) > wire.MaxIdempotencyKey {
		return play.Idempotency{}, headerTooLong(wire.HeaderIdempotencyKey, wire.MaxIdempotencyKey)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s?%s\n", strings.TrimSuffix(r.URL.Path, StreamSuffix), r.URL.Query().Encode())
	hash.Write(body)
	return play.Idempotency{Key: key, BodyHash: hex.EncodeToString(hash.Sum(nil))}, nil
}
