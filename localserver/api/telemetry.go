package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Telemetry contains the metrics of one server. It is safe for concurrent use.
type Telemetry struct {
	set *metrics.Set
	now func() time.Time
	// InFlight is the number of requests that are being answered.
	InFlight *metrics.Gauge
	commits  *metrics.PrometheusHistogram
	writes   *metrics.PrometheusHistogram
	// known caches counters and histograms by their labels, so that their names need not be
	// formatted each time.
	known sync.Map
}

// Bounds of the histograms' buckets. The first are seconds of a request or of a model's step, the
// next are seconds of a commit, and the last are writes in one commit.
var (
	RequestBounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	commitBounds  = []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .1, 1}
	writeBounds   = []float64{1, 2, 4, 8, 16, 32, 64, 128}
)

// NewTelemetry returns a Telemetry with all counts at 0. It reads the time from now.
func NewTelemetry(version string, now func() time.Time) *Telemetry {
	// The library has one switch for all sets. Only this package uses the library, and the switch
	// only adds # TYPE lines.
	metrics.ExposeMetadata(true)
	set := metrics.NewSet()
	t := &Telemetry{set: set, now: now}
	t.InFlight = set.NewGauge("parley_http_requests_in_flight", nil)
	t.commits = set.NewPrometheusHistogramExt("parley_commit_duration_seconds", commitBounds)
	t.writes = set.NewPrometheusHistogramExt("parley_commit_writes", writeBounds)
	set.NewGauge(fmt.Sprintf("parley_build_info{version=%q,goversion=%q}", version, runtime.Version()), nil).Set(1)
	for c := range RateLimits {
		t.findCounter(limitedLabels{c})
	}
	for _, step := range modelSteps {
		t.findCounter(failedLabels{step})
	}
	return t
}

// A series identifies a counter or histogram. seriesName returns its name and labels in the format
// of Prometheus.
type series interface{ seriesName() string }

// Labels that distinguish counters or histograms of the same name.
type (
	requestLabels struct {
		method, route string
		status        int
	}
	durationLabels struct{ route string }
	limitedLabels  struct{ category Category }
	faultLabels    struct{ status int }
	turnLabels     struct{ side, result string }
	stepLabels     struct{ step string }
	failedLabels   struct{ step string }
)

func (l requestLabels) seriesName() string {
	status := strconv.Itoa(l.status)
	if l.status == 0 { // The connection was closed before a status was sent.
		status = "none"
	}
	return fmt.Sprintf("parley_http_requests_total{route=%q,method=%q,status=%q}", l.route, l.method, status)
}

func (l durationLabels) seriesName() string {
	return fmt.Sprintf("parley_http_request_duration_seconds{route=%q}", l.route)
}

func (l limitedLabels) seriesName() string {
	return fmt.Sprintf("parley_rate_limited_total{category=%q}", string(l.category))
}

func (l faultLabels) seriesName() string {
	return fmt.Sprintf("parley_faults_total{status=\"%d\"}", l.status)
}

func (l turnLabels) seriesName() string {
	return fmt.Sprintf("parley_turns_total{side=%q,result=%q}", l.side, l.result)
}

func (l stepLabels) seriesName() string {
	return fmt.Sprintf("parley_model_duration_seconds{step=%q}", l.step)
}

func (l failedLabels) seriesName() string {
	return fmt.Sprintf("parley_model_failures_total{step=%q}", l.step)
}

func (t *Telemetry) findCounter(labels series) *metrics.Counter {
	if c, ok := t.known.Load(labels); ok {
		return c.(*metrics.Counter)
	}
	c := t.set.GetOrCreateCounter(labels.seriesName())
	t.known.Store(labels, c)
	return c
}

func (t *Telemetry) measureTime(labels series, took time.Duration) {
	h, ok := t.known.Load(labels)
	if !ok {
		h = t.set.GetOrCreatePrometheusHistogramExt(labels.seriesName(), RequestBounds)
		t.known.Store(labels, h)
	}
	h.(*metrics.PrometheusHistogram).Update(took.Seconds())
}

