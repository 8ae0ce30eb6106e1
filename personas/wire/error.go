package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/plaintext"
)

// NoSuchPath is the local server's error message for an unknown path.
const NoSuchPath = "there is no such path"

// Values of Error.Code.
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
	// CodeModelKey means that the model provider rejected the caller's key.
	CodeModelKey = "llm-key-refused"
	// CodeNoModel means that the server has no model for this request. A retry does not help.
	CodeNoModel = "no-model"
	// CodeUnsound means that the server discarded an invalid draft of the model.
	CodeUnsound = "draft-unsound"
	// CodeDeclined means that the model refused to write the draft.
	CodeDeclined = "model-declined"
	// CodeUnavailable means that a dependency of the server is unavailable. The caller may retry
	// the request unchanged.
	CodeUnavailable = "unavailable"
	// CodeUnsupported means that the server does not support the HTTP version or the encoding.
	CodeUnsupported = "not-supported"
)

// Detail describes one problem in a request body.
type Detail struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Error is an error response of the service. Its JSON is the error body of the web endpoints
// (docs/interface.md, statuses).
type Error struct {
	Status     int           `json:"-"`
	RetryAfter time.Duration `json:"-"`
	// Final means that clients should not retry automatically.
	Final     bool     `json:"-"`
	Message   string   `json:"error"`
	Code      string   `json:"code,omitempty"`
	RequestID string   `json:"request_id,omitempty"`
	Details   []Detail `json:"details,omitempty"`
	// WaitReason is WaitBusy or WaitRateLimit if the model provider requires the wait, otherwise
	// "".
	WaitReason string `json:"wait_reason,omitempty"`
}

// RateLimited is the body of every 429 response (docs/interface.md, Statuses). Error names the
// exceeded limit and the seconds to wait.
type RateLimited struct {
	Error string `json:"error"`
}

// Error returns the message and the details. It omits a detail that repeats the message.
func (e *Error) Error() string {
	text := cmp.Or(e.Message, fmt.Sprintf("the service answered with status %d", e.Status))
	for _, d := range e.Details {
		if detail := strings.TrimPrefix(d.Path+": "+d.Message, ": "); detail != text {
			text += "\n  " + detail
		}
	}
	return text
}

// ErrorStatus returns the status of an *Error, or 0 for another error.
func ErrorStatus(err error) int {
	refusal, ok := errors.AsType[*Error](err)
	if !ok {
		return 0
	}
	return refusal.Status
}

type errorMembers struct {
	Code        string          `json:"code"`
	RequestID   string          `json:"request_id"`
	Details     []Detail        `json:"details"`
	WaitReason  string          `json:"wait_reason"`
	RetryAfter  int             `json:"retry_after"`
	ShouldRetry json.RawMessage `json:"should_retry"`
}

// ReadError decodes an error body. The message is the member error, error.message or detail, or
// else the beginning of the body. Members of an unexpected type are ignored.
func ReadError(status int, body []byte) *Error {
	var outer struct {
		errorMembers
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	var inner errorMembers
	// Ignore the errors, because Unmarshal still decodes the members of the right type.
	_ = json.Unmarshal(body, &outer)
	_ = json.Unmarshal(outer.Error, &inner)
	e := &Error{
		Status:    status,
		Message:   cmp.Or(messageIn(outer.Error), messageIn(outer.Detail), rawText(body)),
		Details:   outer.Details,
		Code:      cmp.Or(inner.Code, outer.Code),
		RequestID: cmp.Or(inner.RequestID, outer.RequestID),
		Final:     string(inner.ShouldRetry) == "false",
	}
	if reason := cmp.Or(inner.WaitReason, outer.WaitReason); reason == WaitBusy || reason == WaitRateLimit {
		e.WaitReason = reason
	}
	if inner.RetryAfter > 0 && inner.RetryAfter <= 24*60*60 {
		e.RetryAfter = time.Duration(inner.RetryAfter) * time.Second
	}
	return e
}

func messageIn(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var texts []string
		for _, item := range list {
			if text := messageIn(item); text != "" {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, "; ")
	}
	var object struct {
		Msg     string `json:"msg"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(raw, &object)
	return cmp.Or(object.Msg, object.Message)
}

const maxRawText = 300

func rawText(body []byte) string {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("<")) {
		return ""
	}
	return plaintext.ClipAfter(strings.ToValidUTF8(string(body), "\uFFFD"), maxRawText, plaintext.Ellipsis)
}

// MaxRetryAfter is the maximum wait that ParseRetryAfter returns.
const MaxRetryAfter = 100 * 365 * 24 * time.Hour

// ParseRetryAfter parses a Retry-After header (RFC 9110, section 10.2.3). It accepts an HTTP date
// and a decimal number of seconds. The result is 0 for an invalid or past value, and at most
// MaxRetryAfter.
func ParseRetryAfter(value string, now time.Time) time.Duration {
	if date, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", value); err == nil {
		return min(max(date.Sub(now), 0), MaxRetryAfter)
	}
	return parseUnits(value, time.Second)
}

// ParseRetryAfterMs parses a Retry-After-Ms header in milliseconds. Some model providers send this
// header. The bounds are those of ParseRetryAfter.
func ParseRetryAfterMs(value string) time.Duration { return parseUnits(value, time.Millisecond) }

func parseUnits(value string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n > 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(MaxRetryAfter)))
}
