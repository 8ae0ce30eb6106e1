package play

import (
	"cmp"
	"context"
	"errors"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
)

// refusals maps errors to answers. More specific errors come first.
var refusals = []struct {
	err     error
	kind    Kind
	message string
}{
	{store.ErrNoMachine, NotFound, "the persona has no such machine"},
	{store.ErrNoSession, NotFound, "there is no such session: open one with init-session"},
	{store.ErrNotFound, NotFound, "there is no such persona"},
	{store.ErrNotOwn, Forbidden, "the API key reaches only published personas of its own account"},
	{store.ErrChanged, Conflict, "another call changed the session first: read its history, then send again"},
	{store.ErrNoMessage, NoMessage, "no message of this session has that id: omit the parameter before to start at the newest message"},
	{store.ErrKeyReused, KeyReused, "the Idempotency-Key was used with another body: use a new key"},
}

func refusalOf(err error) error {
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return &Error{Kind: r.kind, Message: r.message, Cause: err}
		}
	}
	return err
}

// Messages for a caller if the persona was changed while a model was running.
const (
	savedMeanwhile   = "the persona was saved again and again meanwhile: nothing was stored, send again"
	savedDuringWords = "the persona was saved meanwhile: nothing was stored, send again"
	deletedMeanwhile = "the persona was deleted meanwhile: nothing was stored"
)

func (s *Service) explainChange(ctx context.Context, r Ref, err error) error {
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	_, gone := s.Store.LoadPersonaSummary(ctx, r.PersonaID, cmp.Or(r.Space, r.UserID))
	if !errors.Is(gone, store.ErrNotFound) {
		return err
	}
	return &Error{Kind: Conflict, Message: deletedMeanwhile, Cause: err}
}

// Unusable is the message for a caller if a model's answers cannot be used.
const Unusable = "the model's answer could not be used: nothing was stored and no try was used, send again"

// modelRefusal converts an error of a model. It returns the error of ctx if the caller canceled the
// call. If the deadline of ctx expired, the answer says that the model was too slow.
func modelRefusal(ctx context.Context, callersModel llm.Model, err error) error {
	refusal := &Error{Kind: ModelDown, Message: "the model failed: nothing was stored, send the request again", CallersModel: callersModel != nil, Cause: err}
	expansion, tooLong := errors.AsType[*llm.ExpansionError](err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case tooLong:
		return &Error{Kind: TooLong, Message: "the persona cannot say this: " + expansion.Error(), Cause: err}
	case errors.Is(err, errNoChoice):
		refusal.Message = Unusable
	case isLate(ctx.Err()) || isLate(err):
		refusal.Kind, refusal.Message = ModelLate, "the model did not answer in time: nothing was stored, send the request again"
	}
	return refusal
}

func isLate(err error) bool {
	var timed interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timed) && timed.Timeout()
}
