// Package endpoint defines the static properties of an endpoint: its row in the table of routes,
// the allowed callers, and its rate limit; and the rows of the pages beside the interface. Package
// admission enforces a row, and the description of the interface documents it. The package never
// answers a request.
package endpoint

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
