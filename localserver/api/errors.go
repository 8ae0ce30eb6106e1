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
		h.Set(wire.HeaderRetryAfter, strconv.Itoa(WholeSeconds(e.RetryAfter)))
	}
	if e.Final {
		h.Set(wire.HeaderShouldRetry, "false")
	}
	return h
}

// Answer returns the body for a caller of a path, and logs the error's code.
func (e *Error) Answer(ctx context.Context, path string) any {
	identity.NoteRefusal(ctx, e.Code)
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
	body.RequestID = identity.RequestID(ctx)
	return &body
}

// SDKBody returns the body for callers of the SDK side, and on both sides for readers of a stream.
func (e *Error) SDKBody(ctx context.Context) *wire.SDKError {
	return &wire.SDKError{Error: wire.SDKErrorText{Message: e.Message, Code: e.Code, RequestID: identity.RequestID(ctx), WaitReason: e.WaitReason}}
}

// EventBody is SDKBody with the values that other errors have in headers. It logs the code.
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

// withReason adds the reason of a model's failure if the caller may know it.
func (e *Error) withReason(ctx context.Context) *Error {
	if e.Reason != "" && (e.ReasonForAll || identity.IsLocal(ctx)) {
		e.Message = e.Reason
	}
	return e
}

// NewError is an error of the given status, code and sentence.
func NewError(status int, code, message string) *Error {
	return &Error{wireError: &wire.Error{Status: status, Code: code, Message: message}}
}

// BadRequest is a 400.
func BadRequest(message string) *Error {
	return NewError(http.StatusBadRequest, wire.CodeBadRequest, message)
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
	e := NewError(status, code, "")
	e.Details = details
	if len(details) > 0 {
		e.Message = strings.TrimPrefix(details[0].Path+": "+details[0].Message, ": ")
	}
	return e
}

// Internal is an internal error; its cause is hidden from the caller.
func Internal(cause error) *Error {
	e := NewError(http.StatusInternalServerError, wire.CodeInternal, "internal error")
	e.Cause = cause
	return e
}

// Canceled is the error for a call that was aborted because the caller has gone or the server
// stops.
func Canceled() *Error {
	return NewError(http.StatusServiceUnavailable, wire.CodeInternal, "the call was broken off, send it again")
}

// NoSuchPath is the error for an unknown path.
func NoSuchPath() *Error {
	return NewError(http.StatusNotFound, wire.CodeNotFound, wire.NoSuchPath)
}

