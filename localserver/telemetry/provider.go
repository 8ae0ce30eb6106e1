package telemetry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Labels for questions to providers. A provider is a name of the table, so that a caller's text
// never becomes a label.
type (
	questionLabels       struct{ step, provider string }
	tokenLabels          struct{ step, direction, provider string }
	failedQuestionLabels struct{ step, provider, kind string }
)

func (l questionLabels) seriesName() string {
	return fmt.Sprintf("parley_llm_requests_total{step=%q,provider=%q}", l.step, l.provider)
}

func (l tokenLabels) seriesName() string {
	return fmt.Sprintf("parley_llm_tokens_total{step=%q,direction=%q,provider=%q}", l.step, l.direction, l.provider)
}

func (l failedQuestionLabels) seriesName() string {
	return fmt.Sprintf("parley_llm_failures_total{step=%q,provider=%q,kind=%q}", l.step, l.provider, l.kind)
}

// countingAsker is an asker that counts its questions: their number, their cost, and the failures.
type countingAsker struct {
	provider.Asker
	telemetry *Telemetry
	provider  string
}

// CountAsker is an asker that does as the given one does, with every question counted.
func (t *Telemetry) CountAsker(a provider.Asker) provider.Asker {
	name := providerLabel(a.Model())
	t.expectProvider(name)
	return &countingAsker{Asker: a, telemetry: t, provider: name}
}

// providerLabel returns the provider of a model if it is in the table.
func providerLabel(model string) string {
	name, _, _ := strings.Cut(model, "/")
	if slices.ContainsFunc(provider.Providers, func(p provider.Provider) bool { return p.Name == name }) {
		return name
	}
	return "other"
}

// Ask asks and counts.
func (a *countingAsker) Ask(ctx context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
	answer, err := a.Asker.Ask(ctx, r, emit)
	a.telemetry.countQuestion(r.Step, a.provider, answer.Usage, err)
	return answer, err
}

// countQuestion counts a request. One that the API does not have cost nothing: it is not counted.
func (t *Telemetry) countQuestion(step, name string, u llm.Usage, err error) {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Kind == provider.Unsupported {
		return
	}
	t.findCounter(questionLabels{step, name}).Inc()
	t.findCounter(tokenLabels{step, "in", name}).Add(u.In)
	t.findCounter(tokenLabels{step, "out", name}).Add(u.Out)
	if err != nil {
		t.findCounter(failedQuestionLabels{step, name, failureKind(err)}).Inc()
	}
}

// failureKind returns the kind of a provider's error. A caller who has gone or stopped reading does
// not count as an error of the provider.
func failureKind(err error) string {
	if e, ok := errors.AsType[*provider.Error](err); ok && !errors.Is(err, context.Canceled) {
		return string(e.Kind)
	}
	return "broken-off"
}
