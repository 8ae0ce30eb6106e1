package models

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// Judge evaluates single lines like a server.
type Judge struct {
	*Set
	name string
}

// NewJudge returns a judge. It opens the recording, but no connections. The error is a
// *SettingsError for invalid settings.
func NewJudge(s Settings, version string) (*Judge, error) {
	set, err := s.OpenModels(api.NewTelemetry(version), version)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(s.Evaluation, s.Model, ModelOffline)
	if name == ModelOffline && s.Replay != "" && s.Evaluation == "" {
		name = s.Replay
	}
	return &Judge{set, name}, nil
}

// Name returns the model's name in the settings.
func (j *Judge) Name() string { return j.name }

// Decide evaluates a line as the first message in its state. An unusable or late response of the
// model is described in Judgement.Why. A returned error would occur for every line.
func (j *Judge) Decide(ctx context.Context, l *intent.CorpusLine) (intent.Judgement, error) {
	place := &l.Place
	evaluation, err := j.Model.Evaluate(ctx, llm.Input{
		Persona: place.Persona, Machine: place.Machine, State: place.State, Outgoing: place.Outgoing,
		FollowUpAllowed: place.FollowUpAllowed, Message: l.Text,
	})
	judgement := intent.Judgement{
		Method: cmp.Or(evaluation.Method, ModelOffline), Why: evaluation.Why, Took: evaluation.Took,
		Read: evaluation.Usage.In, Cached: evaluation.Usage.Cached, Written: evaluation.Usage.Out,
		Cost: evaluation.Usage.Cost,
	}
	if err != nil {
		failed, ok := errors.AsType[*provider.Error](err)
		mayDiffer := []provider.Kind{provider.Unusable, provider.Late, provider.TooLong}
		if ok && ctx.Err() == nil && slices.Contains(mayDiffer, failed.Kind) {
			judgement.Why = failed.Error() // The next line may succeed.
			return judgement, nil
		}
		return judgement, cmp.Or(ctx.Err(), err)
	}
	judgement.Decision = evaluation.Decision(place.Machine)
	for _, h := range evaluation.Matches {
		judgement.Rows = append(judgement.Rows, h.Transition)
	}
	judgement.Probability, judgement.Choices = probabilityOf(&evaluation, judgement.Decision, place.Machine)
	return judgement, nil
}

func probabilityOf(e *llm.Evaluation, decision string, m *personas.Machine) (float64, []intent.Choice) {
	if len(e.Choices) == 0 {
		if e.OfflineVerdict != nil {
			return e.OfflineVerdict.Confidence, nil
		}
		return 1, nil
	}
	sum := 0.0
	for i := range e.Choices {
		if e.Choices[i].Decision == decision {
			sum += e.Choices[i].Probability
		}
	}
	return sum, e.PolicyChoices(m)
}

// Policy returns the thresholds of an evaluation method.
func (j *Judge) Policy(method string) intent.Policy { return hosted.PolicyOf(method) }

// Time limits. Each limit is shorter than the timeout of clients, because clients must receive the
// error.
const (
	// DraftTime limits all requests of a draft.
	DraftTime = 9 * time.Minute
	// CheckTime limits the check of a caller's keys at all providers.
	CheckTime = 30 * time.Second
)

// ForCaller returns the caller's own model, or nil for the server's model. The error is a message
// for the caller.
func ForCaller(server llm.Model, c llm.Caller) (llm.Model, error) {
	callers, ok := server.(llm.PerCallerModel)
	if !ok || !c.Key.IsSet() {
		return nil, nil
	}
	return callers.With(c)
}

// CheckCaller returns the name of the caller's model, or ModelOffline if the server uses no keys of
// callers. The error explains why no model would respond.
func CheckCaller(ctx context.Context, server llm.Model, c llm.Caller) (model string, err error) {
	callers, ok := server.(llm.PerCallerModel)
	if !ok {
		return ModelOffline, nil
	}
	ctx, cancel := context.WithTimeout(ctx, CheckTime)
	defer cancel()
	return callers.Check(ctx, c)
}
