package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// wireError renames wire.Error, because an embedded field Error would conflict with the method
// Error.
type wireError = wire.Error

// An Error is an error answer with its cause, which is only logged.
type Error struct {
	*wireError
	Cause error
	// Challenge is the WWW-Authenticate header of a 401.
	Challenge string
	// Reason describes in detail why a model failed. If it is set, it replaces Message for callers
	// on this machine, and for all callers if ReasonForAll is true.
	Reason       string
	ReasonForAll bool
}

// GetStatus returns the error's status. It implements huma.StatusError.
func (e *Error) GetStatus() int { return e.Status }

// GetHeaders returns the headers of the error answer. It implements huma.HeadersError.
func (e *Error) GetHeaders() http.Header {
	h := http.Header{}
	if e.Challenge != "" {
		h.Set("WWW-Authenticate", e.Challenge)
	}
	if e.RetryAfter > 0 {
		h.Set(wire.HeaderRetryAfter, strconv.Itoa(WholeSeconds(e.RetryAfter)))
	}
	if e.Final {
		h.Set(wire.HeaderShouldRetry, "false")
	}
	return h
}

// Answer returns the body for a request with the given path, and records the code for the log line.
func (e *Error) Answer(ctx context.Context, path string) any {
	identity.NoteRefusal(ctx, e.Code)
	return e.Body(ctx, path)
}

// Body returns the body for a request with the given path, in the format of the web side or the SDK
// side. An exceeded rate limit has the same format on both sides (interface, section Errors).
func (e *Error) Body(ctx context.Context, path string) any {
	switch {
	case e.Status == http.StatusTooManyRequests:
		return &wire.RateLimited{Error: e.Message}
	case strings.HasPrefix(path, wire.PrefixSDK):
		return e.SDKBody(ctx)
	}
	body := *e.wireError
	body.RequestID = identity.RequestID(ctx)
	return &body
}

// SDKBody returns the body in the format of the SDK side. Streams use that format on both sides.
func (e *Error) SDKBody(ctx context.Context) *wire.SDKError {
	return &wire.SDKError{Error: wire.SDKErrorText{Message: e.Message, Code: e.Code, RequestID: identity.RequestID(ctx), WaitReason: e.WaitReason}}
}

// EventBody returns SDKBody together with the values that ordinary answers have in headers. It also
// records the code for the log line.
func (e *Error) EventBody(ctx context.Context) *wire.SDKError {
	identity.NoteRefusal(ctx, e.Code)
	body := e.SDKBody(ctx)
	if e.RetryAfter > 0 {
		body.Error.RetryAfter = WholeSeconds(e.RetryAfter)
	}
	if e.Final {
		body.Error.ShouldRetry = new(false)
	}
	return body
}

// NewError returns an error with the given status, code and message.
func NewError(status int, code, message string) *Error {
	return &Error{wireError: &wire.Error{Status: status, Code: code, Message: message}}
}

// BadRequest returns a 400.
func BadRequest(message string) *Error {
	return NewError(http.StatusBadRequest, wire.CodeBadRequest, message)
}

const (
	IsEmpty = "must not be empty"
	HasNUL  = "must not contain a NUL character"
)

// EmptyBody returns a 400 for a missing body.
func EmptyBody() *Error { return BadRequest("the body is empty: it must be a JSON object") }

// Invalid returns a 422. The details describe everything that is invalid.
func Invalid(details ...wire.Detail) *Error {
	return WithDetails(http.StatusUnprocessableEntity, wire.CodeInvalid, details)
}

// WithDetails returns an error with details. The first detail is also its message.
func WithDetails(status int, code string, details []wire.Detail) *Error {
	e := NewError(status, code, "")
	e.Details = details
	if len(details) > 0 {
		e.Message = strings.TrimPrefix(details[0].Path+": "+details[0].Message, ": ")
	}
	return e
}

// Internal returns a 500. The cause is not sent to the caller.
func Internal(cause error) *Error {
	e := NewError(http.StatusInternalServerError, wire.CodeInternal, "internal error")
	e.Cause = cause
	return e
}

// Canceled returns the error for a call that was aborted because the caller has disconnected or the
// server is stopping.
func Canceled() *Error {
	return NewError(http.StatusServiceUnavailable, wire.CodeInternal, "the request was aborted, send it again")
}

// NoSuchPath returns a 404 for an unknown path.
func NoSuchPath() *Error {
	return NewError(http.StatusNotFound, wire.CodeNotFound, wire.NoSuchPath)
}