// CountRequest counts an answered request. route is the pattern of its route, or "" if no route
// matched. took is the duration.
func (t *Telemetry) CountRequest(method, route string, status int, took time.Duration) {
	route = cmp.Or(route, "none")
	t.findCounter(requestLabels{method, route, status}).Inc()
	t.measureTime(durationLabels{route}, took)
}

// CountRateLimited counts a request that exceeded a rate limit.
func (t *Telemetry) CountRateLimited(c Category) { t.findCounter(limitedLabels{c}).Inc() }

// CountFault counts a request that was answered with an injected fault.
func (t *Telemetry) CountFault(status int) { t.findCounter(faultLabels{status}).Inc() }

// CountCommit counts a commit of the store. writes is its number of writes, and took is its
// duration.
func (t *Telemetry) CountCommit(writes int, took time.Duration) {
	t.writes.Update(float64(writes))
	t.commits.Update(took.Seconds())
}

// Results of turns. Other results are the codes of errors.
const (
	TurnKept     = "kept"
	TurnReplayed = "replayed"
	TurnCanceled = "broken-off"
)

// CountTurn counts a turn of the web side or the SDK side by its result.
func (t *Telemetry) CountTurn(bySDK bool, result string) {
	side := "web"
	if bySDK {
		side = "sdk"
	}
	t.findCounter(turnLabels{side, result}).Inc()
}

// ContentType is the Content-Type of the output of WriteMetrics.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// WriteMetrics writes all metrics in the format of Prometheus.
func (t *Telemetry) WriteMetrics(w io.Writer) {
	t.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}

// measuredModel measures the duration and the failures of a model's steps.
type measuredModel struct {
	model     llm.Model
	telemetry *Telemetry
}

// measuredCallersModel is a measuredModel that can use callers' keys.
type measuredCallersModel struct {
	measuredModel
	perCaller llm.PerCallerModel
}

// MeasureModel returns a model that calls m and measures the steps.
func (t *Telemetry) MeasureModel(m llm.Model) llm.Model {
	inner := measuredModel{m, t}
	if perCaller, ok := m.(llm.PerCallerModel); ok {
		return &measuredCallersModel{inner, perCaller}
	}
	return &inner
}

// With returns a measured model that uses the caller's models and keys.
func (m *measuredCallersModel) With(c llm.Caller) (llm.Model, error) {
	model, err := m.perCaller.With(c)
	if err != nil {
		return nil, err
	}
	return m.telemetry.MeasureModel(model), nil
}

// Check calls Check of the wrapped model.
func (m *measuredCallersModel) Check(ctx context.Context, c llm.Caller) (string, error) {
	return m.perCaller.Check(ctx, c)
}

func (m *measuredModel) endStep(step string, begun time.Time, err error) {
	m.telemetry.measureTime(stepLabels{step}, m.telemetry.now().Sub(begun))
	if err != nil {
		m.telemetry.findCounter(failedLabels{step}).Inc()
	}
}

// Open calls and measures Open of the wrapped model. The duration includes the time that the caller
// needs to receive the text.
func (m *measuredModel) Open(ctx context.Context, input llm.Input, emit func(string) error) (speech llm.GeneratedText, err error) {
	begun := m.telemetry.now()
	defer func() { m.endStep("open", begun, err) }()
	return m.model.Open(ctx, input, emit)
}

// Prepare calls Prepare of the wrapped model, if it has that method. It is not measured, because
// nobody waits for it.
func (m *measuredCallersModel) Prepare(ctx context.Context, input llm.Input) {
	if p, ok := m.perCaller.(llm.Preparer); ok {
		p.Prepare(ctx, input)
	}
}

// Evaluate calls and measures Evaluate of the wrapped model.
func (m *measuredModel) Evaluate(ctx context.Context, input llm.Input) (e llm.Evaluation, err error) {
	begun := m.telemetry.now()
	defer func() { m.endStep("evaluate", begun, err) }()
	return m.model.Evaluate(ctx, input)
}

// Reply calls and measures Reply of the wrapped model. The duration includes the time that the
// caller needs to receive the text.
func (m *measuredModel) Reply(ctx context.Context, input llm.Input, result llm.StepResult, emit func(string) error) (speech llm.GeneratedText, err error) {
	begun := m.telemetry.now()
	defer func() { m.endStep("reply", begun, err) }()
	return m.model.Reply(ctx, input, result, emit)
}

