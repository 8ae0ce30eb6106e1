package telemetry

import (
	"net/http"

	"github.com/parley-npc/parley/localserver/endpoint"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Counters of failures are in /metrics with 0 before the first failure, because a monitor of growth
// rates does not notice the first failure in a new counter.

// modelSteps are the steps of a turn as models are measured, askedSteps as providers are
// asked.
var (
	modelSteps = [...]string{"open", "evaluate", "reply", "summarize", "extract"}
	askedSteps = [...]string{"open", "evaluation", "response", "summarization", "extraction"}
)

// failureKinds are the possible failures of a provider that is really asked.
var failureKinds = [...]provider.Kind{
	provider.KeyMissing, provider.KeyRefused, provider.Quota, provider.NoCredit, provider.TooLong, provider.NoModel, provider.BadRequest, provider.Down, provider.Late,
	provider.Unusable,
}

// failureStatuses are those of answers that are the server's fault or the model's.
var failureStatuses = [...]int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// ExpectRequests begins to count failures of a route.
func (t *Telemetry) ExpectRequests(r *endpoint.Route) {
	for _, status := range failureStatuses {
		isModels := status == http.StatusBadGateway || status == http.StatusGatewayTimeout
		if !isModels || r.CountsTokens {
			t.findCounter(requestLabels{r.Method, r.Path, status})
		}
	}
}

// ExpectTurns begins to count turns that end in such ways, on both sides.
func (t *Telemetry) ExpectTurns(results ...string) {
	for _, result := range results {
		t.findCounter(turnLabels{"web", result})
		t.findCounter(turnLabels{"sdk", result})
	}
}

// expectSteps begins to count failures of a model's steps.
func (t *Telemetry) expectSteps() {
	for _, step := range modelSteps {
		t.findCounter(failedLabels{step})
	}
}

// expectProvider begins to count failures of a provider, once.
func (t *Telemetry) expectProvider(name string) {
	last := failedQuestionLabels{askedSteps[len(askedSteps)-1], name, string(failureKinds[len(failureKinds)-1])}
	if _, ok := t.known.Load(last); ok {
		return
	}
	for _, step := range askedSteps {
		for _, kind := range failureKinds {
			t.findCounter(failedQuestionLabels{step, name, string(kind)})
		}
	}
}
