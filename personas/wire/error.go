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

// Codes of errors, the machine-readable half of an error body.
// NoSuchPath is the sentence of our server's 404 for a path that it does not have.
const NoSuchPath = "there is no such path"

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
	CodeExpectation     = "expectation-failed"
	CodeHeadersTooLarge = "headers-too-large"
	CodeInvalid         = "invalid"
	CodeRateLimited     = "rate-limited"
	CodeInternal        = "internal"
	CodeModelFailed     = "model-failed"
	CodeModelTimeout    = "model-timeout"
	// CodeModelKey: the model's provider does not take the caller's key.
	CodeModelKey = "llm-key-refused"
	// CodeNoModel: the server lacks a model for this request; repeating it does not help.
	CodeNoModel = "no-model"
	// CodeUnsound: the model's draft is invalid, and there is no alternative.
	CodeUnsound = "draft-unsound"
	// CodeDeclined: the model does not want to write what is asked for.
	CodeDeclined = "model-declined"
	// CodeUnavailable: a dependency of the answer is unavailable now; the call may be repeated
	// unchanged.
	CodeUnavailable = "unavailable"
	// CodeUnsupported: HTTP of another version, or in another encoding.
	CodeUnsupported = "not-supported"
)

// Detail is one fault of a request body: its place and a description.
type Detail struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Error is a refusal of the service. As JSON it is the web body of an error
// (docs/interface.md, statuses); Status, RetryAfter and Final travel beside the body.
type Error struct {
	Status     int           `json:"-"`
	RetryAfter time.Duration `json:"-"`
	// Final means that a program need not retry the call automatically.
	Final     bool     `json:"-"`
	Message   string   `json:"error"`
	Code      string   `json:"code,omitempty"`
	RequestID string   `json:"request_id,omitempty"`
	Details   []Detail `json:"details,omitempty"`
	// WaitReason is the reason for RetryAfter (WaitNotice), if a model's provider causes the wait.
	WaitReason string `json:"wait_reason,omitempty"`
}

// RateLimited is the body of a 429 on every path (interface, section Errors): that
// the limit is exceeded, and how many seconds to wait.
type RateLimited struct {
	Error string `json:"error"`
}

// Error returns the sentence, and the details if there are any. It omits a detail that only repeats
// the sentence.
func (e *Error) Error() string {
	text := e.Message
	if text == "" {
		text = fmt.Sprintf("the service answered with status %d", e.Status)
	}
	for _, d := range e.Details {
		if says := strings.TrimPrefix(d.Path+": "+d.Message, ": "); says != text {
			text += "\n  " + says
		}
	}
	return text
}

// errorShape covers all shapes of errors from services.
type errorShape struct {
	Error     json.RawMessage `json:"error"`
	Code      string          `json:"code"`
	RequestID string          `json:"request_id"`
	Details   []Detail        `json:"details"`
	Detail    json.RawMessage `json:"detail"`
	Wait      json.RawMessage `json:"wait_reason"`
}

// ReadError reads an error body liberally: a string error, error.message, a
// detail string or list, else the raw text, shortened. A member of another type
// than expected is left out and never costs the others.
func ReadError(status int, body []byte) *Error {
	e := &Error{Status: status}
	var shape errorShape
	var wrongType *json.UnmarshalTypeError
	err := json.Unmarshal(body, &shape)
	if err != nil && !errors.As(err, &wrongType) {
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

// readWaitReason reads one of the reasons of a model's provider; "" for anything else.
func readWaitReason(raw json.RawMessage) string {
	switch text := strings.Trim(string(raw), `"`); text {
	case WaitBusy, WaitRateLimit:
		return text
	}
	return ""
}

// readSeconds reads whole seconds; it returns 0 for anything else and for more than a day.
func readSeconds(raw json.RawMessage) time.Duration {
	const day = 24 * 60 * 60
	var seconds int
	if json.Unmarshal(raw, &seconds) != nil || seconds < 0 || seconds > day {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// detailText reads detail as a text, or as a list of texts and of objects.
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

// rawText shortens a body that is not an error of the service. It leaves out an HTML page, which
// does not help a reader.
func rawText(body []byte) string {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("<")) {
		return ""
	}
	return plaintext.ClipAfter(strings.ToValidUTF8(string(body), "\uFFFD"), maxRawText, plaintext.Ellipsis)
}
