package localserver

import (
	"context"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
)

// timed is a model whose steps are measured.
type timed struct {
	model     llm.Model
	telemetry *telemetry
}

// timedBorrower is one that plays with the keys of callers.
type timedBorrower struct {
	timed
	borrower llm.Borrower
}

// measured is a model that does as the given one does, and is measured.
func (t *telemetry) measured(m llm.Model) llm.Model {
	inner := timed{m, t}
	if borrower, ok := m.(llm.Borrower); ok {
		return &timedBorrower{inner, borrower}
	}
	return &inner
}

// With is the measured model of a caller.
func (m *timedBorrower) With(c llm.Caller) (llm.Model, error) {
	model, err := m.borrower.With(c)
	if err != nil {
		return nil, err
	}
	return m.telemetry.measured(model), nil
}

// Check is the model's own.
func (m *timedBorrower) Check(ctx context.Context, c llm.Caller) (string, error) {
	return m.borrower.Check(ctx, c)
}

// done measures a step that began at a time and ended now.
func (m *timed) done(step string, begun time.Time, err error) {
	m.telemetry.duration(stepLabels{step}, m.telemetry.now().Sub(begun))
	if err != nil {
		m.telemetry.counter(failedLabels{step}).Inc()
	}
}

// Open measures the model's.
func (m *timed) Open(ctx context.Context, scene llm.Scene) (speech llm.Speech, err error) {
	begun := m.telemetry.now()
	defer func() { m.done("open", begun, err) }()
	return m.model.Open(ctx, scene)
}

// Evaluate measures the model's.
func (m *timed) Evaluate(ctx context.Context, scene llm.Scene) (e llm.Evaluation, err error) {
	begun := m.telemetry.now()
	defer func() { m.done("evaluate", begun, err) }()
	return m.model.Evaluate(ctx, scene)
}

// Reply measures the model's, with the time that the caller took to receive it.
func (m *timed) Reply(ctx context.Context, scene llm.Scene, beat llm.Beat, emit func(string) error) (speech llm.Speech, err error) {
	begun := m.telemetry.now()
	defer func() { m.done("reply", begun, err) }()
	return m.model.Reply(ctx, scene, beat, emit)
}

// Summarize measures the model's.
func (m *timed) Summarize(ctx context.Context, scene llm.Scene, messages []llm.Message) (summary llm.Speech, err error) {
	begun := m.telemetry.now()
	defer func() { m.done("summarize", begun, err) }()
	return m.model.Summarize(ctx, scene, messages)
}

// Extract measures the model's.
func (m *timed) Extract(ctx context.Context, scene llm.Scene, conversation []llm.Message) (values llm.Extraction, err error) {
	begun := m.telemetry.now()
	defer func() { m.done("extract", begun, err) }()
	return m.model.Extract(ctx, scene, conversation)
}
