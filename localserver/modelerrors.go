package localserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// providersFailure finds the words for what a model's provider did not do. A model
// that a caller brought is the caller's business: a key that is refused is a 401, a
// model that is not there a 400, and the provider's own words are for him. What a
// model of whoever runs the server does not do is a 502 or a 504, of which only
// callers on this machine are told more (see candid).
func providersFailure(e *provider.Error, lent bool) *failure {
	f := refuse(http.StatusBadGateway, wire.CodeModelFailed, "the model failed: nothing was kept, send again")
	f.cause, f.told, f.RetryAfter = e, lent, e.RetryAfter
	f.Final = !passes(e)
	f.candid = e.Message + "; nothing was kept"
	switch {
	case e.Kind == provider.Late:
		f.Status, f.Code, f.Message = http.StatusGatewayTimeout, wire.CodeModelTimeout, "the model did not answer in time: nothing was kept, send again"
	case !lent:
	case e.Kind == provider.KeyRefused:
		f.Status, f.Code, f.challenge = http.StatusUnauthorized, wire.CodeModelKey, `ApiKey realm="`+e.Provider+`"`
	case e.Kind == provider.NoModel, e.Kind == provider.BadRequest:
		f.Status, f.Code = http.StatusBadRequest, wire.CodeBadRequest
	}
	return f
}

// passes tells what a client should send again by itself: only what the provider
// says the end of. What may pass sooner was asked a second time already
// (docs/decisions/models.md, should-not-retry).
func passes(e *provider.Error) bool {
	return (e.Kind == provider.Quota || e.Kind == provider.Down) && e.RetryAfter > provider.LongestWait
}

// modelFailure is providersFailure where a model's error is one of a provider's.
func modelFailure(refused *play.Error) (*failure, bool) {
	e, ok := errors.AsType[*provider.Error](refused.Cause)
	if !ok || refused.Kind != play.ModelDown && refused.Kind != play.ModelLate {
		return nil, false
	}
	return providersFailure(e, refused.Lent), true
}

// causeOf is what is behind a provider's sentence, for the log; nothing of others.
func causeOf(err error) slog.Attr {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Cause != nil {
		return slog.Any("cause", e.Cause)
	}
	return slog.Attr{}
}

type nearKey struct{}

// isNear says that the caller is on this machine.
func isNear(ctx context.Context) bool {
	near, _ := ctx.Value(nearKey{}).(bool)
	return near
}

// worded says what failed as openly as the caller may know it.
func (f *failure) worded(ctx context.Context) *failure {
	if f.candid != "" && (f.told || isNear(ctx)) {
		f.Message = f.candid
	}
	return f
}
