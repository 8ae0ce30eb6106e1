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
	CodeExpectation     = "expectation-failed"
	CodeHeadersTooLarge = "headers-too-large"
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
	// CodeUnsupported means that the HTTP version or the encoding is not supported.
	CodeUnsupported = "not-supported"
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

type errorMembers struct {
	Code        string          `json:"code"`
	RequestID   string          `json:"request_id"`
	Details     []Detail        `json:"details"`
	WaitReason  string          `json:"wait_reason"`
	RetryAfter  int             `json:"retry_after"`
	ShouldRetry json.RawMessage `json:"should_retry"`
}

// ReadError decodes an error body. It accepts the members error (a string), error.message, and
// detail (a string or a list). Otherwise it uses the raw text, shortened. It ignores members of an
// unexpected type.
func ReadError(status int, body []byte) *Error {
	var outer struct {
		errorMembers
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	var inner errorMembers
	// An error means that a member has another type. That member stays empty.
	_ = json.Unmarshal(body, &outer)
	_ = json.Unmarshal(outer.Error, &inner)
	e := &Error{
		Status: status, Message: cmp.Or(messageIn(outer.Error), messageIn(outer.Detail), rawText(body)), Details: outer.Details,
		Code: cmp.Or(inner.Code, outer.Code), RequestID: cmp.Or(inner.RequestID, outer.RequestID),
		Final: string(inner.ShouldRetry) == "false",
	}
	if reason := cmp.Or(inner.WaitReason, outer.WaitReason); reason == WaitBusy || reason == WaitRateLimit {
		e.WaitReason = reason
	}
	if inner.RetryAfter > 0 && inner.RetryAfter <= 24*60*60 {
		e.RetryAfter = time.Duration(inner.RetryAfter) * time.Second
	}
	return e
}

// messageIn returns the text of a string, of an object with a message, or of a list of these.
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

// rawText shortens a body that is not a known error. It returns "" for an HTML page, which does not
// help a reader.
func rawText(body []byte) string {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("<")) {
		return ""
	}
	return plaintext.ClipAfter(strings.ToValidUTF8(string(body), "\uFFFD"), maxRawText, plaintext.Ellipsis)
}

// MaxRetryAfter is the maximum wait that ParseRetryAfter returns.
const MaxRetryAfter = 100 * 365 * 24 * time.Hour

// ParseRetryAfter parses the header Retry-After (RFC 9110, section 10.2.3). Its value is a number
// of seconds, which may be decimal, or an HTTP date. It returns 0 if the value is missing, invalid
// or in the past, and at most MaxRetryAfter.
func ParseRetryAfter(value string, now time.Time) time.Duration {
	if date, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", value); err == nil {
		return min(max(date.Sub(now), 0), MaxRetryAfter)
	}
	return parseUnits(value, time.Second)
}

// ParseRetryAfterMs parses the header Retry-After-Ms, a number of milliseconds, which some model
// providers send. The result has the same bounds as that of ParseRetryAfter.
func ParseRetryAfterMs(value string) time.Duration { return parseUnits(value, time.Millisecond) }

func parseUnits(value string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n > 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(MaxRetryAfter)))
}
