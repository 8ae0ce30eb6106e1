package localserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/personas/wire"
)

type personaInput struct {
	PersonaID string `path:"persona_id"`
}

func (h *handlers) getPersona(ctx context.Context, c *call, input *personaInput) (wire.Persona, error) {
	p, err := h.store.LoadPersonaSummary(ctx, input.PersonaID, c.User.ID)
	return basicView(p), err
}

func (h *handlers) getFullPersona(ctx context.Context, c *call, input *personaInput) (wire.FullPersona, error) {
	reserve := func(size int64) error { return c.ReserveDocument(ctx, size) }
	p, err := h.store.LoadPersona(ctx, input.PersonaID, c.User.ID, reserve)
	if err != nil {
		return wire.FullPersona{}, err
	}
	return fullView(&p), ctx.Err()
}

func basicView(p store.PersonaSummary) wire.Persona {
	return wire.Persona{
		PersonaItem: wire.PersonaItem{
			ID: p.ID, Name: p.Name, Description: p.Description, IsPublic: p.Public, CreatedAt: wire.Time{Time: p.CreatedAt},
		},
		IdentityPrompt: p.IdentityPrompt, UserID: p.OwnerID, UpdatedAt: wire.Time{Time: p.UpdatedAt},
	}
}

func fullView(p *store.Persona) wire.FullPersona {
	full := wire.FullPersona{
		Persona:               basicView(p.Summary()),
		PerplexityDescription: p.Doc.PerplexityDescription,
		Language:              p.Doc.Language,
		Portrait:              p.Doc.Portrait,
		Hue:                   p.Doc.Hue,
		Offline:               p.Doc.Offline,
		Extra:                 p.Doc.Extra,
		Machines:              make([]wire.Machine, len(p.Doc.Machines)),
		Variables:             append([]personas.Variable{}, p.Doc.Variables...),
		Links:                 append([]personas.Link{}, p.Doc.Links...),
	}
	for i, m := range p.Doc.Machines {
		full.Machines[i] = wire.Machine{ID: p.MachineIDs[m.Key], Machine: m}
	}
	return full
}

func (h *handlers) deletePersona(ctx context.Context, c *call, input *personaInput) error {
	return h.store.DeletePersona(ctx, input.PersonaID, c.User.ID)
}

type publishInput struct {
	PersonaID string `query:"persona_id" required:"true"`
}

func (h *handlers) publishPersona(ctx context.Context, c *call, input *publishInput) (wire.Published, error) {
	if err := h.store.PublishPersona(ctx, input.PersonaID, c.User.ID); err != nil {
		return wire.Published{}, err
	}
	return wire.Published{PlayLink: h.playURL + "/" + input.PersonaID, PersonaID: input.PersonaID}, nil
}

type saveInput struct {
	PersonaID string `query:"persona_id"`
	IfMatch   string `header:"If-Match"`
}

// savePersona uses the persona parser instead of huma, because the persona parser reports every
// error with its path.
func (h *handlers) savePersona(ctx context.Context, c *call, input *saveInput) (wire.Saved, error) {
	doc, err := readDocument(ctx, c.Body)
	if err != nil {
		return wire.Saved{}, err
	}
	expected, err := readIfMatch(input.IfMatch)
	if err != nil {
		return wire.Saved{}, err
	}
	idempotency := &store.IdempotentCall{
		Scope: "save:" + c.User.ID, Key: c.Idempotency.Key, BodyHash: c.Idempotency.BodyHash,
	}
	if _, c.replayed, err = h.store.LoadAnswer(ctx, idempotency); err != nil {
		return wire.Saved{}, err
	}
	saved, created, err := h.store.SavePersona(ctx, store.PersonaSave{
		PersonaID: input.PersonaID, OwnerID: c.User.ID, Doc: doc, IfUpdatedAt: expected, Idempotency: idempotency,
	})
	if err != nil {
		return wire.Saved{}, err
	}
	if !created {
		c.status = http.StatusOK
	}
	return wire.Saved{Persona: basicView(saved.Summary()), PersonaID: saved.ID}, nil
}

