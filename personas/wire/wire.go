// Package wire defines the protocol between a client of the persona chat service and the service:
// paths, headers, bodies and errors. Server and client share it, so they cannot diverge. It also
// reports whether a host is this machine, because secrets are sent without encryption only to this
// machine. It does not open connections.
//
// The names and JSON forms are those of the service's HTTP interface. docs/interface.md describes
// our decisions about details that the interface does not define.
package wire

import (
	"encoding/json"
	"time"

	"github.com/parley-npc/parley/personas"
)

// Headers of the service.
const (
	HeaderAPIKey   = "X-API-Key" //nolint:gosec // a name, no key
	HeaderLLMKey   = "X-LLM-API-Key"
	HeaderLLMModel = "X-LLM-Model"

	// Each step of a turn may use its own provider key and model.
	HeaderLLMEvalKey            = "X-LLM-Eval-API-Key"
	HeaderLLMEvalModel          = "X-LLM-Eval-Model"
	HeaderLLMResponseKey        = "X-LLM-Response-API-Key"
	HeaderLLMResponseModel      = "X-LLM-Response-Model"
	HeaderLLMSummarizationKey   = "X-LLM-Summarization-API-Key"
	HeaderLLMSummarizationModel = "X-LLM-Summarization-Model"

	// The number of tokens that a call to a model's provider used.
	HeaderLLMTokensIn  = "X-LLM-Tokens-In"  //nolint:gosec // a name, no token
	HeaderLLMTokensOut = "X-LLM-Tokens-Out" //nolint:gosec // a name, no token

	HeaderIdempotencyKey = "Idempotency-Key"
	HeaderRequestID      = "X-Request-Id"
	HeaderRetryAfter     = "Retry-After"
	// HeaderLink and HeaderTotal are sent with a list of personas. HeaderLink is the link to the
	// next page. HeaderTotal is the total number (our addition).
	HeaderLink  = "Link"
	HeaderTotal = "X-Total-Count"
	// HeaderShouldRetry is "false" if repeating the failed call automatically would not help.
	HeaderShouldRetry = "X-Should-Retry"
)

// Our additional query parameters for a list of personas. They select the start of the page, the
// beginning of the names, and additional members.
const (
	QueryAfter       = "after"
	QueryName        = "name"
	QueryInclude     = "include"
	IncludeUpdatedAt = "updated_at"
	IncludeTotal     = "total"
)

// Our additional query parameters for a history and a trace. QueryLimit is the maximum number of
// messages. QueryBefore is the id of a message. Only messages before that message are returned.
const (
	QueryLimit  = "limit"
	QueryBefore = "before"
)

// Limits of requests (docs/interface.md, limits). Limits of bodies are in bytes. Limits of strings
// are in characters, which are Unicode code points.
const (
	MaxBody            = 1 << 20
	MaxSaveBody        = 8 << 20
	MaxMessage         = 8000
	MaxPlayerName      = 80
	MaxUserSessionID   = 200
	DefaultListLimit   = 20
	MaxListLimit       = 100
	MaxIdempotencyKey  = 255
	MaxKeyName         = 200
	MaxPersonaName     = personas.MaxName
	MaxPersonaDesc     = personas.MaxDescription
	MaxPromptCharacter = personas.MaxPrompt
)

// Time is an ISO 8601 UTC timestamp with "Z" and milliseconds.
type Time struct{ time.Time }

// MarshalJSON writes the time in UTC with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) {
	return json.Marshal(t.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

// PersonaItem is an item of GET /personas.
type PersonaItem struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	IsPublic    bool   `json:"is_public"`
	CreatedAt   Time   `json:"created_at"`
}

// ListedPersona is an item of GET /personas with the local server's optional additions. UpdatedAt
// is nil if it was not requested.
type ListedPersona struct {
	PersonaItem
	UpdatedAt *Time `json:"updated_at,omitempty"`
}

// Persona is the basic view of a single persona.
type Persona struct {
	PersonaItem
	IdentityPrompt string `json:"persona_identity_prompt"`
	UserID         string `json:"user_id"`
	UpdatedAt      Time   `json:"updated_at"`
}

// Saved is the response of POST creator/save.
type Saved struct {
	Persona
	PersonaID string `json:"persona_id"`
}

// FullPersona is the response of GET /personas/{id}/full. It contains everything that was saved. In
// JSON, PerplexityDescription, Language, Offline and Extra (the document's unknown members) are in
// the object "persona", with the members of Persona.
type FullPersona struct {
	Persona               Persona                 `json:"persona"`
	PerplexityDescription string                  `json:"-"`
	Language              string                  `json:"-"`
	Portrait              string                  `json:"-"`
	Hue                   *int                    `json:"-"`
	Offline               *personas.SharedOffline `json:"-"`
	Extra                 personas.Members        `json:"-"`

	Machines  []Machine           `json:"machines"`
	Variables []personas.Variable `json:"variables"`
	Links     []personas.Link     `json:"machine_links"`
}

