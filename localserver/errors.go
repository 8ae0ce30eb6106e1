package localserver

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/limit"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

const contentJSON = "application/json"

// wireError lets wire.Error be embedded although it has a method Error.
type wireError = wire.Error

// failure is an error as the service writes it, and why, for the log only.
type failure struct {
	*wireError
	cause error
	// challenge is the WWW-Authenticate header of a 401.
	challenge string
	// candid is the sentence for those who may know why a model failed: callers
	// on this machine, and with told whoever it is.
	candid string
	told   bool
}

// GetStatus is the error's status, under huma's name for it.
func (f *failure) GetStatus() int { return f.Status }

// GetHeaders are the headers that belong to the error, under huma's name.
func (f *failure) GetHeaders() http.Header {
	h := http.Header{}
	if f.challenge != "" {
		h.Set("WWW-Authenticate", f.challenge)
	}
	if f.RetryAfter > 0 {
		h.Set(wire.HeaderRetryAfter, strconv.Itoa(limit.Seconds(f.RetryAfter)))
	}
	if f.Final {
		h.Set(wire.HeaderShouldRetry, "false")
	}
	return h
}

// body is what the caller of a path gets: on the SDK side another shape than on
// the web side. A rate limit's is everywhere an object with the one text error
// (interface, section Errors).
func (f *failure) body(ctx context.Context, path string) any {
	switch {
	case f.Status == http.StatusTooManyRequests:
		return &wire.RateLimited{Error: f.Message}
	case strings.HasPrefix(path, wire.PrefixSDK):
		return f.sdkBody(ctx)
	}
	e := *f.wireError
	e.RequestID = requestID(ctx)
	return &e
}

func (f *failure) sdkBody(ctx context.Context) *wire.SDKError {
	return &wire.SDKError{Error: wire.SDKErrorText{Message: f.Message, Code: f.Code, RequestID: requestID(ctx)}}
}

// refuse is an error of the given status, code and sentence.
func refuse(status int, code, message string) *failure {
	return &failure{wireError: &wire.Error{Status: status, Code: code, Message: message}}
}

// invalid is a 422 with all that is wrong.
func invalid(details ...wire.Detail) *failure {
	return &failure{wireError: firstFault(&wire.Error{Status: http.StatusUnprocessableEntity, Code: wire.CodeInvalid, Details: details})}
}

// internal is the one thing that a caller learns about an error of ours.
func internal(cause error) *failure {
	f := refuse(http.StatusInternalServerError, wire.CodeInternal, "internal error")
	f.cause = cause
	return f
}

const realm = `Bearer realm="parley"`

// unauthenticated is a 401; why is what the header says besides the realm.
func unauthenticated(err error) *failure {
	f := refuse(http.StatusUnauthorized, wire.CodeUnauthenticated, "this needs a bearer token, sign in first")
	f.challenge = realm
	if bad, ok := errors.AsType[*identity.InvalidToken](err); ok {
		f.Message = bad.Error()
		f.challenge = realm + `, error="invalid_token", error_description="` + bad.Reason + `"`
	}
	return f
}

// refusals are the statuses and codes of the refusals of play.
var refusals = map[play.Kind]struct {
	status int
	code   string
}{
	play.NotFound:  {http.StatusNotFound, wire.CodeNotFound},
	play.Forbidden: {http.StatusForbidden, wire.CodeForbidden},
	play.Locked:    {http.StatusForbidden, wire.CodeMachineLocked},
	play.Finished:  {http.StatusConflict, wire.CodeFinished},
	play.Conflict:  {http.StatusConflict, wire.CodeConflict},
	play.KeyReused: {http.StatusUnprocessableEntity, wire.CodeInvalid},
	play.ModelDown: {http.StatusBadGateway, wire.CodeModelFailed},
	play.ModelLate: {http.StatusGatewayTimeout, wire.CodeModelTimeout},
}

// asFailure finds the words for an error. What it does not know is internal.
func asFailure(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if refused, ok := errors.AsType[*play.Error](err); ok {
		if f, ok := modelFailure(refused); ok {
			return f
		}
		if as, ok := refusals[refused.Kind]; ok {
			f := refuse(as.status, as.code, refused.Message)
			f.cause = refused.Cause
			return f
		}
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return refuse(http.StatusNotFound, wire.CodeNotFound, "there is no such persona")
	case errors.Is(err, store.ErrForbidden):
		return refuse(http.StatusForbidden, wire.CodeForbidden, "only the persona's owner may do this")
	case errors.Is(err, store.ErrChanged):
		return refuse(http.StatusPreconditionFailed, wire.CodeChanged, "somebody saved this persona in the meantime, read it again")
	case errors.Is(err, store.ErrKeyReused):
		return refuse(http.StatusUnprocessableEntity, wire.CodeInvalid, "this "+wire.HeaderIdempotencyKey+" was used for another request, use a new one")
	}
	return internal(err)
}

// fail finds the words for a handler's error and logs what the caller is not
// told. A call that was broken off, because the caller has gone or the server
// stops, is not an error of ours.
func (s *service) fail(ctx context.Context, err error) *failure {
	f := asFailure(err)
	if f.Status >= http.StatusInternalServerError && ctx.Err() != nil {
		return brokenOff()
	}
	if f.cause != nil && f.Status >= http.StatusInternalServerError {
		s.log.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("request_id", requestID(ctx)),
			slog.Int("status", f.Status), slog.Any("error", f.cause), causeOf(f.cause))
	}
	return f.worded(ctx)
}

func brokenOff() *failure {
	return refuse(http.StatusServiceUnavailable, wire.CodeInternal, "the call was broken off, send it again")
}

// writeFailure writes an error outside of huma.
func writeFailure(w http.ResponseWriter, r *http.Request, f *failure) {
	for name, values := range f.GetHeaders() {
		w.Header()[name] = values
	}
	writeJSON(w, f.Status, f.body(r.Context(), r.URL.Path))
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", contentJSON)
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	// The caller has gone away when this fails: there is nobody to tell.
	_ = encoder.Encode(value)
}
