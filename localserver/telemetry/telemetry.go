// Package telemetry counts and measures what the server does, for GET /metrics:
// requests, refusals, turns, the steps of models, commits. Every label has few
// values: patterns of routes and never paths, statuses, categories, steps. Nothing
// that a caller sends is one.
package telemetry

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/parley-npc/parley/localserver/endpoint"
)

// Telemetry contains the counters of one server. It is safe for concurrent use.
type Telemetry struct {
	set *metrics.Set
	now func() time.Time
	// InFlight is how many requests are being answered.
	InFlight *metrics.Gauge
	commits  *metrics.PrometheusHistogram
	writes   *metrics.PrometheusHistogram
	// known finds a counter or histogram again by its labels, without writing
	// its name each time.
	known sync.Map
}

// Bounds of the histograms' buckets: seconds of a request or a model's step,
// seconds of a commit, and writes that share one.
var (
	RequestBounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	commitBounds  = []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .1, 1}
	writeBounds   = []float64{1, 2, 4, 8, 16, 32, 64, 128}
)

// New returns a Telemetry that starts counting; now is its clock.
func New(version string, now func() time.Time) *Telemetry {
	// The library has one switch for all sets; only this package uses it, and it only adds # TYPE
	// lines.
	metrics.ExposeMetadata(true)
	set := metrics.NewSet()
	t := &Telemetry{set: set, now: now}
	t.InFlight = set.NewGauge("parley_http_requests_in_flight", nil)
	t.commits = set.NewPrometheusHistogramExt("parley_commit_duration_seconds", commitBounds)
	t.writes = set.NewPrometheusHistogramExt("parley_commit_writes", writeBounds)
	set.NewGauge(fmt.Sprintf("parley_build_info{version=%q,goversion=%q}", version, runtime.Version()), nil).Set(1)
	for c := range endpoint.RateLimits {
		t.findCounter(limitedLabels{c})
	}
	t.expectSteps()
	return t
}

// series is one counter or histogram: its name with its labels, as Prometheus writes
// them.
type series interface{ seriesName() string }

// Labels that distinguish counters or histograms of the same name.
type (
	requestLabels struct {
		method, route string
		status        int
	}
	durationLabels struct{ route string }
	limitedLabels  struct{ category endpoint.Category }
	faultLabels    struct{ status int }
	turnLabels     struct{ side, result string }
	stepLabels     struct{ step string }
	failedLabels   struct{ step string }
)

func (l requestLabels) seriesName() string {
	return fmt.Sprintf("parley_http_requests_total{route=%q,method=%q,status=%q}", l.route, l.method, statusText(l.status))
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

// statusText is the status, or that the answer was cut before there was one.
func statusText(status int) string {
	if status == 0 {
		return "none"
	}
	return strconv.Itoa(status)
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

// CountRequest counts an answered request by the pattern of its route, "" for none.
func (t *Telemetry) CountRequest(method, route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	t.findCounter(requestLabels{method, route, status}).Inc()
	t.measureTime(durationLabels{route}, took)
}

// CountRateLimited counts a request that a rate limit refused.
func (t *Telemetry) CountRateLimited(c endpoint.Category) { t.findCounter(limitedLabels{c}).Inc() }

// CountFault counts a request that went wrong on purpose.
func (t *Telemetry) CountFault(status int) { t.findCounter(faultLabels{status}).Inc() }

// CountCommit counts a commit of the store and the writes that shared it.
func (t *Telemetry) CountCommit(writes int, took time.Duration) {
	t.writes.Update(float64(writes))
	t.commits.Update(took.Seconds())
}

// Results of turns, besides the codes of their errors.
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

// WriteMetrics writes all that was counted as Prometheus reads it.
func (t *Telemetry) WriteMetrics(w io.Writer) {
	t.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}
