package wire

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/parley-npc/parley/personas"
)

// Key is an item of GET sdk/api-keys. LastUsedAt is null if the key was never used.
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

// SDKReply is the Reply of the SDK endpoints. Its unlocked machines are objects instead of ids.
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

// UnmarshalJSON accepts an object with machine_id or id. It also accepts an id as a string, which
// the web endpoints send.
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

// ValidateLLMKey is the request body of POST sdk/validate-llm-key. It is optional.
type ValidateLLMKey struct {
	Model string `json:"model,omitempty"`
}

// LLMKeyValidity is the response of POST sdk/validate-llm-key. Error is the reason if the key is
// invalid.
type LLMKeyValidity struct {
	Valid bool    `json:"valid"`
	Model string  `json:"model"`
	Error *string `json:"error"`
}

// SDKError is the error body of the SDK endpoints. Rate limit errors are an exception. They have
// the same body as at the web endpoints.
type SDKError struct {
	Error SDKErrorText `json:"error"`
}

// SDKErrorText is the content of an SDKError.
type SDKErrorText struct {
	Message   string `json:"message"`
	Code      string `json:"code"`
	RequestID string `json:"request_id"`
	// RetryAfter (whole seconds) and ShouldRetry have the same meaning as the headers of other
	// error responses. They are set only in the error event of a stream.
	RetryAfter  int   `json:"retry_after,omitempty"`
	ShouldRetry *bool `json:"should_retry,omitempty"`
	// WaitReason is the same as in Error.
	WaitReason string `json:"wait_reason,omitempty"`
}

// Events of a streamed reply or opening. The first event is metadata. A text_delta follows for each
// piece of the text. The last event is done. If the call failed halfway and was not stored, the
// last event is error instead.
const (
	EventMetadata  = "metadata"   // the response without its message
	EventTextDelta = "text_delta" // TextDelta
	EventDone      = "done"       // the whole response
	EventError     = "error"      // SDKError, also for the web endpoints
)

// TextDelta is the data of a "text_delta" event.
type TextDelta struct {
	Text string `json:"text"`
}

// ReplyMetadata is the data of a "metadata" event of the web endpoints. Message is never set. It
// only hides Reply.Message.
type ReplyMetadata struct {
	Reply
	Message *string `json:"message,omitempty"`
}

// SDKReplyMetadata is the data of a "metadata" event of the SDK endpoints.
type SDKReplyMetadata struct {
	SDKReply
	Message *string `json:"message,omitempty"`
}

// OpeningMetadata is the data of a "metadata" event of an opening.
type OpeningMetadata struct {
	Opening
	Message *string `json:"message,omitempty"`
}

var statuses = map[string]int{
	CodeBadRequest: 400, CodeUnauthenticated: 401, CodeForbidden: 403, CodeMachineLocked: 403, CodeNotFound: 404,
	CodeConflict: 409, CodeFinished: 409, CodeSessionFull: 409, CodePastNotKept: 409, CodeAnotherPast: 409, CodeManyBranches: 409, CodeNothingToRepeat: 409,
	CodeChanged: 412, CodeTooLarge: 413, CodeInvalid: 422, CodeRateLimited: 429,
	CodeMethod: 405, CodeMediaType: 415, CodeExpectation: 417, CodeHeadersTooLarge: 431,
	CodeModelFailed: 502, CodeModelTimeout: 504, CodeModelKey: 401, CodeNoModel: 409, CodeUnavailable: 503,
}

// StatusOf returns the HTTP status for an error code. It is for errors that arrive as an event, and
// therefore without a status. It returns 500 for an unknown code.
func StatusOf(code string) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return 500
}

// Generate is the request body of POST creator/generate. It contains a description of 1 to
// MaxPersonaDesc characters, and the persona's name. If Name is empty, the model chooses one.
type Generate struct {
	Description string `json:"description"`
	Name        string `json:"name,omitempty"`
}

// Generated is the response of POST creator/generate: an unsaved persona that POST creator/save
// accepts.
type Generated struct {
	Persona personas.Persona `json:"persona"`
	// Warnings are the findings of the linter below level error.
	Warnings []Detail `json:"warnings"`
	// Rounds is the number of calls of the model.
	Rounds int `json:"rounds"`
}
