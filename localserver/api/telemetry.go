package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Telemetry contains the metrics of a server. It is safe for concurrent use.
type Telemetry struct {
	set *metrics.Set
	// InFlight is the number of requests in progress.
	InFlight *metrics.Gauge
	commits  *metrics.PrometheusHistogram
	writes   *metrics.PrometheusHistogram
	// series caches counters and histograms by series. Formatting their names is slow.
	series    sync.Map
	providers sync.Map // names that expectProvider has handled
}

// RequestBounds are the histogram buckets for requests and model steps, in seconds.
var RequestBounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

var (
	commitBounds = []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .1, 1} // seconds
	writeBounds  = []float64{1, 2, 4, 8, 16, 32, 64, 128}                                       // writes in a commit
)

// NewTelemetry returns a Telemetry with all counts at 0.
func NewTelemetry(version string) *Telemetry {
	// The switch is global. It only adds # TYPE lines, and no other package uses the library.
	metrics.ExposeMetadata(true)
	set := metrics.NewSet()
	t := &Telemetry{set: set}
	t.InFlight = set.NewGauge("parley_http_requests_in_flight", nil)
	t.commits = set.NewPrometheusHistogramExt("parley_commit_duration_seconds", commitBounds)
	t.writes = set.NewPrometheusHistogramExt("parley_commit_writes", writeBounds)
	set.NewGauge(fmt.Sprintf("parley_build_info{version=%q,goversion=%q}", version, runtime.Version()), nil).Set(1)
	for c := range RateLimits {
		t.counter(limitedTotal, string(c))
	}
	for _, step := range modelSteps {
		t.counter(stepFailures, step)
	}
	return t
}

// These counters start at 0. A monitor would miss the first increase of a missing counter.
const (
	requestsTotal = "parley_http_requests_total{route=%q,method=%q,status=%q}"
	limitedTotal  = "parley_rate_limited_total{category=%q}"
	turnsTotal    = "parley_turns_total{side=%q,result=%q}"
	stepFailures  = "parley_model_failures_total{step=%q}"
	askFailures   = "parley_llm_failures_total{step=%q,provider=%q,kind=%q}"
)

type series struct {
	name   string
	labels [3]string
}

func newSeries(name string, labels []string) (s series) {
	s.name = name
	copy(s.labels[:], labels)
	return s
}

// String returns the name with the labels in the format of Prometheus.
func (s series) String() string {
	labels := []any{s.labels[0], s.labels[1], s.labels[2]}
	return fmt.Sprintf(s.name, labels[:strings.Count(s.name, "%q")]...)
}

func (t *Telemetry) counter(name string, labels ...string) *metrics.Counter {
	s := newSeries(name, labels)
	if c, ok := t.series.Load(s); ok {
		return c.(*metrics.Counter)
	}
	c := t.set.GetOrCreateCounter(s.String())
	t.series.Store(s, c)
	return c
}

func (t *Telemetry) measureTime(duration time.Duration, name, label string) {
	s := newSeries(name, []string{label})
	h, ok := t.series.Load(s)
	if !ok {
		h = t.set.GetOrCreatePrometheusHistogramExt(s.String(), RequestBounds)
		t.series.Store(s, h)
	}
	h.(*metrics.PrometheusHistogram).Update(duration.Seconds())
}

// CountRequest counts a request and its duration. route is a pattern, or "" for an unknown path.
func (t *Telemetry) CountRequest(method, route string, status int, duration time.Duration) {
	route = cmp.Or(route, "none")
	result := "none" // The connection was closed before the response.
	if status != 0 {
		result = strconv.Itoa(status)
	}
	t.counter(requestsTotal, route, method, result).Inc()
	t.measureTime(duration, "parley_http_request_duration_seconds{route=%q}", route)
}

// CountCommit counts a commit of the store with its number of writes and its duration.
func (t *Telemetry) CountCommit(writes int, duration time.Duration) {
	t.writes.Update(float64(writes))
	t.commits.Update(duration.Seconds())
}

