package localserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/negotiation"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

type initBody struct{ wire.InitSession }

type messageBody struct{ wire.Message }

type initInput struct {
	PersonaID string `path:"persona_id"`
	MachineID string `query:"machine_id"`
	Body      initBody
}

func (h *handlers) initSession(api huma.API, op huma.Operation, log *slog.Logger) {
	respondWith(func(ctx context.Context, c *call, input *initInput) (wire.Opening, error) {
		c.FinishParsing()
		model, err := h.callersModel(c)
		if err != nil {
			return wire.Opening{}, err
		}
		request := play.OpenRequest{
			Ref:        c.playerRef(input.PersonaID, input.Body.UserSessionID, input.MachineID),
			PlayerName: input.Body.PlayerName, PlayerGender: input.Body.PlayerGender, Idempotency: c.Idempotency, Model: model,
		}
		if r, w := humago.Unwrap(c.humaContext); wantsEvents(r) {
			c.answered = true
			h.sendOpening(w, r, request, log)
			return wire.Opening{}, nil
		}
		o, err := h.play.Open(withWaitNotices(ctx, c), request)
		c.replayed, c.tokens = o.Replayed, o.Tokens
		return o.Opening, err
	})(api, op, log)
}

// wantsEvents ignores wildcards in the Accept header.
func wantsEvents(r *http.Request) bool {
	accept := strings.ToLower(strings.Join(r.Header.Values("Accept"), ","))
	return negotiation.SelectQValue(accept, []string{api.ContentJSON, api.ContentEvents}) == api.ContentEvents
}

type messageInput struct {
	PersonaID string `path:"persona_id"`
	MachineID string `query:"machine_id"`
	Body      messageBody
}

func (h *handlers) sendMessage(ctx context.Context, c *call, input *messageInput) (wire.Reply, error) {
	reply, err := h.answerMessage(ctx, c, input)
	return reply.Web(), err
}

func (h *handlers) sendSDKMessage(ctx context.Context, c *call, input *messageInput) (wire.SDKReply, error) {
	reply, err := h.answerMessage(ctx, c, input)
	return reply.SDKReply, err
}

func (h *handlers) answerMessage(ctx context.Context, c *call, input *messageInput) (play.Reply, error) {
	request, err := h.turnRequest(c, input)
	if err != nil {
		return play.Reply{}, err
	}
	reply, err := h.playTurn(withWaitNotices(ctx, c), request)
	c.replayed, c.tokens = reply.Replayed, reply.Tokens
	return reply, err
}

func (h *handlers) turnRequest(c *call, input *messageInput) (play.TurnRequest, error) {
	c.FinishParsing()
	model, err := h.callersModel(c)
	return play.TurnRequest{
		Ref:     c.playerRef(input.PersonaID, input.Body.UserSessionID, input.MachineID),
		Message: input.Body.Message.Message, SameVerdict: input.Body.SameVerdict, Idempotency: c.Idempotency, Model: model,
	}, err
}

func (h *handlers) playTurn(ctx context.Context, request play.TurnRequest) (play.Reply, error) {
	reply, err := h.play.Turn(ctx, request)
	result := api.TurnKept
	switch {
	case errors.Is(err, context.Canceled):
		result = api.TurnCanceled
	case err != nil:
		result = api.From(err).Code
	case reply.Replayed:
		result = api.TurnReplayed
	}
	h.telemetry.CountTurn(request.Space != "", result)
	return reply, err
}

type sessionInput struct {
	PersonaID     string `path:"persona_id"`
	UserSessionID string `query:"user_session_id" required:"true" minLength:"1" maxLength:"200"`
	MachineID     string `query:"machine_id"`
	Body          *namesBody
}

func (input *sessionInput) playerRef(c *call) play.Ref {
	return c.playerRef(input.PersonaID, input.UserSessionID, input.MachineID)
}

func (h *handlers) resetSession(ctx context.Context, c *call, input *sessionInput) (wire.ResetDone, error) {
	return h.play.Reset(ctx, input.playerRef(c))
}

func (h *handlers) getSession(ctx context.Context, c *call, input *sessionInput) (wire.Session, error) {
	return h.play.Session(ctx, input.playerRef(c))
}

type forkBody struct{ wire.Fork }

type forkInput struct {
	PersonaID string `path:"persona_id"`
	MachineID string `query:"machine_id"`
	Body      forkBody
}

func (h *handlers) fork(ctx context.Context, c *call, input *forkInput) (wire.Branch, error) {
	c.FinishParsing()
	b, err := h.play.Fork(ctx, play.ForkRequest{
		Ref: c.playerRef(input.PersonaID, input.Body.UserSessionID, input.MachineID),
		At:  int64(input.Body.At), Label: input.Body.Name, Latest: input.Body.Latest, Idempotency: c.Idempotency,
	})
	c.replayed = b.Replayed
	return b.Branch, err
}

func (h *handlers) listBranches(ctx context.Context, c *call, input *playerInput) (wire.Branches, error) {
	return h.play.Branches(ctx, input.playerRef(c))
}

func (h *handlers) callersModel(c *call) (llm.Model, error) {
	model, err := models.ForCaller(h.play.Model, c.CallersModel)
	if err != nil {
		return nil, api.BadRequest(err.Error())
	}
	return model, nil
}

type validateBody struct{ wire.ValidateLLMKey }

type validateInput struct{ Body *validateBody }

var invalidKinds = []provider.Kind{provider.KeyRefused, provider.KeyMissing, provider.NoCredit, provider.NoModel}

func (h *handlers) validateLLMKey(ctx context.Context, c *call, input *validateInput) (wire.LLMKeyValidity, error) {
	c.FinishParsing()
	caller := c.CallersModel
	if input.Body != nil && input.Body.Model != "" {
		caller.Model = input.Body.Model
	}
	model, err := models.CheckCaller(ctx, h.play.Model, caller)
	if failed, ok := errors.AsType[*provider.Error](err); ok && !slices.Contains(invalidKinds, failed.Kind) {
		e := api.FromProvider(failed, true)
		e.Reason = failed.Message // without the hint that nothing was stored
		return wire.LLMKeyValidity{}, e
	}
	answer := wire.LLMKeyValidity{Valid: err == nil, Model: model}
	if err != nil {
		answer.Error = new(err.Error())
	}
	return answer, ctx.Err()
}