// Summarize calls and measures Summarize of the wrapped model.
func (m *measuredModel) Summarize(ctx context.Context, input llm.Input, messages []llm.Message) (summary llm.GeneratedText, err error) {
	begun := m.telemetry.now()
	defer func() { m.endStep("summarize", begun, err) }()
	return m.model.Summarize(ctx, input, messages)
}

// Extract calls and measures Extract of the wrapped model.
func (m *measuredModel) Extract(ctx context.Context, input llm.Input, conversation []llm.Message) (values llm.Extraction, err error) {
	begun := m.telemetry.now()
	defer func() { m.endStep("extract", begun, err) }()
	return m.model.Extract(ctx, input, conversation)
}

// Counters of failures are created with the value 0. A monitor that watches the increase of a
// counter would not notice the first failure if the counter did not exist before.

// modelSteps are the names of a turn's steps in the metrics of models. askedSteps are the names in
// the metrics of requests to providers.
var (
	modelSteps = [...]string{"open", "evaluate", "reply", "summarize", "extract"}
	askedSteps = [...]string{"open", "evaluation", "response", "summarization", "extraction", "prepare"}
)

// failureKinds are the kinds of failures of requests that were sent to a provider.
var failureKinds = [...]provider.Kind{
	provider.KeyMissing, provider.KeyRefused, provider.Quota, provider.NoCredit, provider.TooLong, provider.NoModel, provider.BadRequest, provider.Down, provider.Late,
	provider.Unusable,
}

// failureStatuses are the statuses of failures of the server or of the model.
var failureStatuses = [...]int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// ExpectRequests creates the counters of a route's failures with the value 0.
func (t *Telemetry) ExpectRequests(r *Route) {
	for _, status := range failureStatuses {
		isModels := status == http.StatusBadGateway || status == http.StatusGatewayTimeout
		if !isModels || r.CountsTokens {
			t.findCounter(requestLabels{r.Method, r.Path, status})
		}
	}
}

// ExpectTurns creates the counters of turns with the given results, on both sides, with the value
// 0.
func (t *Telemetry) ExpectTurns(results ...string) {
	for _, result := range results {
		t.findCounter(turnLabels{"web", result})
		t.findCounter(turnLabels{"sdk", result})
	}
}

// expectProvider creates the counters of a provider's failures with the value 0, unless they exist.
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

// Labels for requests to model providers. A provider is always a name in provider.Providers or
// "other", so that text from a caller never becomes a label.
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

// countingAsker is an Asker that counts requests, tokens and failures.
type countingAsker struct {
	provider.Asker
	telemetry *Telemetry
	provider  string
}

// CountAsker returns an Asker that passes each request to asker, and counts requests, tokens and
// failures.
func (t *Telemetry) CountAsker(asker provider.Asker) provider.Asker {
	name, _, _ := strings.Cut(asker.Model(), "/")
	if !slices.ContainsFunc(provider.Providers, func(p provider.Provider) bool { return p.Name == name }) {
		name = "other"
	}
	t.expectProvider(name)
	return &countingAsker{Asker: asker, telemetry: t, provider: name}
}

// Ask sends the request and counts it, unless the provider's API does not support the request, which then
// costs nothing.
func (a *countingAsker) Ask(ctx context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
	answer, err := a.Asker.Ask(ctx, r, emit)
	failed, isProviders := errors.AsType[*provider.Error](err)
	if isProviders && failed.Kind == provider.Unsupported {
		return answer, err
	}
	t := a.telemetry
	t.findCounter(questionLabels{r.Step, a.provider}).Inc()
	t.findCounter(tokenLabels{r.Step, "in", a.provider}).Add(answer.Usage.In)
	t.findCounter(tokenLabels{r.Step, "out", a.provider}).Add(answer.Usage.Out)
	if err != nil {
		kind := "broken-off" // The caller has disconnected or stopped reading.
		if isProviders && !errors.Is(err, context.Canceled) {
			kind = string(failed.Kind)
		}
		t.findCounter(failedQuestionLabels{r.Step, a.provider, kind}).Inc()
	}
	return answer, err
}
