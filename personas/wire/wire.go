// Package wire defines the paths, headers, bodies and errors of the persona chat service. Clients
// and the server share the package. The package opens no connections.
//
// The names and JSON forms are those of the service's HTTP interface. docs/interface.md describes
// the details that the interface does not define.
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

	// Each step of a turn may have its own provider key and model.
	HeaderLLMEvalKey            = "X-LLM-Eval-API-Key"
	HeaderLLMEvalModel          = "X-LLM-Eval-Model"
	HeaderLLMResponseKey        = "X-LLM-Response-API-Key"
	HeaderLLMResponseModel      = "X-LLM-Response-Model"
	HeaderLLMSummarizationKey   = "X-LLM-Summarization-API-Key"
	HeaderLLMSummarizationModel = "X-LLM-Summarization-Model"

	// Token counts of the request to the model provider, and of the provider's response.
	HeaderLLMTokensIn  = "X-LLM-Tokens-In"  //nolint:gosec // a name, no token
	HeaderLLMTokensOut = "X-LLM-Tokens-Out" //nolint:gosec // a name, no token

	HeaderIdempotencyKey = "Idempotency-Key"
	HeaderRequestID      = "X-Request-Id"
	HeaderRetryAfter     = "Retry-After"
	// HeaderLink contains the link to the next page of a list. HeaderTotal is the total number of
	// items (our addition).
	HeaderLink  = "Link"
	HeaderTotal = "X-Total-Count"
	// HeaderShouldRetry is "false" if an automatic retry would fail too.
	HeaderShouldRetry = "X-Should-Retry"
)

// Our additional query parameters for a list of personas. QueryAfter is a page cursor. QueryName is
// the beginning of a name. QueryInclude requests additional members.
const (
	QueryAfter       = "after"
	QueryName        = "name"
	QueryInclude     = "include"
	IncludeUpdatedAt = "updated_at"
	IncludeTotal     = "total"
)

// Our additional query parameters for a history and a trace. QueryLimit is the maximum number of
// messages. QueryBefore is a message id. Only earlier messages are returned.
const (
	QueryLimit  = "limit"
	QueryBefore = "before"
)

// Limits of requests (docs/interface.md, limits). Bodies are limited in bytes, strings in Unicode
// code points.
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

// MarshalJSON encodes the time in UTC with milliseconds.
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

// ListedPersona is a PersonaItem of the local server. UpdatedAt is nil unless the request included
// updated_at.
type ListedPersona struct {
	PersonaItem
	UpdatedAt *Time `json:"updated_at,omitempty"`
}

// Persona is the response of GET /personas/{id}.
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

// FullPersona is the response of GET /personas/{id}/full. In JSON, the fields from
// PerplexityDescription to Extra are members of the object "persona". Extra contains the unknown
// members of the saved document.
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

// Message is the request body of message. Key is sent as the Idempotency-Key header. A retry must
// use the same key. If Key is empty, the client generates one.
type Message struct {
	Message       string `json:"message"`
	UserSessionID string `json:"user_session_id"`
	// SameVerdict requests another wording of a reply (our addition). The session must have been
	// forked directly before the same message. The server reuses the evaluation of the parent
	// session.
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
	// Aside is true if the message was an aside. An aside leads to no decision and costs no try.
	// FollowUp is then true too.
	Aside            bool   `json:"aside,omitempty"`
	RedirectCount    *int   `json:"redirect_count"`
	SessionID        string `json:"session_id"`
	ScoringMode      string `json:"scoring_mode"`
	MachineCompleted bool   `json:"machine_completed"`
	// Ending is the persona's name for the reached ending.
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
	// RedirectCount counts the redirects in the current state. It is nil in a terminal state, and
	// for services that do not report it.
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

// ResetDone is the response of POST reset. SessionID is the newest of the reset sessions.
type ResetDone struct {
	SessionID string `json:"session_id"`
	Message   string `json:"message"`
}

// AvailableMachine is an item of GET available-machines and of Progress.AvailableMachines.
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

// CreatedKey is the response of POST sdk/api-keys. No other response contains Key.
type CreatedKey struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Key       string `json:"key"`
	KeyPrefix string `json:"key_prefix"`
	CreatedAt Time   `json:"created_at"`
}

// PathSignIn is the path of the SignIn description, an addition to the interface. Services without
// it return 404.
const PathSignIn = "/.well-known/parley"

// SignIn describes the source of the service's tokens.
type SignIn struct {
	// Issuer is the URL of the OpenID provider.
	Issuer string `json:"issuer"`
	// ClientID is the public OAuth client for the command line, or "".
	ClientID string `json:"client_id,omitempty"`
	// Audience is the required audience of tokens.
	Audience string `json:"audience"`
	// Resource is the resource of token requests (RFC 8707), or "" if Audience is the resource.
	Resource string `json:"resource,omitempty"`
	// Scopes lists the scopes of token requests.
	Scopes []string `json:"scopes"`
	// Development means that the provider accepts e-mail addresses without proof.
	Development bool `json:"development"`
}

// PathProtectedResource is the path of the ProtectedResource metadata (RFC 9728). A path in the
// service's URL is appended.
const PathProtectedResource = "/.well-known/oauth-protected-resource"

// ProtectedResource is the OAuth metadata of the service (RFC 9728, section 2).
type ProtectedResource struct {
	// Resource is the URL of the service. Clients pass it to the provider as resource (RFC 8707).
	Resource string `json:"resource"`
	// AuthorizationServers lists the issuers of tokens. It is empty if a shared secret signs the
	// tokens.
	AuthorizationServers []string `json:"authorization_servers,omitempty"`
	// ScopesSupported lists the scopes of token requests.
	ScopesSupported []string `json:"scopes_supported,omitempty"`
	// BearerMethodsSupported lists the allowed locations of the token. The only value is "header".
	BearerMethodsSupported []string `json:"bearer_methods_supported"`
	ResourceName           string   `json:"resource_name,omitempty"`
	// ResourceDocumentation is the URL of a page for developers.
	ResourceDocumentation string `json:"resource_documentation,omitempty"`
}
