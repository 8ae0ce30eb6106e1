package localserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// maxModelName and maxModelKey bound what a caller says about models, in bytes.
const (
	maxModelName = 200
	maxModelKey  = 4096
)

// lentBy reads the headers with which a caller of the SDK side brings keys and
// models. What is in them goes into the call and nowhere else: not into errors,
// not into the log, not into the store.
func lentBy(row *route, r *http.Request) (llm.Caller, error) {
	if row.who != sdkPlayer {
		return llm.Caller{}, nil
	}
	if r.Header.Get(wire.HeaderLLMKey) == "" {
		return llm.Caller{}, refuse(http.StatusBadRequest, wire.CodeBadRequest,
			"this needs your model provider's key in the header "+wire.HeaderLLMKey)
	}
	var c llm.Caller
	for _, h := range []struct {
		key, model string
		into       *llm.Step
	}{
		{wire.HeaderLLMKey, wire.HeaderLLMModel, &c.Step},
		{wire.HeaderLLMEvalKey, wire.HeaderLLMEvalModel, &c.Evaluation},
		{wire.HeaderLLMResponseKey, wire.HeaderLLMResponseModel, &c.Response},
		{wire.HeaderLLMSummarizationKey, wire.HeaderLLMSummarizationModel, &c.Summarization},
	} {
		key, model := r.Header.Get(h.key), r.Header.Get(h.model)
		if len(key) > maxModelKey {
			return llm.Caller{}, tooLong(h.key, maxModelKey)
		}
		if len(model) > maxModelName {
			return llm.Caller{}, tooLong(h.model, maxModelName)
		}
		*h.into = llm.Step{Key: llm.NewSecret(key), Model: model}
	}
	return c, nil
}

func tooLong(header string, limit int) error {
	return refuse(http.StatusBadRequest, wire.CodeBadRequest, fmt.Sprintf("%s is longer than %d bytes", header, limit))
}

// modelOf is the model that plays a call: the caller's own where the service's
// model borrows keys, else nil, which is the service's.
func (s *service) modelOf(c *call) (llm.Model, error) {
	borrower, ok := s.play.Model.(llm.Borrower)
	if !ok || !c.lent.Key.IsSet() {
		return nil, nil
	}
	model, err := borrower.With(c.lent)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, wire.CodeBadRequest, err.Error())
	}
	return model, nil
}

func (s *service) sdkPersonas(ctx context.Context, c *call, _ *struct{}) ([]wire.SDKPersona, error) {
	published, err := s.store.PublishedBy(ctx, c.key.OwnerID)
	list := make([]wire.SDKPersona, len(published))
	for i, p := range published {
		list[i] = wire.SDKPersona{
			ID: p.ID, Name: p.Name, Description: p.Description,
			CreatedAt: wire.Time{Time: p.CreatedAt}, UpdatedAt: wire.Time{Time: p.UpdatedAt},
		}
	}
	return list, err
}

func (s *service) sdkSession(ctx context.Context, c *call, in *sessionInput) (wire.Session, error) {
	n, err := s.play.Session(ctx, c.ref(in.PersonaID, in.UserSessionID, in.MachineID))
	return wire.Session{
		SessionID: n.SessionID, PersonaID: n.PersonaID, MachineID: n.MachineID,
		CurrentState: n.CurrentState, Score: n.Score, Outcome: outcome(n.Outcome),
		PlayerName: n.PlayerName, PlayerGender: n.PlayerGender,
		StartedAt: wire.Time{Time: n.StartedAt}, LastMessageAt: wire.Time{Time: n.LastMessageAt},
	}, err
}

func (s *service) sdkMessage(ctx context.Context, c *call, in *messageInput) (wire.SDKReply, error) {
	r, err := s.turn(ctx, c, in)
	return sdkReply(&r), err
}

func sdkReply(r *play.Reply) wire.SDKReply {
	unlocked := make([]wire.UnlockedMachine, len(r.Unlocked))
	for i, m := range r.Unlocked {
		unlocked[i] = wire.UnlockedMachine{MachineID: m.ID, MachineKey: m.Key, Name: m.Name, IsAutoAdvance: m.AutoAdvance}
	}
	return wire.SDKReply{Reply: reply(r), Unlocked: unlocked}
}

// validateBody is wire.ValidateLLMKey with its limits.
type validateBody struct{ wire.ValidateLLMKey }

// TransformSchema gives the member its limit.
func (validateBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	most, model := maxModelName, s.Properties["model"]
	model.MaxLength = &most
	model.PrecomputeMessages()
	return s
}

type validateInput struct{ Body *validateBody }

// checkTime is how long the providers of all steps may take to say whether they
// take a caller's keys; less than clients wait
// (docs/decisions/localserver.md, validate-key).
const checkTime = 30 * time.Second

// offlineModel is the name under which the built-in model answers.
const offlineModel = "offline"

// validateLLMKey tells whether a message with these headers would be answered,
// and by which model. A model that borrows no keys answers whatever the key is. Of
// a provider that does not answer nothing is known: that is an error.
func (s *service) validateLLMKey(ctx context.Context, c *call, in *validateInput) (wire.LLMKeyValidity, error) {
	borrower, ok := s.play.Model.(llm.Borrower)
	if !ok {
		return wire.LLMKeyValidity{Valid: true, Model: offlineModel}, nil
	}
	lent := c.lent
	if in.Body != nil && in.Body.Model != "" {
		lent.Model = in.Body.Model
	}
	limited, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	model, err := borrower.Check(limited, lent)
	if e, ok := errors.AsType[*provider.Error](err); ok && (e.Kind == provider.Down || e.Kind == provider.Late) {
		f := providersFailure(e, true)
		f.candid = e.Message // There is nothing that could have been kept.
		return wire.LLMKeyValidity{}, f
	}
	answer := wire.LLMKeyValidity{Valid: err == nil, Model: model}
	if err != nil {
		answer.Error = new(err.Error())
	}
	return answer, ctx.Err()
}