// TooManyRequests returns a 429. Its message is the sentence, followed by the number of seconds
// after which the caller may try again.
func TooManyRequests(sentence string, seconds int) *Error {
	unit := "seconds"
	if seconds == 1 {
		unit = "second"
	}
	e := NewError(http.StatusTooManyRequests, wire.CodeRateLimited, fmt.Sprintf("%s, try again in %d %s", sentence, seconds, unit))
	e.RetryAfter = time.Duration(seconds) * time.Second
	return e
}

// Write writes an error as the answer to a request.
func Write(w http.ResponseWriter, r *http.Request, e *Error) {
	for name, values := range e.GetHeaders() {
		w.Header()[name] = values
	}
	WriteJSON(w, e.Status, e.Answer(r.Context(), r.URL.Path))
}

// WriteJSON writes a value as the answer to a request.
func WriteJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", ContentJSON)
	w.WriteHeader(status)
	// An error means that the caller has disconnected.
	_ = writeValue(w, value)
}

// EncodeJSON returns the JSON that WriteJSON writes for a value.
func EncodeJSON(value any) []byte {
	var text bytes.Buffer
	_ = writeValue(&text, value) // Writing to a buffer cannot fail, and all values can be encoded.
	return text.Bytes()
}

func writeValue(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// FromProvider returns a 502 or a 504 with the details in Reason. If the caller chose the model, a
// rejected key is a 401 and an unknown model is a 400. Then all callers see the details.
func FromProvider(failed *provider.Error, callersModel bool) *Error {
	e := NewError(http.StatusBadGateway, wire.CodeModelFailed, "the model failed: nothing was stored, send the request again")
	e.Cause, e.ReasonForAll, e.RetryAfter = failed, callersModel, failed.RetryAfter
	e.Reason = failed.Message + "; nothing was stored"
	// If the wait is short, the server itself has already retried.
	isBusy := failed.Kind == provider.Quota || failed.Kind == provider.Down
	e.Final = !isBusy || failed.RetryAfter <= provider.LongestWait
	switch {
	case failed.RetryAfter <= 0:
	case failed.Kind == provider.Quota:
		e.WaitReason = wire.WaitRateLimit
	case failed.Kind == provider.Down:
		e.WaitReason = wire.WaitBusy
	}
	switch {
	case failed.Kind == provider.Late:
		e.Status, e.Code, e.Message = http.StatusGatewayTimeout, wire.CodeModelTimeout, "the model did not answer in time: nothing was stored, send the request again"
	case failed.Kind == provider.Unusable:
		e.Message = play.Unusable
	case !callersModel:
	case failed.Kind == provider.KeyRefused:
		e.Status, e.Code, e.Challenge = http.StatusUnauthorized, wire.CodeModelKey, `ApiKey realm="`+failed.Provider+`"`
	case failed.Kind == provider.NoModel, failed.Kind == provider.BadRequest:
		e.Status, e.Code = http.StatusBadRequest, wire.CodeBadRequest
	}
	return e
}

const realm = `Bearer realm="parley"`

// Unauthenticated returns a 401. why is nil for a missing token, and the error for an invalid
// token. If why is an identity.InvalidToken, its reason is in the header WWW-Authenticate.
func Unauthenticated(why error) *Error {
	e := NewError(http.StatusUnauthorized, wire.CodeUnauthenticated, "this endpoint requires a bearer token, sign in first")
	e.Challenge = realm
	if bad, ok := errors.AsType[*identity.InvalidToken](why); ok {
		e.Message = bad.Error()
		e.Challenge = realm + `, error="invalid_token", error_description="` + bad.Reason + `"`
	}
	return e
}

// UnknownKey returns a 401 for a missing or unknown API key.
func UnknownKey(message string) *Error {
	e := NewError(http.StatusUnauthorized, wire.CodeUnauthenticated, message)
	e.Challenge = `ApiKey realm="parley"`
	return e
}

// FromVerification converts an invalid token to a 401 and an unavailable provider to a 503. It
// returns other errors unchanged.
func FromVerification(err error) error {
	if _, ok := errors.AsType[*identity.InvalidToken](err); ok {
		return Unauthenticated(err)
	}
	if away, ok := errors.AsType[*identity.Unavailable](err); ok {
		e := NewError(http.StatusServiceUnavailable, wire.CodeUnavailable, away.Error())
		e.Cause, e.RetryAfter = away.Cause, away.RetryAfter
		return e
	}
	return err
}

var refusals = map[play.Kind]struct {
	status int
	code   string
}{
	play.NotFound:     {http.StatusNotFound, wire.CodeNotFound},
	play.Forbidden:    {http.StatusForbidden, wire.CodeForbidden},
	play.Locked:       {http.StatusForbidden, wire.CodeMachineLocked},
	play.Finished:     {http.StatusConflict, wire.CodeFinished},
	play.Conflict:     {http.StatusConflict, wire.CodeConflict},
	play.Full:         {http.StatusConflict, wire.CodeSessionFull},
	play.PastGone:     {http.StatusConflict, wire.CodePastNotKept},
	play.AnotherPast:  {http.StatusConflict, wire.CodeAnotherPast},
	play.ManyBranches: {http.StatusConflict, wire.CodeManyBranches},
	play.NothingKept:  {http.StatusConflict, wire.CodeNothingToRepeat},
	play.KeyReused:    {http.StatusUnprocessableEntity, wire.CodeInvalid},
	play.TooLong:      {http.StatusUnprocessableEntity, wire.CodeInvalid},
	play.ModelDown:    {http.StatusBadGateway, wire.CodeModelFailed},
	play.ModelLate:    {http.StatusGatewayTimeout, wire.CodeModelTimeout},
}

// From converts any error to an Error. It converts an unknown error with Internal.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if refusal, ok := errors.AsType[*play.Error](err); ok {
		if e, ok := fromPlay(refusal); ok {
			return e
		}
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return NewError(http.StatusNotFound, wire.CodeNotFound, "there is no such persona")
	case errors.Is(err, store.ErrForbidden):
		return NewError(http.StatusForbidden, wire.CodeForbidden, "only the persona's owner may do this")
	case errors.Is(err, store.ErrChanged):
		return NewError(http.StatusPreconditionFailed, wire.CodeChanged, "the persona was saved in the meantime, read it again")
	case errors.Is(err, store.ErrKeyReused):
		return NewError(http.StatusUnprocessableEntity, wire.CodeInvalid, "this "+wire.HeaderIdempotencyKey+" was used for another request, use a new one")
	case errors.Is(err, store.ErrTooLarge):
		return Invalid(wire.Detail{Message: store.ErrTooLarge.Error()})
	case store.IsUnkept(err):
		return NothingKept(err)
	}
	return Internal(err)
}