// TooManyRequests is a 429: its sentence, and how many seconds to wait.
func TooManyRequests(sentence string, seconds int) *Error {
	unit := "seconds"
	if seconds == 1 {
		unit = "second"
	}
	e := NewError(http.StatusTooManyRequests, wire.CodeRateLimited, fmt.Sprintf("%s, try again in %d %s", sentence, seconds, unit))
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
	w.Header().Set("Content-Type", ContentJSON)
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

// FromProvider converts the failure of a model's provider. A caller's own model is the caller's
// responsibility: a refused key is a 401, an unknown model a 400, and the message includes the
// provider's words. A failure of the operator's model is a 502 or a 504, with details (Reason) only
// for callers on this machine.
func FromProvider(failed *provider.Error, callersModel bool) *Error {
	e := NewError(http.StatusBadGateway, wire.CodeModelFailed, "the model failed: nothing was kept, send again")
	e.Cause, e.ReasonForAll, e.RetryAfter = failed, callersModel, failed.RetryAfter
	e.Final = !mayPass(failed)
	e.Reason = failed.Message + "; nothing was kept"
	e.WaitReason = waitReason(failed)
	switch {
	case failed.Kind == provider.Late:
		e.Status, e.Code, e.Message = http.StatusGatewayTimeout, wire.CodeModelTimeout, "the model did not answer in time: nothing was kept, send again"
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

// waitReason returns the reason of a provider's request to wait, or "".
func waitReason(failed *provider.Error) string {
	switch {
	case failed.RetryAfter <= 0:
	case failed.Kind == provider.Quota:
		return wire.WaitRateLimit
	case failed.Kind == provider.Down:
		return wire.WaitBusy
	}
	return ""
}

// mayPass reports whether a client should retry automatically: only if the provider says when the
// failure ends. A failure that may end sooner was already retried by the server.
func mayPass(e *provider.Error) bool {
	return (e.Kind == provider.Quota || e.Kind == provider.Down) && e.RetryAfter > provider.LongestWait
}

// fromModel is FromProvider for a model's error that comes from a provider.
func fromModel(refusal *play.Error) (*Error, bool) {
	e, ok := errors.AsType[*provider.Error](refusal.Cause)
	if !ok || refusal.Kind != play.ModelDown && refusal.Kind != play.ModelLate {
		return nil, false
	}
	return FromProvider(e, refusal.CallersModel), true
}

// providerCause returns the cause behind a provider's sentence, for the log; for other errors it is
// empty.
func providerCause(err error) slog.Attr {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Cause != nil {
		return slog.Any("cause", e.Cause)
	}
	return slog.Attr{}
}

const realm = `Bearer realm="parley"`

// Unauthenticated is a 401 for a missing or invalid token; why is added to the header after the
// realm, nil for a missing token.
func Unauthenticated(why error) *Error {
	e := NewError(http.StatusUnauthorized, wire.CodeUnauthenticated, "this needs a bearer token, sign in first")
	e.Challenge = realm
	if bad, ok := errors.AsType[*identity.InvalidToken](why); ok {
		e.Message = bad.Error()
		e.Challenge = realm + `, error="invalid_token", error_description="` + bad.Reason + `"`
	}
	return e
}

// withMetadata adds to the challenge for a bearer token the address at which the caller can read
// which tokens are accepted (RFC 9728 section 5.1).
func (e *Error) withMetadata(ctx context.Context) *Error {
	if address := identity.ResourceMetadata(ctx); address != "" && strings.HasPrefix(e.Challenge, realm) {
		e.Challenge = realm + `, resource_metadata="` + address + `"` + strings.TrimPrefix(e.Challenge, realm)
	}
	return e
}

// WrongScheme is a 401 for credentials other than a bearer token. As for missing ones, the header
// does not contain an error code (RFC 6750 section 3.1).
func WrongScheme() *Error {
	e := Unauthenticated(nil)
	e.Message = (&identity.InvalidToken{Reason: "the scheme must be Bearer"}).Error()
	return e
}

// UnknownKey is a 401 for a missing or unknown API key.
func UnknownKey(message string) *Error {
	e := NewError(http.StatusUnauthorized, wire.CodeUnauthenticated, message)
	e.Challenge = `ApiKey realm="parley"`
	return e
}

// FromVerification finds the words for a token that could not be verified.
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

// refusals are the statuses and codes of the refusals of play.
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

// From converts an error. An unknown error becomes Internal.
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
		return NewError(http.StatusPreconditionFailed, wire.CodeChanged, "somebody saved this persona in the meantime, read it again")
	case errors.Is(err, store.ErrKeyReused):
		return NewError(http.StatusUnprocessableEntity, wire.CodeInvalid, "this "+wire.HeaderIdempotencyKey+" was used for another request, use a new one")
	case errors.Is(err, store.ErrTooLarge):
		return Invalid(wire.Detail{Message: store.ErrTooLarge.Error()})
	case store.IsUnkept(err):
		return NothingKept(err)
	}
	return Internal(err)
}

// NothingKept is a 503 if the store cannot save anything, with its reason.
func NothingKept(err error) *Error {
	e := NewError(http.StatusServiceUnavailable, wire.CodeUnavailable, "nothing is kept: "+store.ExplainUnkept(err))
	e.Cause = err
	return e
}

func fromPlay(refusal *play.Error) (*Error, bool) {
	if e, ok := fromModel(refusal); ok {
		return e, true
	}
	if refusal.Kind == play.NoMessage {
		return Invalid(wire.Detail{Path: wire.QueryBefore, Message: refusal.Message}), true
	}
	if refusal.Kind == play.NoTurn {
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

// ForCaller converts an error, and logs what the caller must not see. A call that was aborted,
// because the caller has gone or the server stops, is not an error of ours.
func ForCaller(ctx context.Context, log *slog.Logger, err error) *Error {
	e := From(err)
	if e.Status >= http.StatusInternalServerError && ctx.Err() != nil {
		return Canceled()
	}
	if e.Cause != nil && e.Status >= http.StatusInternalServerError {
		log.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("request_id", identity.RequestID(ctx)),
			slog.Int("status", e.Status), slog.Any("error", e.Cause), providerCause(e.Cause))
	}
	return e.withMetadata(ctx).withReason(ctx)
}
