package localserver

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/wire"
)

type generateBody struct{ wire.Generate }

type generateInput struct{ Body generateBody }

func (h *handlers) generateDraft(ctx context.Context, c *call, in *generateInput) (wire.Generated, error) {
	c.FinishParsing()
	if h.drafter == nil {
		return wire.Generated{}, api.NewError(http.StatusConflict, wire.CodeNoModel,
			"this server has no model that can write a draft: start it with --llm MODEL, such as ollama/llama3.2, which needs no key")
	}
	ctx, cancel := context.WithTimeout(ctx, models.DraftTime)
	defer cancel()
	d, err := h.drafter.DraftPersona(ctx, draft.Brief{Description: in.Body.Description, Name: strings.TrimSpace(in.Body.Name)}, nil)
	c.tokens = wire.Tokens{In: d.Usage.In, Out: d.Usage.Out}
	switch {
	case err != nil:
		return wire.Generated{}, draftError(err)
	case slices.Contains(d.Filled, "persona_identity_prompt"):
		return wire.Generated{}, api.NewError(http.StatusUnprocessableEntity, wire.CodeUnsound, "the model did not answer with a draft; try again, or use another model")
	case !d.IsSound():
		e := api.Invalid(detailsOf(lint.Errors(d.Findings))...)
		e.Code, e.Message = wire.CodeUnsound, "the model's draft cannot be used: "+e.Message
		return wire.Generated{}, e
	}
	return wire.Generated{Persona: d.Persona, Warnings: detailsOf(d.Findings), Rounds: d.Rounds}, nil
}

// draftError converts an error of a draft. If the model has failed, it returns a 422 and not a 5xx.
// Clients would repeat the request automatically after a 5xx and pay for each repetition.
func draftError(err error) error {
	if failed, ok := errors.AsType[*provider.Error](err); ok {
		return api.FromProvider(failed, false)
	}
	if bad, ok := errors.AsType[*draft.InvalidBrief](err); ok {
		return api.Invalid(wire.Detail{Path: bad.Part, Message: bad.Reason})
	}
	if errors.Is(err, draft.ErrDeclined) {
		return api.NewError(http.StatusUnprocessableEntity, wire.CodeDeclined, draft.ErrDeclined.Error())
	}
	return err
}

func detailsOf(findings []personas.Diagnostic) []wire.Detail {
	details := make([]wire.Detail, len(findings))
	for i, f := range findings {
		details[i] = wire.Detail{Path: f.Path, Message: f.Message}
	}
	return details
}
