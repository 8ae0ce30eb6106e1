package wire

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/parley-npc/parley/personas"
)

// Key is an item of GET sdk/api-keys. LastUsedAt is nil for an unused key.
type Key struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	KeyPrefix  string `json:"key_prefix"`
	CreatedAt  Time   `json:"created_at"`
	LastUsedAt *Time  `json:"last_used_at"`
}

// SDKPersona is an item of GET sdk/personas.
type SDKPersona struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	CreatedAt   Time   `json:"created_at"`
	UpdatedAt   Time   `json:"updated_at"`
}

// Session is the response of GET sdk/chat/{persona_id}/session.
type Session struct {
	SessionID     string  `json:"session_id"`
	PersonaID     string  `json:"persona_id"`
	MachineID     string  `json:"machine_id"`
	CurrentState  string  `json:"current_state"`
	Score         int     `json:"score"`
	Outcome       *string `json:"outcome"`
	PlayerName    string  `json:"player_name"`
	PlayerGender  string  `json:"player_gender"`
	StartedAt     Time    `json:"started_at"`
	LastMessageAt Time    `json:"last_message_at"`
}

// SDKReply is the response of message at the SDK endpoints. Its unlocked machines are objects
// instead of ids.
type SDKReply struct {
	Reply
	Unlocked []UnlockedMachine `json:"unlocked_machines"`
}

// UnlockedMachine is an item of SDKReply.Unlocked.
type UnlockedMachine struct {
	MachineID     string `json:"machine_id"`
	MachineKey    string `json:"machine_key"`
	Name          string `json:"name"`
	IsAutoAdvance bool   `json:"is_auto_advance"`
}

// UnmarshalJSON accepts an object with the member machine_id or id. It also accepts an id as a
// string, because the web endpoints send strings.
func (m *UnlockedMachine) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, &m.MachineID)
	}
	type plain UnlockedMachine
	shape := struct {
		*plain
		ID string `json:"id"`
	}{plain: (*plain)(m)}
	err := json.Unmarshal(data, &shape)
	m.MachineID = cmp.Or(m.MachineID, shape.ID)
	return err
}

// ValidateLLMKey is the optional request body of POST sdk/validate-llm-key.
type ValidateLLMKey struct {
	Model string `json:"model,omitempty"`
}

// LLMKeyValidity is the response of POST sdk/validate-llm-key. Error explains why Valid is false.
type LLMKeyValidity struct {
	Valid bool    `json:"valid"`
	Model string  `json:"model"`
	Error *string `json:"error"`
}

// SDKError is the error body of the SDK endpoints. A 429 response has a RateLimited body instead.
type SDKError struct {
	Error SDKErrorText `json:"error"`
}

// SDKErrorText is the content of an SDKError.
type SDKErrorText struct {
	Message   string `json:"message"`
	Code      string `json:"code"`
	RequestID string `json:"request_id"`
	// RetryAfter (in seconds) and ShouldRetry replace the response headers in the error event of a
	// stream. Other responses omit them.
	RetryAfter  int   `json:"retry_after,omitempty"`
	ShouldRetry *bool `json:"should_retry,omitempty"`
	// WaitReason is Error.WaitReason.
	WaitReason string `json:"wait_reason,omitempty"`
}

// Names of the events in a streamed reply or opening. A stream has one metadata event, then
// text_delta events, then one done event. If the call fails, an error event ends the stream
// instead.
const (
	EventMetadata  = "metadata"   // the response without its message
	EventTextDelta = "text_delta" // TextDelta
	EventDone      = "done"       // the whole response
	EventError     = "error"      // SDKError, also for the web endpoints
)

// TextDelta is the data of a text_delta event.
type TextDelta struct {
	Text string `json:"text"`
}

// ReplyMetadata is the data of a metadata event at the web endpoints. Message is always nil, and
// hides Reply.Message in JSON.
type ReplyMetadata struct {
	Reply
	Message *string `json:"message,omitempty"`
}

// SDKReplyMetadata is the data of a metadata event at the SDK endpoints.
type SDKReplyMetadata struct {
	SDKReply
	Message *string `json:"message,omitempty"`
}

// OpeningMetadata is the data of a metadata event of an opening.
type OpeningMetadata struct {
	Opening
	Message *string `json:"message,omitempty"`
}

var statuses = map[string]int{
	CodeBadRequest: 400, CodeUnauthenticated: 401, CodeForbidden: 403, CodeMachineLocked: 403, CodeNotFound: 404,
	CodeConflict: 409, CodeFinished: 409, CodeSessionFull: 409, CodePastNotKept: 409, CodeAnotherPast: 409,
	CodeManyBranches: 409, CodeNothingToRepeat: 409,
	CodeChanged: 412, CodeTooLarge: 413, CodeInvalid: 422, CodeRateLimited: 429,
	CodeMethod: 405, CodeMediaType: 415, CodeExpectation: 417, CodeHeadersTooLarge: 431,
	CodeModelFailed: 502, CodeModelTimeout: 504, CodeModelKey: 401, CodeNoModel: 409, CodeUnavailable: 503,
}

// StatusOf returns the HTTP status for an error code in an event. It returns 500 for an unknown
// code.
func StatusOf(code string) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return 500
}

// Generate is the request body of POST creator/generate. Description has 1 to MaxPersonaDesc
// characters. If Name is empty, the model chooses a name.
type Generate struct {
	Description string `json:"description"`
	Name        string `json:"name,omitempty"`
}

// Generated is the response of POST creator/generate. Persona is not saved yet.
type Generated struct {
	Persona personas.Persona `json:"persona"`
	// Warnings lists the linter's findings below severity error.
	Warnings []Detail `json:"warnings"`
	// Rounds is the number of requests to the model.
	Rounds int `json:"rounds"`
}
