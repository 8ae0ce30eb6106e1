// Package apierror defines how a refusal or a failure is reported: its status, its code and its
// sentence, the headers that belong to it, and the details that only the log may contain. It never
// decides whether something fails.
package apierror

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/endpoint"
	"github.com/parley-npc/parley/localserver/limit"
	"github.com/parley-npc/parley/localserver/request"
	"github.com/parley-npc/parley/personas/wire"
)

// wireError lets wire.Error be embedded although it has a method Error.
type wireError = wire.Error

// Error is an error as the service writes it, with its cause, which is only for the log.
type Error struct {
	*wireError
	Cause error
	// Challenge is the WWW-Authenticate header of a 401.
	Challenge string
	// Reason describes why a model failed, in place of Message. It is shown to callers on this
	// machine, and with ReasonForAll to all callers.
	Reason       string
	ReasonForAll bool
}

// GetStatus is the error's status, under huma's name for it.
func (e *Error) GetStatus() int { return e.Status }

// GetHeaders are the headers that belong to the error, under huma's name.
func (e *Error) GetHeaders() http.Header {
	h := http.Header{}
	if e.Challenge != "" {
		h.Set("WWW-Authenticate", e.Challenge)
	}
	if e.RetryAfter > 0 {
		h.Set(wire.HeaderRetryAfter, strconv.Itoa(limit.WholeSeconds(e.RetryAfter)))
	}
	if e.Final {
		h.Set(wire.HeaderShouldRetry, "false")
	}
	return h
}

// Answer returns the body for a caller of a path, and logs the error's code.
func (e *Error) Answer(ctx context.Context, path string) any {
	request.NoteRefusal(ctx, e.Code)
	return e.Body(ctx, path)
}

// Body returns the body for the caller of a path: the SDK side and the web side have different
// formats. That of a rate limit is always an object with the one text error (interface, section
// Errors).
func (e *Error) Body(ctx context.Context, path string) any {
	switch {
	case e.Status == http.StatusTooManyRequests:
		return &wire.RateLimited{Error: e.Message}
	case strings.HasPrefix(path, wire.PrefixSDK):
		return e.SDKBody(ctx)
	}
	body := *e.wireError
	body.RequestID = request.ID(ctx)
	return &body
}

// SDKBody returns the body for callers of the SDK side, and on both sides for readers of a stream.
func (e *Error) SDKBody(ctx context.Context) *wire.SDKError {
	return &wire.SDKError{Error: wire.SDKErrorText{Message: e.Message, Code: e.Code, RequestID: request.ID(ctx), WaitReason: e.WaitReason}}
}

// EventBody is SDKBody with the values that other errors have in headers. It logs the code.
func (e *Error) EventBody(ctx context.Context) *wire.SDKError {
	request.NoteRefusal(ctx, e.Code)
	body := e.SDKBody(ctx)
	if e.RetryAfter > 0 {
		body.Error.RetryAfter = limit.WholeSeconds(e.RetryAfter)
	}
	if e.Final {
		body.Error.ShouldRetry = new(false)
	}
	return body
}

// withReason adds the reason of a model's failure if the caller may know it.
func (e *Error) withReason(ctx context.Context) *Error {
	if e.Reason != "" && (e.ReasonForAll || request.IsLocal(ctx)) {
		e.Message = e.Reason
	}
	return e
}

// New is an error of the given status, code and sentence.
func New(status int, code, message string) *Error {
	return &Error{wireError: &wire.Error{Status: status, Code: code, Message: message}}
}

// BadRequest is a 400.
func BadRequest(message string) *Error {
	return New(http.StatusBadRequest, wire.CodeBadRequest, message)
}

// Faults of a blank text, and of one that contains a NUL character.
const (
	IsEmpty = "must not be empty"
	HasNUL  = "must not have a NUL character"
)

// EmptyBody is a 400 for a missing body.
func EmptyBody() *Error { return BadRequest("the body is empty, it must be a JSON object") }

// Invalid is a 422 with all that is wrong.
func Invalid(details ...wire.Detail) *Error {
	return WithDetails(http.StatusUnprocessableEntity, wire.CodeInvalid, details)
}

// WithDetails returns an error with the first of its details as its sentence.
func WithDetails(status int, code string, details []wire.Detail) *Error {
	e := New(status, code, "")
	e.Details = details
	if len(details) > 0 {
		e.Message = strings.TrimPrefix(details[0].Path+": "+details[0].Message, ": ")
	}
	return e
}

// Internal is an internal error; its cause is hidden from the caller.
func Internal(cause error) *Error {
	e := New(http.StatusInternalServerError, wire.CodeInternal, "internal error")
	e.Cause = cause
	return e
}

// Canceled is the error for a call that was aborted because the caller has gone or the server
// stops.
func Canceled() *Error {
	return New(http.StatusServiceUnavailable, wire.CodeInternal, "the call was broken off, send it again")
}

// NoSuchPath is the error for an unknown path.
func NoSuchPath() *Error {
	return New(http.StatusNotFound, wire.CodeNotFound, wire.NoSuchPath)
}

// TooManyRequests is a 429: its sentence, and how many seconds to wait.
func TooManyRequests(sentence string, seconds int) *Error {
	unit := "seconds"
	if seconds == 1 {
		unit = "second"
	}
	e := New(http.StatusTooManyRequests, wire.CodeRateLimited, fmt.Sprintf("%s, try again in %d %s", sentence, seconds, unit))
	e.RetryAfter = time.Duration(seconds) * time.Second
	return e
}

// Write answers with an error.
func Write(w http.ResponseWriter, r *http.Request, e *Error) {
	for name, values := range e.GetHeaders() {
		w.Header()[name] = values
	}
	WriteJSON(w, e.Status, e.Answer(r.Context(), r.URL.Path))
}

// WriteJSON answers with a value.
func WriteJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", endpoint.ContentJSON)
	w.WriteHeader(status)
	// An error means that the caller has gone away.
	_ = writeValue(w, value)
}

// EncodeJSON returns a value as WriteJSON writes it.
func EncodeJSON(value any) []byte {
	var text bytes.Buffer
	_ = writeValue(&text, value) // A buffer takes everything, and bodies of errors are texts.
	return text.Bytes()
}

func writeValue(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
