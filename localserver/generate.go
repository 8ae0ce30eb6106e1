package localserver

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/wire"
)

// generateTime is how long all rounds of a draft may take: less than an answer of
// this server may (writeTimeout) (docs/decisions/draft.md, rounds).
const generateTime = 9 * time.Minute

// generateBody is wire.Generate with its limits.
type generateBody struct{ wire.Generate }

// TransformSchema gives the members their limits.
func (generateBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	limitText(s, "description", draft.MaxDescription)
	most := wire.MaxPersonaName
	s.Properties["name"].MaxLength = &most
	s.Properties["name"].PrecomputeMessages()
	return s
}

type generateInput struct{ Body generateBody }

// generate has the server's model draft a persona. Nothing of it is kept.
func (s *service) generate(ctx context.Context, c *call, in *generateInput) (wire.Generated, error) {
	if s.drafter == nil {
		return wire.Generated{}, refuse(http.StatusConflict, wire.CodeNoModel,
			"this server has no model of its own to write with: start it with --llm MODEL, such as ollama/llama3.2, which needs no key")
	}
	ctx, cancel := context.WithTimeout(ctx, generateTime)
	defer cancel()
	d, err := s.drafter.Generate(ctx, draft.Wish{Description: in.Body.Description, Name: strings.TrimSpace(in.Body.Name)}, nil)
	c.tokens = play.Tokens{In: d.Usage.In, Out: d.Usage.Out}
	switch {
	case err != nil:
		return wire.Generated{}, draftFailure(err)
	case !d.Sound():
		f := invalid(detailsOf(lint.Errors(d.Findings))...)
		f.Code, f.Message = wire.CodeUnsound, "the model's draft cannot be used: "+f.Message
		return wire.Generated{}, f
	}
	return wire.Generated{Persona: d.Persona, Warnings: detailsOf(d.Findings), Rounds: d.Rounds}, nil
}

// draftFailure finds the words for a draft that did not come to be. What the
// model refuses, or never gets right, is a 422: clients repeat a 5xx by
// themselves, and each repetition would cost as much.
func draftFailure(err error) error {
	if e, ok := errors.AsType[*provider.Error](err); ok {
		return providersFailure(e, false)
	}
	if bad, ok := errors.AsType[*draft.BadWish](err); ok {
		return invalid(wire.Detail{Path: bad.Part, Message: bad.Reason})
	}
	switch {
	case errors.Is(err, draft.ErrDeclined):
		return refuse(http.StatusUnprocessableEntity, wire.CodeDeclined, draft.ErrDeclined.Error())
	case errors.Is(err, draft.ErrForm):
		f := refuse(http.StatusUnprocessableEntity, wire.CodeUnsound, draft.ErrForm.Error())
		f.cause = err
		return f
	}
	return err
}

func detailsOf(findings []lint.Finding) []wire.Detail {
	details := make([]wire.Detail, len(findings))
	for i, f := range findings {
		details[i] = wire.Detail{Path: f.Path, Message: f.Message}
	}
	return details
}

// drafterOf is who drafts personas for the server's users; nil where there is no
// model for it.
func drafterOf(writer provider.Asker) *draft.Drafter {
	if writer == nil {
		return nil
	}
	return draft.New(writer)
}
