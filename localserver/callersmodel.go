package localserver

import (
	"context"
	"errors"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/wire"
)

func (h sessionHandlers) callersModel(c *call) (llm.Model, error) {
	model, err := models.ForCaller(h.play.Model, c.CallersModel)
	if err != nil {
		return nil, api.BadRequest(err.Error())
	}
	return model, nil
}

type validateBody struct{ wire.ValidateLLMKey }

// TransformSchema adds the limit of model to the schema.
func (validateBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	most, model := api.MaxModelName, s.Properties["model"]
	model.MaxLength = &most
	model.PrecomputeMessages()
	return s
}

type validateInput struct{ Body *validateBody }

// sayInvalid lists the errors that prove that a key or a model is invalid. Others, such as a rate limit,
// prove nothing.
var sayInvalid = []provider.Kind{provider.KeyRefused, provider.KeyMissing, provider.NoCredit, provider.NoModel}

// validateLLMKey returns the model that would answer a message with the same headers. If the check itself
// fails, it returns the error that a message would get.
func (h sessionHandlers) validateLLMKey(ctx context.Context, c *call, in *validateInput) (wire.LLMKeyValidity, error) {
	c.FinishParsing()
	caller := c.CallersModel
	if in.Body != nil && in.Body.Model != "" {
		caller.Model = in.Body.Model
	}
	model, err := models.CheckCaller(ctx, h.play.Model, caller)
	if failed, ok := errors.AsType[*provider.Error](err); ok && !slices.Contains(sayInvalid, failed.Kind) {
		e := api.FromProvider(failed, true)
		e.Reason = failed.Message // Message without the hint that nothing was stored.
		return wire.LLMKeyValidity{}, e
	}
	answer := wire.LLMKeyValidity{Valid: err == nil, Model: model}
	if err != nil {
		answer.Error = new(err.Error())
	}
	return answer, ctx.Err()
}
