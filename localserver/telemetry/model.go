package telemetry

import (
	"context"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
)

// measuredModel measures the steps of a model.
type measuredModel struct {
	model     llm.Model
	telemetry *Telemetry
}

// measuredCallersModel is one that plays with the keys of callers.
type measuredCallersModel struct {
	measuredModel
	perCaller llm.PerCallerModel
}

// MeasureModel is a model that does as the given one does, and is measured.
func (t *Telemetry) MeasureModel(m llm.Model) llm.Model {
	inner := measuredModel{m, t}
	if perCaller, ok := m.(llm.PerCallerModel); ok {
		return &measuredCallersModel{inner, perCaller}
	}
	return &inner
}

// With is the measured model of a caller.
func (m *measuredCallersModel) With(c llm.Caller) (llm.Model, error) {
	model, err := m.perCaller.With(c)
	if err != nil {
		return nil, err
	}
	return m.telemetry.MeasureModel(model), nil
}

// Check is the model's own.
func (m *measuredCallersModel) Check(ctx context.Context, c llm.Caller) (string, error) {
	return m.perCaller.Check(ctx, c)
}

// endStep measures a step that began at a time and ended now.
func (m *measuredModel) endStep(step string, begun time.Time, err error) {
	m.telemetry.measureTime(stepLabels{step}, m.telemetry.now().Sub(begun))
	if err != nil {
		m.telemetry.findCounter(failedLabels{step}).Inc()
	}
}

// Open measures the model's, with the time that the caller took to receive it.
func (m *measuredModel) Open(ctx context.Context, input llm.Input, emit func(string) error) (speech llm.GeneratedText, err error) {
	begun := m.telemetry.now()
	defer func() { m.endStep("open", begun, err) }()
	return m.model.Open(ctx, input, emit)
}

// Evaluate measures the model's.
func (m *measuredModel) Evaluate(ctx context.Context, input llm.Input) (e llm.Evaluation, err error) {
	begun := m.telemetry.now()
	defer func() { m.endStep("evaluate", begun, err) }()
	return m.model.Evaluate(ctx, input)
}

// Reply measures the model's, with the time that the caller took to receive it.
func (m *measuredModel) Reply(ctx context.Context, input llm.Input, result llm.StepResult, emit func(string) error) (speech llm.GeneratedText, err error) {
	begun := m.telemetry.now()
	defer func() { m.endStep("reply", begun, err) }()
	return m.model.Reply(ctx, input, result, emit)
}

// Summarize measures the model's.
func (m *measuredModel) Summarize(ctx context.Context, input llm.Input, messages []llm.Message) (summary llm.GeneratedText, err error) {
	begun := m.telemetry.now()
	defer func() { m.endStep("summarize", begun, err) }()
	return m.model.Summarize(ctx, input, messages)
}

// Extract measures the model's.
func (m *measuredModel) Extract(ctx context.Context, input llm.Input, conversation []llm.Message) (values llm.Extraction, err error) {
	begun := m.telemetry.now()
	defer func() { m.endStep("extract", begun, err) }()
	return m.model.Extract(ctx, input, conversation)
}