// Published is the response of POST creator/publish.
type Published struct {
	PlayLink  string `json:"play_link"`
	PersonaID string `json:"persona_id"`
}

// InitSession is the request body of init-session.
type InitSession struct {
	UserSessionID string `json:"user_session_id"`
	PlayerName    string `json:"player_name"`
	PlayerGender  string `json:"player_gender"`
}

// Genders are the values of player_gender.
var Genders = []string{"female", "male", "non-binary"}

// Opening is the response of init-session.
type Opening struct {
	Message            string  `json:"message"`
	SessionID          string  `json:"session_id"`
	UserSessionID      string  `json:"user_session_id"`
	PersonaName        string  `json:"persona_name"`
	PersonaDescription *string `json:"persona_description"`
	PlayerName         string  `json:"player_name"`
	PlayerGender       string  `json:"player_gender"`
	MachineID          string  `json:"machine_id"`
	Tokens             Tokens  `json:"-"`
}

// Message is the request body of message. Key is the turn's Idempotency-Key, which is sent as a
// header. A caller that repeats a turn after a failure must use the same key. If Key is empty, the
// client generates one.
type Message struct {
	Message       string `json:"message"`
	UserSessionID string `json:"user_session_id"`
	// SameVerdict requests another wording of a reply. The session must be a branch that was forked
	// directly before the same message. The verdict of the parent session is used again (our
	// addition).
	SameVerdict bool   `json:"same_verdict,omitempty"`
	Key         string `json:"-"`
}

// Reply is the response of message.
type Reply struct {
	Message      string  `json:"message"`
	CurrentState string  `json:"current_state"`
	Score        int     `json:"score"`
	Outcome      *string `json:"outcome"`
	Decision     *string `json:"decision"`
	FollowUp     bool    `json:"follow_up"`
	// Aside is true if the message was an aside. An aside leads to no decision and does not count
	// as a try. FollowUp is then true as well, because the conversation continues. Aside is omitted
	// if false.
	Aside            bool   `json:"aside,omitempty"`
	RedirectCount    *int   `json:"redirect_count"`
	SessionID        string `json:"session_id"`
	ScoringMode      string `json:"scoring_mode"`
	MachineCompleted bool   `json:"machine_completed"`
	// Ending is the persona's name for the ending that was reached. It is omitted if empty.
	Ending   string           `json:"ending,omitempty"`
	Unlocked UnlockedMachines `json:"unlocked_machines"`
	Tokens   Tokens           `json:"-"`
}

// History is the response of GET history.
type History struct {
	SessionID    string           `json:"session_id"`
	PersonaID    string           `json:"persona_id"`
	Messages     []HistoryMessage `json:"messages"`
	CurrentState string           `json:"current_state"`
	Score        int              `json:"score"`
	Outcome      *string          `json:"outcome"`
	// RedirectCount is the number of redirects in the current state. It is nil in a terminal state,
	// or if the service does not report it.
	RedirectCount *int   `json:"redirect_count,omitempty"`
	Ending        string `json:"ending,omitempty"` // as in Reply
	PlayerName    string `json:"player_name"`
	PlayerGender  string `json:"player_gender"`
	StartedAt     Time   `json:"started_at"`
	LastMessageAt Time   `json:"last_message_at"`
}

// Roles of messages in a history.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

// HistoryMessage is one message of a history.
type HistoryMessage struct {
	ID                string  `json:"id"`
	Role              string  `json:"role"`
	Content           string  `json:"content"`
	StateKeyAtTime    string  `json:"state_key_at_time"`
	ScoreAtTime       int     `json:"score_at_time"`
	Decision          *string `json:"decision"`
	FollowUpTriggered bool    `json:"follow_up_triggered"`
	Aside             bool    `json:"aside,omitempty"` // as in Reply
	CreatedAt         Time    `json:"created_at"`
}

// ResetDone is the response of POST reset. Without machine_id, all sessions of the player with the
// persona are reset, and SessionID is the id of the newest session.
type ResetDone struct {
	SessionID string `json:"session_id"`
	Message   string `json:"message"`
}

// AvailableMachine is an item of GET available-machines and of
// Progress.AvailableMachines.
type AvailableMachine struct {
	MachineID      string  `json:"machine_id"`
	MachineKey     string  `json:"machine_key"`
	Name           string  `json:"name"`
	Description    string  `json:"description"`
	HasSession     bool    `json:"has_session"`
	SessionOutcome *string `json:"session_outcome"`
	IsLinked       bool    `json:"is_linked"`
}