// Results of turns. All other results are error codes.
const (
	TurnKept     = "kept"
	TurnReplayed = "replayed"
	TurnCanceled = "broken-off"
)

// CountTurn counts a turn by its result.
func (t *Telemetry) CountTurn(bySDK bool, result string) {
	side := "web"
	if bySDK {
		side = "sdk"
	}
	t.counter(turnsTotal, side, result).Inc()
}

// ContentType is the Content-Type of the output of WriteMetrics.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// WriteMetrics writes all metrics in the format of Prometheus.
func (t *Telemetry) WriteMetrics(w io.Writer) {
	t.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}

// CountStep counts a step of a model and its duration. The duration of a streamed step includes
// sending the text.
func (t *Telemetry) CountStep(step string, duration time.Duration, err error) {
	t.measureTime(duration, "parley_model_duration_seconds{step=%q}", step)
	if err != nil {
		t.counter(stepFailures, step).Inc()
	}
}

var (
	modelSteps = [...]string{"open", "evaluate", "reply", "summarize", "extract"}
	askedSteps = [...]string{"open", "evaluation", "response", "summarization", "extraction", "prepare"}
)

var failureKinds = [...]provider.Kind{
	provider.KeyMissing, provider.KeyRefused, provider.Quota, provider.NoCredit, provider.TooLong,
	provider.NoModel, provider.BadRequest, provider.Down, provider.Late, provider.Unusable,
}

var failureStatuses = [...]int{
	http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// ExpectRequests creates the failure counters of a route with the value 0.
func (t *Telemetry) ExpectRequests(r *Route) {
	for _, status := range failureStatuses {
		isModels := status == http.StatusBadGateway || status == http.StatusGatewayTimeout
		if !isModels || r.CountsTokens {
			t.counter(requestsTotal, r.Path, r.Method, strconv.Itoa(status))
		}
	}
}

// ExpectTurns creates the counters of the results with the value 0.
func (t *Telemetry) ExpectTurns(results ...string) {
	for _, result := range results {
		t.counter(turnsTotal, "web", result)
		t.counter(turnsTotal, "sdk", result)
	}
}

func (t *Telemetry) expectProvider(name string) {
	if _, loaded := t.providers.LoadOrStore(name, true); loaded {
		return
	}
	for _, step := range askedSteps {
		for _, kind := range failureKinds {
			t.counter(askFailures, step, name, string(kind))
		}
	}
}

type countingAsker struct {
	provider.Asker
	telemetry *Telemetry
	provider  string // never a text from a client
}

// CountAsker returns asker with counters for requests, tokens and failures.
func (t *Telemetry) CountAsker(asker provider.Asker) provider.Asker {
	name := "other"
	prefix, _, _ := strings.Cut(asker.Model(), "/")
	if p, ok := provider.FindProvider(prefix); ok {
		name = p.Name
	}
	t.expectProvider(name)
	return &countingAsker{Asker: asker, telemetry: t, provider: name}
}

func (a *countingAsker) Ask(ctx context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
	answer, err := a.Asker.Ask(ctx, r, emit)
	failed, isProviders := errors.AsType[*provider.Error](err)
	if isProviders && failed.Kind == provider.Unsupported {
		return answer, err
	}
	t := a.telemetry
	t.counter("parley_llm_requests_total{step=%q,provider=%q}", r.Step, a.provider).Inc()
	const usage = "parley_llm_tokens_total{step=%q,direction=%q,provider=%q}"
	t.counter(usage, r.Step, "in", a.provider).Add(answer.Usage.In)
	t.counter(usage, r.Step, "out", a.provider).Add(answer.Usage.Out)
	if err != nil {
		kind := "broken-off" // The caller has disconnected or stopped reading.
		if isProviders && !errors.Is(err, context.Canceled) {
			kind = string(failed.Kind)
		}
		t.counter(askFailures, r.Step, a.provider, kind).Inc()
	}
	return answer, err
}
