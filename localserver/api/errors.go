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

// An embedded field named Error would conflict with the method Error.
type wireError = wire.Error

// An Error is an error response. Cause is logged and not sent.
type Error struct {
	*wireError
	Cause error
	// Challenge is the WWW-Authenticate header of a 401.
	Challenge string
	// Reason describes a model's failure in detail. Reason replaces Message for callers on this
	// machine. With ReasonForAll, Reason replaces Message for all callers.
	Reason       string
	ReasonForAll bool
}

// GetStatus returns the HTTP status. It implements huma.StatusError.
func (e *Error) GetStatus() int { return e.Status }

// GetHeaders returns the response headers. It implements huma.HeadersError.
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

// Answer is like Body and also records the code for the request log.
func (e *Error) Answer(ctx context.Context, path string) any {
	identity.NoteRefusal(ctx, e.Code)
	return e.Body(ctx, path)
}

// Body returns the response body for a request path. Paths of the Game SDK have a different format.
// A 429 has the same format on all paths.
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

// SDKBody returns the response body in the format of the Game SDK. Streams always use that format.
func (e *Error) SDKBody(ctx context.Context) *wire.SDKError {
	return &wire.SDKError{Error: wire.SDKErrorText{
		Message: e.Message, Code: e.Code, RequestID: identity.RequestID(ctx), WaitReason: e.WaitReason,
	}}
}

// EventBody returns SDKBody with the values of Retry-After and X-Should-Retry. It records the code
// for the request log.
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

// NewError returns an Error with a status, a code and a message.
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

// Invalid returns a 422. details describes all invalid values.
func Invalid(details ...wire.Detail) *Error {
	return WithDetails(http.StatusUnprocessableEntity, wire.CodeInvalid, details)
}

// WithDetails returns an Error with details. The first detail becomes the message.
func WithDetails(status int, code string, details []wire.Detail) *Error {
	e := NewError(status, code, "")
	e.Details = details
	if len(details) > 0 {
		e.Message = strings.TrimPrefix(details[0].Path+": "+details[0].Message, ": ")
	}
	return e
}

// Internal returns a 500. cause is not sent to the client.
func Internal(cause error) *Error {
	e := NewError(http.StatusInternalServerError, wire.CodeInternal, "internal error")
	e.Cause = cause
	return e
}

// Canceled returns a 503 for a canceled request or during shutdown.
func Canceled() *Error {
	return NewError(http.StatusServiceUnavailable, wire.CodeInternal, "the request was aborted, send it again")
}

// NoSuchPath returns a 404 for an unknown path.
func NoSuchPath() *Error {
	return NewError(http.StatusNotFound, wire.CodeNotFound, wire.NoSuchPath)
}

// TooManyRequests returns a 429 with a Retry-After header. Its message is sentence with the number
// of seconds appended.
func TooManyRequests(sentence string, seconds int) *Error {
	unit := "seconds"
	if seconds == 1 {
		unit = "second"
	}
	message := fmt.Sprintf("%s, try again in %d %s", sentence, seconds, unit)
	e := NewError(http.StatusTooManyRequests, wire.CodeRateLimited, message)
	e.RetryAfter = time.Duration(seconds) * time.Second
	return e
}

// Write writes e as the response.
func Write(w http.ResponseWriter, r *http.Request, e *Error) {
	for name, values := range e.GetHeaders() {
		w.Header()[name] = values
	}
	WriteJSON(w, e.Status, e.Answer(r.Context(), r.URL.Path))
}

// WriteJSON writes value as the response.
func WriteJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", ContentJSON)
	w.WriteHeader(status)
	_ = writeValue(w, value)
}

// EncodeJSON returns the body that WriteJSON writes.
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