// NothingKept returns a 503 for an error that means that the store can store nothing
// (store.IsUnkept).
func NothingKept(err error) *Error {
	e := NewError(http.StatusServiceUnavailable, wire.CodeUnavailable, "nothing can be stored: "+store.ExplainUnkept(err))
	e.Cause = err
	return e
}

func fromPlay(refusal *play.Error) (*Error, bool) {
	failed, isProviders := errors.AsType[*provider.Error](refusal.Cause)
	switch refusal.Kind {
	case play.ModelDown, play.ModelLate:
		if isProviders {
			return FromProvider(failed, refusal.CallersModel), true
		}
	case play.NoMessage:
		return Invalid(wire.Detail{Path: wire.QueryBefore, Message: refusal.Message}), true
	case play.NoTurn:
		return Invalid(wire.Detail{Path: "at", Message: refusal.Message}), true
	}
	as, ok := refusals[refusal.Kind]
	if !ok {
		return nil, false
	}
	e := NewError(as.status, as.code, refusal.Message)
	e.Cause = refusal.Cause
	return e, true
}

// ForCaller converts an error for the caller. It logs the cause of a 5xx, or returns Canceled if the caller
// has disconnected or the server is stopping.
func ForCaller(ctx context.Context, log *slog.Logger, err error) *Error {
	e := From(err)
	if e.Status >= http.StatusInternalServerError && ctx.Err() != nil {
		return Canceled()
	}
	if e.Cause != nil && e.Status >= http.StatusInternalServerError {
		attrs := []slog.Attr{slog.String("request_id", identity.RequestID(ctx)), slog.Int("status", e.Status), slog.Any("error", e.Cause)}
		if failed, ok := errors.AsType[*provider.Error](e.Cause); ok && failed.Cause != nil {
			attrs = append(attrs, slog.Any("cause", failed.Cause))
		}
		log.LogAttrs(ctx, slog.LevelError, "request failed", attrs...)
	}
	// RFC 9728 section 5.1.
	if address := identity.ResourceMetadata(ctx); address != "" && strings.HasPrefix(e.Challenge, realm) {
		e.Challenge = realm + `, resource_metadata="` + address + `"` + strings.TrimPrefix(e.Challenge, realm)
	}
	if e.Reason != "" && (e.ReasonForAll || identity.IsLocal(ctx)) {
		e.Message = e.Reason
	}
	return e
}