func readDocument(ctx context.Context, body []byte) (personas.Persona, error) {
	if err := ctx.Err(); err != nil {
		return personas.Persona{}, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return personas.Persona{}, api.EmptyBody()
	}
	doc, _, faults := personas.Parse("body.json", body) // The name excludes YAML.
	if err := ctx.Err(); err != nil {
		return personas.Persona{}, err
	}
	placeFaults(faults)
	if len(faults) > 0 && !json.Valid(body) {
		refusal := api.BadRequest("the body is not valid JSON")
		refusal.Details = []wire.Detail{{Message: faults[0].Message}}
		return personas.Persona{}, refusal
	}
	if refused := lint.Refusals(&doc, faults); len(refused) > 0 {
		return personas.Persona{}, api.Invalid(detailsOf(refused)...)
	}
	isID := func(member personas.Member) bool { return member.Name == "id" || member.Name == "machine_id" }
	for i := range doc.Machines { // Another server may have added its ids.
		doc.Machines[i].Extra = slices.DeleteFunc(doc.Machines[i].Extra, isID)
	}
	if err := stripPortrait(&doc); err != nil {
		return personas.Persona{}, err
	}
	return doc, ctx.Err()
}

// stripPortrait removes metadata such as EXIF, because the play page publishes the portrait.
func stripPortrait(doc *personas.Persona) error {
	if doc.Portrait == "" {
		return nil
	}
	stripped, err := portrait.StripURI(doc.Portrait)
	if err != nil {
		return api.Invalid(wire.Detail{Path: "portrait", Message: "the portrait cannot be shown: " + err.Error()})
	}
	doc.Portrait = stripped
	return nil
}

func placeFaults(faults []personas.Diagnostic) {
	for i := range faults {
		if f := &faults[i]; f.Path == "" && (f.Line > 1 || f.Column > 1) {
			f.Message += fmt.Sprintf(" (line %d, column %d)", f.Line, f.Column)
		}
	}
}

func readIfMatch(header string) (*time.Time, error) {
	if header == "" || header == "*" {
		return nil, nil
	}
	text := strings.Trim(strings.TrimPrefix(header, "W/"), `"`)
	expected, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, api.BadRequest(`If-Match must be the persona's updated_at in quotes, like "2026-01-31T12:00:00.000Z"`)
	}
	return &expected, nil
}

type generateBody struct{ wire.Generate }

type generateInput struct{ Body generateBody }

func (h *handlers) generateDraft(ctx context.Context, c *call, input *generateInput) (wire.Generated, error) {
	c.FinishParsing()
	if h.drafter == nil {
		return wire.Generated{}, api.NewError(http.StatusConflict, wire.CodeNoModel,
			"this server has no model that can write a draft: start it with --llm MODEL, such as ollama/llama3.2, which needs no key")
	}
	ctx, cancel := context.WithTimeout(ctx, models.DraftTime)
	defer cancel()
	brief := draft.Brief{Description: input.Body.Description, Name: strings.TrimSpace(input.Body.Name)}
	drafted, err := h.drafter.DraftPersona(ctx, brief, nil)
	c.tokens = wire.Tokens{In: drafted.Usage.In, Out: drafted.Usage.Out}
	switch {
	case err != nil:
		return wire.Generated{}, draftError(err)
	case slices.Contains(drafted.Filled, "persona_identity_prompt"):
		return wire.Generated{}, api.NewError(http.StatusUnprocessableEntity, wire.CodeUnsound,
			"the model did not answer with a draft; try again, or use another model")
	case !drafted.IsSound():
		e := api.Invalid(detailsOf(lint.Errors(drafted.Findings))...)
		e.Code, e.Message = wire.CodeUnsound, "the model's draft cannot be used: "+e.Message
		return wire.Generated{}, e
	}
	return wire.Generated{
		Persona: drafted.Persona, Warnings: detailsOf(drafted.Findings), Rounds: drafted.Rounds,
	}, nil
}

// draftError returns a 422 after a failure of the model. Clients repeat a request after a 5xx, and
// would pay for each repetition.
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
