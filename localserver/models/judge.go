package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/judge"
)

// Judge judges single lines as a server judges messages, without a server.
type Judge struct {
	models *Set
	name   string
}

// NewJudge returns the judge of the settings. It opens the recording, if there is one, and no
// connection yet. Its error is a *SettingsError, or that the recording cannot be used.
func NewJudge(s Settings, version string) (*Judge, error) {
	set, err := s.OpenModels(api.NewTelemetry(version, time.Now), version)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(s.Evaluation, s.Model, ModelOffline)
	if name == ModelOffline && s.Replay != "" && s.Evaluation == "" {
		name = s.Replay
	}
	return &Judge{set, name}, nil
}

// Name returns the judge's name in the settings.
func (j *Judge) Name() string { return j.name }

// Decide returns the judge's decision about a line of a player who has just entered the state. If
// the model's answer cannot be used, or comes too late, the judgement is without a decision and Why
// is the reason. Other errors, such as an unreachable address, would occur again for every line.
func (j *Judge) Decide(ctx context.Context, l *intent.CorpusLine) (intent.Judgement, error) {
	at := &l.Place
	e, err := j.models.Model.Evaluate(ctx, llm.Input{
		Persona: at.Persona, Machine: at.Machine, State: at.State, Outgoing: at.Outgoing,
		FollowUpAllowed: at.FollowUpAllowed, Message: l.Text,
	})
	made := intent.Judgement{
		Method: cmp.Or(e.Method, ModelOffline), Why: e.Why, Took: e.Took,
		Read: e.Usage.In, Cached: e.Usage.Cached, Written: e.Usage.Out, Cost: e.Usage.Cost,
	}
	if err != nil {
		if failed, ok := errors.AsType[*provider.Error](err); ok && ctx.Err() == nil && isOfLine(failed.Kind) {
			made.Why = failed.Error()
			return made, nil
		}
		return made, cmp.Or(ctx.Err(), err)
	}
	made.Decision = e.Decision(at.Machine)
	for _, h := range e.Holds {
		made.Rows = append(made.Rows, h.Transition)
	}
	made.Probability, made.Choices = probabilityOf(&e, made.Decision, at.Machine)
	return made, nil
}

// isOfLine reports whether an error concerns the answer to one line only, and not the next one.
func isOfLine(kind provider.Kind) bool {
	return kind == provider.Unusable || kind == provider.Late || kind == provider.TooLong
}

// probabilityOf returns the probability of the decision, and the choices that it was made from. The
// built-in judge has a confidence instead.
func probabilityOf(e *llm.Evaluation, decision string, m *personas.Machine) (float64, []judge.Choice) {
	if len(e.Choices) == 0 {
		if e.Understood != nil {
			return e.Understood.Confidence, nil
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

// Policy returns the thresholds of a method that Decide has reported.
func (j *Judge) Policy(method string) judge.Policy { return hosted.PolicyOf(method) }

// Recording returns the state of the recording that is made or played.
func (j *Judge) Recording() Recording { return j.models.Recording() }

// Close ends a recording, if there is one.
func (j *Judge) Close() error {
	if err := j.models.Close(); err != nil {
		return fmt.Errorf("end the recording: %w", err)
	}
	return nil
}
