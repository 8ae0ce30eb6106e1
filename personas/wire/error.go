package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/plaintext"
)

// NoSuchPath is the message of the local server's 404 for an unknown path.
const NoSuchPath = "there is no such path"

// Error codes, the machine-readable part of an error body.
const (
	CodeBadRequest      = "bad-request"
	CodeUnauthenticated = "unauthenticated"
	CodeForbidden       = "forbidden"
	CodeMachineLocked   = "machine-locked"
	CodeNotFound        = "not-found"
	CodeConflict        = "conflict"
	CodeFinished        = "machine-finished"
	CodeSessionFull     = "session-full"
	CodePastNotKept     = "past-not-kept"
	CodeAnotherPast     = "another-past"
	CodeManyBranches    = "too-many-branches"
	CodeNothingToRepeat = "nothing-to-repeat"
	CodeChanged         = "changed-meanwhile"
	CodeTooLarge        = "too-large"
	CodeMethod          = "method-not-allowed"
	CodeMediaType       = "unsupported-media-type"
	CodeInvalid         = "invalid"
	CodeRateLimited     = "rate-limited"
	CodeInternal        = "internal"
	CodeModelFailed     = "model-failed"
	CodeModelTimeout    = "model-timeout"
	// CodeModelKey means that the model's provider rejected the caller's key.
	CodeModelKey = "llm-key-refused"
	// CodeNoModel means that the server has no model for this request. Repeating the request does
	// not help.
	CodeNoModel = "no-model"
	// CodeUnsound means that the model's draft is invalid, and the server cannot return another
	// one.
	CodeUnsound = "draft-unsound"
	// CodeDeclined means that the model refused to write what was requested.
	CodeDeclined = "model-declined"
	// CodeUnavailable means that a service on which the server depends is unavailable. The caller
	// may repeat the call unchanged.
	CodeUnavailable = "unavailable"
)

// Detail is one problem in a request body: its path and a message.
type Detail struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Error is an error response of the service. As JSON it is the error body of the web endpoints
// (docs/interface.md, statuses). Status, RetryAfter and Final come from the status line and
// headers.
type Error struct {
	Status     int           `json:"-"`
	RetryAfter time.Duration `json:"-"`
	// Final means that a client should not retry the call automatically.
	Final     bool     `json:"-"`
	Message   string   `json:"error"`
	Code      string   `json:"code,omitempty"`
	RequestID string   `json:"request_id,omitempty"`
	Details   []Detail `json:"details,omitempty"`
	// WaitReason is the reason for RetryAfter if the model's provider causes the wait. Its values
	// are those of WaitNotice.Reason.
	WaitReason string `json:"wait_reason,omitempty"`
}

// RateLimited is the body of every 429 response (docs/interface.md, Statuses). Error is a sentence
// about the exceeded limit and how many seconds to wait.
type RateLimited struct {
	Error string `json:"error"`
}

// Error returns the message and the details, if any. It omits a detail that only repeats the
// message.
func (e *Error) Error() string {
	text := cmp.Or(e.Message, fmt.Sprintf("the service answered with status %d", e.Status))
	for _, d := range e.Details {
		if says := strings.TrimPrefix(d.Path+": "+d.Message, ": "); says != text {
			text += "\n  " + says
		}
	}
	return text
}

// ErrorStatus returns the status of an error response, or 0 for any other error.
func ErrorStatus(err error) int {
	refusal, ok := errors.AsType[*Error](err)
	if !ok {
		return 0
	}
	return refusal.Status
}

// ReadError decodes an error body. It accepts the members error (a string), error.message, and
// detail (a string or a list). Otherwise it uses the raw text, shortened. It ignores members of an
// unexpected type.
func ReadError(status int, body []byte) *Error {
	e := &Error{Status: status}
	var shape struct {
		Error     json.RawMessage `json:"error"`
		Code      string          `json:"code"`
		RequestID string          `json:"request_id"`
		Details   []Detail        `json:"details"`
		Detail    json.RawMessage `json:"detail"`
		Wait      json.RawMessage `json:"wait_reason"`
	}
	err := json.Unmarshal(body, &shape)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !ok {
		e.Message = rawText(body)
		return e
	}
	e.Code, e.RequestID, e.Details = shape.Code, shape.RequestID, shape.Details
	e.WaitReason = readWaitReason(shape.Wait)
	e.readMessage(shape.Error)
	e.Message = cmp.Or(e.Message, detailText(shape.Detail), rawText(body))
	return e
}

func (e *Error) readMessage(raw json.RawMessage) {
	if json.Unmarshal(raw, &e.Message) == nil {
		return
	}
	var nested struct {
		Message     string          `json:"message"`
		Code        string          `json:"code"`
		RequestID   string          `json:"request_id"`
		RetryAfter  json.RawMessage `json:"retry_after"`
		ShouldRetry json.RawMessage `json:"should_retry"`
		Wait        json.RawMessage `json:"wait_reason"`
	}
	if json.Unmarshal(raw, &nested) == nil {
		e.RetryAfter, e.Final = readSeconds(nested.RetryAfter), string(nested.ShouldRetry) == "false"
		e.Message = nested.Message
		e.Code = cmp.Or(nested.Code, e.Code)
		e.WaitReason = cmp.Or(readWaitReason(nested.Wait), e.WaitReason)
		e.RequestID = cmp.Or(nested.RequestID, e.RequestID)
	}
}

func readWaitReason(raw json.RawMessage) string {
	switch text := strings.Trim(string(raw), `"`); text {
	case WaitBusy, WaitRateLimit:
		return text
	}
	return ""
}

// readSeconds decodes a whole number of seconds. It returns 0 for any other value, and for more
// than a day.
func readSeconds(raw json.RawMessage) time.Duration {
	const day = 24 * 60 * 60
	var seconds int
	if json.Unmarshal(raw, &seconds) != nil || seconds < 0 || seconds > day {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func detailText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var texts []string
	for _, item := range list {
		if text := detailItem(item); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

func detailItem(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object struct {
		Msg     string `json:"msg"`
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &object) != nil {
		return ""
	}
	return cmp.Or(object.Msg, object.Message)
}

const maxRawText = 300

// rawText shortens a body that is not a known error. It returns "" for an HTML page, which does not
// help a reader.
func rawText(body []byte) string {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("<")) {
		return ""
	}
	return plaintext.ClipAfter(strings.ToValidUTF8(string(body), "\uFFFD"), maxRawText, plaintext.Ellipsis)
}