// CompletedMachine is an item of Progress.CompletedMachines.
type CompletedMachine struct {
	MachineID   string `json:"machine_id"`
	MachineKey  string `json:"machine_key"`
	Name        string `json:"name"`
	Outcome     string `json:"outcome"`
	Score       int    `json:"score"`
	CompletedAt Time   `json:"completed_at"`
}

// RouteStep is an item of Progress.RoutePath.
type RouteStep struct {
	MachineID  string `json:"machine_id"`
	MachineKey string `json:"machine_key"`
	Name       string `json:"name"`
	EnteredAt  Time   `json:"entered_at"`
}

// Progress is the response of GET progress.
type Progress struct {
	PersonaID         string             `json:"persona_id"`
	CurrentMachineID  *string            `json:"current_machine_id"`
	RelationshipLevel int                `json:"relationship_level"`
	TotalScore        int                `json:"total_score"`
	CompletedMachines []CompletedMachine `json:"completed_machines"`
	AvailableMachines []AvailableMachine `json:"available_machines"`
	RoutePath         []RouteStep        `json:"route_path"`
	CrossMachineVars  map[string]string  `json:"cross_machine_vars"`
	HasLinks          bool               `json:"has_links"`
}

// ProgressReset is the response of DELETE progress.
type ProgressReset struct {
	PersonaID       string `json:"persona_id"`
	UserSessionID   string `json:"user_session_id"`
	DeletedSessions int    `json:"deleted_sessions"`
}

// User is the response of GET auth/me.
type User struct {
	ID          string `json:"id"`
	Email       string `json:"email"`
	DisplayName string `json:"display_name"`
}

// Migrate is the request body of migrate-progress.
type Migrate struct {
	OldSessionID string `json:"old_session_id"`
}

// Migrated is the response of migrate-progress.
type Migrated struct {
	MigratedSessions int      `json:"migrated_sessions"`
	Personas         []string `json:"personas"`
	UserSessionID    string   `json:"user_session_id"`
}

// NewKey is the request body of POST sdk/api-keys.
type NewKey struct {
	Name string `json:"name"`
}

// CreatedKey is the response of POST sdk/api-keys. This is the only response that contains the key.
type CreatedKey struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Key       string `json:"key"`
	KeyPrefix string `json:"key_prefix"`
	CreatedAt Time   `json:"created_at"`
}

// PathSignIn is the path at which a service describes how to sign in. It is an addition to the
// interface. A service without this path returns 404, and its tokens must be obtained in another
// way.
const PathSignIn = "/.well-known/parley"

// SignIn describes where the service's tokens come from.
type SignIn struct {
	// Issuer is the URL of the OpenID provider. Its discovery document contains the details.
	Issuer string `json:"issuer"`
	// ClientID is the public OAuth client for signing in with the command line. It is omitted if
	// the service does not configure one.
	ClientID string `json:"client_id,omitempty"`
	// Audience is the audience that tokens must have.
	Audience string `json:"audience"`
	// Resource is the resource for which a client requests tokens (RFC 8707). It is omitted if it
	// is empty or equals Audience.
	Resource string `json:"resource,omitempty"`
	// Scopes are the scopes that a client requests.
	Scopes []string `json:"scopes"`
	// Development means that the provider accepts any e-mail address without proof.
	Development bool `json:"development"`
}

// PathProtectedResource is the path at which a service announces to OAuth clients which tokens it
// accepts (RFC 9728). If the service's URL has a path, that path is appended to
// PathProtectedResource.
const PathProtectedResource = "/.well-known/oauth-protected-resource"

// ProtectedResource is the OAuth metadata of a service that accepts bearer tokens (RFC 9728,
// section 2). SignIn contains what the standard does not cover.
type ProtectedResource struct {
	// Resource is the URL that identifies the service, which clients pass to the provider as
	// `resource` (RFC 8707).
	Resource string `json:"resource"`
	// AuthorizationServers are the issuers of the tokens. It is omitted if tokens come from
	// elsewhere and are signed with a shared secret.
	AuthorizationServers []string `json:"authorization_servers,omitempty"`
	// ScopesSupported are the scopes that a client requests.
	ScopesSupported []string `json:"scopes_supported,omitempty"`
	// BearerMethodsSupported lists the parts of a request that may contain the token: "header".
	BearerMethodsSupported []string `json:"bearer_methods_supported"`
	ResourceName           string   `json:"resource_name,omitempty"`
	// ResourceDocumentation is the URL of a page for developers.
	ResourceDocumentation string `json:"resource_documentation,omitempty"`
}
