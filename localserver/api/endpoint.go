// Package api has what all endpoints share: the table row of an endpoint, the checks before a handler
// runs (address, origin, credentials, limits, body), errors with their statuses, metrics, injected
// faults, and the OpenAPI description.
package api

import (
	"reflect"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// Access defines the allowed callers of an endpoint. If a token is sent, it must always be valid,
// so that a player does not unknowingly play under an expired one for weeks.
type Access string

const (
	// Optional: a token is not needed; with one the caller is that user.
	Optional Access = "optional"
	// Player: as Optional, or as Account where web chat demands a token.
	Player Access = "player"
	// Account: only with a token.
	Account Access = "account"
	// SDK: requires an API key, which alone identifies the caller.
	SDK Access = "sdk key"
	// SDKPlayer: as SDK, and with a key for the model.
	SDKPlayer Access = "sdk key and model key"
)

// NeedsAPIKey reports whether an API key identifies the caller.
func (a Access) NeedsAPIKey() bool { return a == SDK || a == SDKPlayer }

// NeedsModelKey reports whether the caller brings a key for the model.
func (a Access) NeedsModelKey() bool { return a == SDKPlayer }

// Route is one endpoint: all that is known about it except for its handler.
type Route struct {
	ID     string // operation id, the interface's verb
	Method string
	Path   string // a pattern
	Access Access
	Limit  Category
	// Idempotent endpoints honour Idempotency-Key.
	Idempotent bool
	// Success lists the statuses of successful answers, the usual one first.
	Success []int
	// MaxBody is the largest request body in bytes; 0 if the endpoint does not use a body.
	MaxBody int64
	// CountsTokens means that headers of the answer contain the cost of the model.
	CountsTokens bool
	// MayStream means that the answer comes as events to a caller who asks for that.
	MayStream bool
	// HasPages means that a header of the answer contains the next page.
	HasPages bool
	// HasTotal means that, on request, a header of the answer contains the number of items on all
	// pages.
	HasTotal bool
}

// NamesSession reports whether the endpoint is about a player's sessions with a persona:
// user_session_id and machine_id may be in its query and in its body.
func (r *Route) NamesSession() bool {
	return strings.Contains(r.Path, "/chat/{persona_id}/") || r.Path == wire.PathProgress || r.Path == wire.PathAvailableMachines
}

// BodyLimit returns the largest request body in bytes, 0 if none is read. Any call about a session
// may contain the session in a body.
func (r *Route) BodyLimit() int64 {
	if r.MaxBody == 0 && r.NamesSession() {
		return wire.MaxBody
	}
	return r.MaxBody
}

// IsSDK reports whether the path is one of the SDK side.
func (r *Route) IsSDK() bool { return strings.HasPrefix(r.Path, wire.PrefixSDK) }

// IsStream reports whether the answer comes as events.
func (r *Route) IsStream() bool { return strings.HasSuffix(r.Path, StreamSuffix) }

// Page is a GET page of the server beside the interface.
type Page struct {
	ID, Path    string
	ContentType string
	// Limit counts its readers; "" disables counting.
	Limit Category
	// Schema is the JSON type of its body, Type the Go type of one that has members
	// worth describing.
	Schema string
	Type   reflect.Type
	// Success lists the statuses of successful answers, Errors the others.
	Success, Errors []int
	// Summary and Text describe it for people.
	Summary, Text string
}

// StreamSuffix ends the paths of endpoints that answer with events.
const StreamSuffix = "/stream"

// Bounds of the headers with callers' models and keys, in bytes.
const (
	MaxModelName = 200
	MaxModelKey  = 4096
)

// HeaderReplayed is "true" on the stored answer of an earlier request.
const HeaderReplayed = "Idempotency-Replayed"

// Content types of answers.
const (
	ContentJSON   = "application/json"
	ContentHTML   = "text/html"
	ContentText   = "text/plain"
	ContentEvents = "text/event-stream"
)

// Category is a row of the interface's table of rate limits.
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

// RateLimit is how many requests of a category go through in any minute, of one
// address or of one API key.
type RateLimit struct {
	PerMinute int
	PerKey    bool
}

// RateLimits are the interface's rate limits (section Limits).
var RateLimits = map[Category]RateLimit{
	LimitGeneration: {PerMinute: 10},
	LimitChat:       {PerMinute: 60},
	LimitGeneral:    {PerMinute: 120},
	LimitSDKChat:    {PerMinute: 30, PerKey: true},
	LimitSDKGeneral: {PerMinute: 60, PerKey: true},
	// An addition of this server: more than a person reads, and few enough that repeated reading is
	// cheap.
	LimitPages: {PerMinute: 300},
}

// OwnerMultiple is how many times the limit of one API key all keys of an account have
// together. The interface counts by key alone, so a caller who makes keys would have
// no limit.
const OwnerMultiple = 10

// Headers with the state of a rate limit on every counted answer (docs/interface.md, how often).
// Package http writes the names as RateLimit-Limit and so on.
const (
	HeaderLimit     = "Ratelimit-Limit"
	HeaderRemaining = "Ratelimit-Remaining"
	HeaderReset     = "Ratelimit-Reset"
)
