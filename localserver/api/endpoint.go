// Package api contains the code that all endpoints share. It checks requests before their handlers
// run, encodes errors, collects metrics, injects faults and writes the OpenAPI document.
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

// Access defines the credentials that an endpoint requires. An invalid token is an error on every
// endpoint. Otherwise a player with an expired token would continue without an account.
type Access string

const (
	// Optional endpoints accept a request without a token.
	Optional Access = "optional"
	// Player endpoints require a token if Options.ChatNeedsToken is set.
	Player Access = "player"
	// Account endpoints require a token.
	Account Access = "account"
	// SDK endpoints require an API key.
	SDK Access = "sdk key"
	// SDKPlayer endpoints require an API key and a model provider's key.
	SDKPlayer Access = "sdk key and model key"
)

// NeedsAPIKey reports whether a request must contain an API key.
func (a Access) NeedsAPIKey() bool { return a == SDK || a == SDKPlayer }

// NeedsModelKey reports whether a request must contain a model provider's key.
func (a Access) NeedsModelKey() bool { return a == SDKPlayer }

// A Route describes an endpoint without its handler.
type Route struct {
	ID     string // operation id in OpenAPI
	Method string
	Path   string // with parameters in braces
	Access Access
	Limit  Category
	// Idempotent endpoints support the header Idempotency-Key.
	Idempotent bool
	// Success lists the success statuses, the most frequent first.
	Success []int
	// MaxBody is the maximum size of the request body in bytes. 0 means no body.
	MaxBody int64
	// CountsTokens adds the token counts of the model to the response headers.
	CountsTokens bool
	// MayStream lets a client request the response as events.
	MayStream bool
	// HasPages adds the URL of the next page to the response headers.
	HasPages bool
	// HasTotal adds the number of items on all pages to the response headers, on request.
	HasTotal bool
}

// NamesSession reports whether requests identify sessions by user_session_id and machine_id. Both
// are in the query or in the body.
func (r *Route) NamesSession() bool {
	return strings.Contains(r.Path, "/chat/{persona_id}/") ||
		r.Path == wire.PathProgress || r.Path == wire.PathAvailableMachines
}

// BodyLimit returns the maximum size of the request body in bytes. 0 means that the body is not
// read. A request that identifies a session may have a body even if MaxBody is 0.
func (r *Route) BodyLimit() int64 {
	if r.MaxBody == 0 && r.NamesSession() {
		return wire.MaxBody
	}
	return r.MaxBody
}

// IsSDK reports whether the endpoint belongs to the Game SDK.
func (r *Route) IsSDK() bool { return strings.HasPrefix(r.Path, wire.PrefixSDK) }

// IsStream reports whether the response is always a stream of events.
func (r *Route) IsStream() bool { return strings.HasSuffix(r.Path, StreamSuffix) }

// A Page describes a GET endpoint outside the service's HTTP interface, for example /healthz.
type Page struct {
	ID, Path    string
	ContentType string
	// Limit is the category of the rate limit. "" means unlimited.
	Limit Category
	// Schema is the JSON type of the body. Type is its Go type, or nil for a body without a schema.
	Schema string
	Type   reflect.Type
	// Success and Errors list the statuses of responses.
	Success, Errors []int
	// Summary and Text describe the page in the OpenAPI document.
	Summary, Text string
}

// StreamSuffix is the path suffix of endpoints with IsStream.
const StreamSuffix = "/stream"

// Maximum lengths of the headers with a caller's model and key, in bytes.
const (
	MaxModelName = 200
	MaxModelKey  = 4096
)

// HeaderReplayed is "true" in a response that was stored for an earlier request.
const HeaderReplayed = "Idempotency-Replayed"

const (
	ContentJSON   = "application/json"
	ContentHTML   = "text/html"
	ContentText   = "text/plain"
	ContentEvents = "text/event-stream"
)

// Category is a category of rate limits.
type Category string

// Categories of rate limits, as in the service's HTTP interface.
const (
	LimitGeneration Category = "generation"
	LimitChat       Category = "chat"
	LimitGeneral    Category = "general"
	LimitSDKChat    Category = "sdk-chat"
	LimitSDKGeneral Category = "sdk-general"
	LimitPages      Category = "pages"
)

// RateLimit is the maximum number of requests per minute in a category. Requests are counted by API
// key if PerKey is set, and by client address otherwise.
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
	LimitPages:      {PerMinute: 300},
}

// OwnerMultiple is the rate limit of an account divided by the limit of one of its keys. Without an
// account limit, more keys would mean more requests.
const OwnerMultiple = 10

// Rate limit headers of every counted request (docs/interface.md, "How often"), in the canonical
// form of net/http.
const (
	HeaderLimit     = "Ratelimit-Limit"
	HeaderRemaining = "Ratelimit-Remaining"
	HeaderReset     = "Ratelimit-Reset"
)

func readBody(limit int64, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, bodyTooLarge(limit)
		}
		if netErr, ok := errors.AsType[net.Error](err); ok && netErr.Timeout() {
			return nil, NewError(http.StatusRequestTimeout, wire.CodeBadRequest, "the body was not received in time")
		}
		return nil, BadRequest("the body ended before it was complete")
	}
	// Some editors and libraries write a byte order mark first.
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	// Browsers let every web page send text/plain to any address.
	if len(body) > 0 && !isJSON(r.Header.Get("Content-Type")) {
		message := "the body must be JSON, with Content-Type: " + ContentJSON
		return nil, NewError(http.StatusUnsupportedMediaType, wire.CodeMediaType, message)
	}
	if !utf8.Valid(body) {
		return nil, BadRequest("the body is not UTF-8, as JSON must be")
	}
	return body, nil
}

func bodyTooLarge(limit int64) error {
	message := fmt.Sprintf("the body is longer than %d bytes", limit)
	return NewError(http.StatusRequestEntityTooLarge, wire.CodeTooLarge, message)
}

func isJSON(contentType string) bool {
	if contentType == "" { // sent by simple clients
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == ContentJSON || strings.HasSuffix(media, "+json"))
}

func readIdempotencyKey(r *http.Request, body []byte) (play.Idempotency, error) {
	key := r.Header.Get(wire.HeaderIdempotencyKey)
	if key == "" {
		return play.Idempotency{}, nil
	}
	if len(key) > wire.MaxIdempotencyKey {
		return play.Idempotency{}, headerTooLong(wire.HeaderIdempotencyKey, wire.MaxIdempotencyKey)
	}
	hash := sha256.New()
	// Without StreamSuffix, a client can repeat an interrupted stream as an ordinary request.
	fmt.Fprintf(hash, "%s?%s\n", strings.TrimSuffix(r.URL.Path, StreamSuffix), r.URL.Query().Encode())
	hash.Write(body)
	return play.Idempotency{Key: key, BodyHash: hex.EncodeToString(hash.Sum(nil))}, nil
}
