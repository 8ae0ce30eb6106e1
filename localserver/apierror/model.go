package apierror

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// FromProvider converts the failure of a model's provider. A caller's own model is the caller's
// responsibility: a refused key is a 401, an unknown model a 400, and the message includes the
// provider's words. A failure of the operator's model is a 502 or a 504, with details (Reason) only
// for callers on this machine.
func FromProvider(failed *provider.Error, callersModel bool) *Error {
	e := New(http.StatusBadGateway, wire.CodeModelFailed, "the model failed: nothing was kept, send again")
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