// FromProvider returns a 502 or a 504 for a failed model. If the caller chose the model, a rejected
// key is a 401 and an unknown model is a 400.
func FromProvider(failed *provider.Error, callersModel bool) *Error {
	e := NewError(http.StatusBadGateway, wire.CodeModelFailed, "the model failed: nothing was stored, send the request again")
	e.Cause, e.ReasonForAll, e.RetryAfter = failed, callersModel, failed.RetryAfter
	e.Reason = failed.Message + "; nothing was stored"
	// For a short wait, the server itself has already retried.
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
		e.Status, e.Code = http.StatusGatewayTimeout, wire.CodeModelTimeout
		e.Message = "the model did not answer in time: nothing was stored, send the request again"
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

// Unauthenticated returns a 401 with a WWW-Authenticate header. err is nil for a missing token. For
// an identity.InvalidToken, the header contains the reason.
func Unauthenticated(err error) *Error {
	e := NewError(http.StatusUnauthorized, wire.CodeUnauthenticated, "this endpoint requires a bearer token, sign in first")
	e.Challenge = realm
	if invalid, ok := errors.AsType[*identity.InvalidToken](err); ok {
		e.Message = invalid.Error()
		e.Challenge = realm + `, error="invalid_token", error_description="` + invalid.Reason + `"`
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
	if unavailable, ok := errors.AsType[*identity.Unavailable](err); ok {
		e := NewError(http.StatusServiceUnavailable, wire.CodeUnavailable, unavailable.Error())
		e.Cause, e.RetryAfter = unavailable.Cause, unavailable.RetryAfter
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

// From converts err to an Error. It returns a 500 for an unknown error.
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
		message := "the persona was saved in the meantime, read it again"
		return NewError(http.StatusPreconditionFailed, wire.CodeChanged, message)
	case errors.Is(err, store.ErrKeyReused):
		message := "this " + wire.HeaderIdempotencyKey + " was used for another request, use a new one"
		return NewError(http.StatusUnprocessableEntity, wire.CodeInvalid, message)
	case errors.Is(err, store.ErrTooLarge):
		return Invalid(wire.Detail{Message: store.ErrTooLarge.Error()})
	case store.IsUnkept(err):
		return NothingKept(err)
	}
	return Internal(err)
}

// NothingKept returns a 503 for an error that store.IsUnkept reports.
func NothingKept(err error) *Error {
	message := "nothing can be stored: " + store.ExplainUnkept(err)
	e := NewError(http.StatusServiceUnavailable, wire.CodeUnavailable, message)
	e.Cause = err
	return e
}

func fromPlay(refusal *play.Error) (*Error, bool) {
	switch refusal.Kind {
	case play.ModelDown, play.ModelLate:
		if failed, ok := errors.AsType[*provider.Error](refusal.Cause); ok {
			return FromProvider(failed, refusal.CallersModel), true
		}
	case play.NoMessage:
		return Invalid(wire.Detail{Path: wire.QueryBefore, Message: refusal.Message}), true
	case play.NoTurn:
		return Invalid(wire.Detail{Path: "at", Message: refusal.Message}), true
	}
	response, ok := refusals[refusal.Kind]
	if !ok {
		return nil, false
	}
	e := NewError(response.status, response.code, refusal.Message)
	e.Cause = refusal.Cause
	return e, true
}

// ForCaller converts err to the Error that a caller receives. It logs the cause of a 5xx. It
// returns Canceled instead of a 5xx if ctx is done.
func ForCaller(ctx context.Context, log *slog.Logger, err error) *Error {
	e := From(err)
	if e.Status >= http.StatusInternalServerError && ctx.Err() != nil {
		return Canceled()
	}
	if e.Cause != nil && e.Status >= http.StatusInternalServerError {
		attrs := []slog.Attr{
			slog.String("request_id", identity.RequestID(ctx)),
			slog.Int("status", e.Status),
			slog.Any("error", e.Cause),
		}
		if failed, ok := errors.AsType[*provider.Error](e.Cause); ok && failed.Cause != nil {
			attrs = append(attrs, slog.Any("cause", failed.Cause))
		}
		log.LogAttrs(ctx, slog.LevelError, "request failed", attrs...)
	}
	if address := identity.ResourceMetadata(ctx); address != "" && strings.HasPrefix(e.Challenge, realm) {
		e.Challenge = realm + `, resource_metadata="` + address + `"` + strings.TrimPrefix(e.Challenge, realm)
	}
	if e.Reason != "" && (e.ReasonForAll || identity.IsLocal(ctx)) {
		e.Message = e.Reason
	}
	return e
}
