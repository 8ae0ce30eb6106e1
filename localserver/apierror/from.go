package apierror

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/request"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

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
		return New(http.StatusNotFound, wire.CodeNotFound, "there is no such persona")
	case errors.Is(err, store.ErrForbidden):
		return New(http.StatusForbidden, wire.CodeForbidden, "only the persona's owner may do this")
	case errors.Is(err, store.ErrChanged):
		return New(http.StatusPreconditionFailed, wire.CodeChanged, "somebody saved this persona in the meantime, read it again")
	case errors.Is(err, store.ErrKeyReused):
		return New(http.StatusUnprocessableEntity, wire.CodeInvalid, "this "+wire.HeaderIdempotencyKey+" was used for another request, use a new one")
	case errors.Is(err, store.ErrTooLarge):
		return Invalid(wire.Detail{Message: store.ErrTooLarge.Error()})
	case store.IsUnkept(err):
		return NothingKept(err)
	}
	return Internal(err)
}

// NothingKept is a 503 if the store cannot save anything, with its reason.
func NothingKept(err error) *Error {
	e := New(http.StatusServiceUnavailable, wire.CodeUnavailable, "nothing is kept: "+store.ExplainUnkept(err))
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
	e := New(as.status, as.code, refusal.Message)
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
		log.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("request_id", request.ID(ctx)),
			slog.Int("status", e.Status), slog.Any("error", e.Cause), providerCause(e.Cause))
	}
	return e.withMetadata(ctx).withReason(ctx)
}
