package localserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/parley-npc/parley/localserver/play"
)

// telemetry counts what the server does, for GET /metrics. Every label has few
// values: patterns of routes and never paths, statuses, categories, steps. Nothing
// that a caller sends is one.
type telemetry struct {
	set      *metrics.Set
	now      func() time.Time
	version  string
	inFlight *metrics.Gauge
	commits  *metrics.PrometheusHistogram
	writes   *metrics.PrometheusHistogram
	// known finds a counter or histogram again by its labels, without writing
	// its name each time.
	known sync.Map
}

// Bounds of the histograms' buckets: seconds of a request or a model's step,
// seconds of a commit, and writes that share one.
var (
	requestBounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	commitBounds  = []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .1, 1}
	writeBounds   = []float64{1, 2, 4, 8, 16, 32, 64, 128}
)

func newTelemetry(version string, now func() time.Time) *telemetry {
	// The library has one switch for all sets; nobody else here uses it, and it
	// only adds # TYPE lines.
	metrics.ExposeMetadata(true)
	set := metrics.NewSet()
	t := &telemetry{set: set, now: now, version: version}
	t.inFlight = set.NewGauge("parley_http_requests_in_flight", nil)
	t.commits = set.NewPrometheusHistogramExt("parley_commit_duration_seconds", commitBounds)
	t.writes = set.NewPrometheusHistogramExt("parley_commit_writes", writeBounds)
	set.NewGauge(fmt.Sprintf("parley_build_info{version=%q,goversion=%q}", version, runtime.Version()), nil).Set(1)
	for c := range limits {
		t.counter(limitedLabels{c})
	}
	return t
}

// Labels that tell one counter or histogram of a name from another.
type (
	requestLabels struct {
		method, route string
		status        int
	}
	durationLabels struct{ route string }
	limitedLabels  struct{ category category }
	faultLabels    struct{ status int }
	turnLabels     struct{ side, result string }
	stepLabels     struct{ step string }
	failedLabels   struct{ step string }
)

func (l requestLabels) String() string {
	return fmt.Sprintf("parley_http_requests_total{route=%q,method=%q,status=%q}", l.route, l.method, statusText(l.status))
}

func (l durationLabels) String() string {
	return fmt.Sprintf("parley_http_request_duration_seconds{route=%q}", l.route)
}

func (l limitedLabels) String() string {
	return fmt.Sprintf("parley_rate_limited_total{category=%q}", string(l.category))
}

func (l faultLabels) String() string {
	return fmt.Sprintf("parley_faults_total{status=\"%d\"}", l.status)
}

func (l turnLabels) String() string {
	return fmt.Sprintf("parley_turns_total{side=%q,result=%q}", l.side, l.result)
}

func (l stepLabels) String() string {
	return fmt.Sprintf("parley_model_duration_seconds{step=%q}", l.step)
}

func (l failedLabels) String() string {
	return fmt.Sprintf("parley_model_failures_total{step=%q}", l.step)
}

// statusText is the status, or that the answer was cut before there was one.
func statusText(status int) string {
	if status == 0 {
		return "none"
	}
	return strconv.Itoa(status)
}

func (t *telemetry) counter(labels fmt.Stringer) *metrics.Counter {
	if c, ok := t.known.Load(labels); ok {
		return c.(*metrics.Counter)
	}
	c := t.set.GetOrCreateCounter(labels.String())
	t.known.Store(labels, c)
	return c
}

func (t *telemetry) duration(labels fmt.Stringer, took time.Duration) {
	h, ok := t.known.Load(labels)
	if !ok {
		h = t.set.GetOrCreatePrometheusHistogramExt(labels.String(), requestBounds)
		t.known.Store(labels, h)
	}
	h.(*metrics.PrometheusHistogram).Update(took.Seconds())
}

// request counts an answered request.
func (t *telemetry) request(method, route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	t.counter(requestLabels{method, route, status}).Inc()
	t.duration(durationLabels{route}, took)
}

func (t *telemetry) limited(c category) { t.counter(limitedLabels{c}).Inc() }

func (t *telemetry) faulted(status int) { t.counter(faultLabels{status}).Inc() }

// committed counts a commit of the store and the writes that shared it.
func (t *telemetry) committed(writes int, took time.Duration) {
	t.writes.Update(float64(writes))
	t.commits.Update(took.Seconds())
}

// turned counts a turn by how it ended: kept, an answer given again, broken off,
// or the code of its error.
func (t *telemetry) turned(space string, replayed bool, err error) {
	side, result := "web", "kept"
	if space != "" {
		side = "sdk"
	}
	switch {
	case errors.Is(err, context.Canceled):
		result = "broken-off"
	case err != nil:
		result = asFailure(err).Code
	case replayed:
		result = "replayed"
	}
	t.counter(turnLabels{side, result}).Inc()
}

// playTurn plays a turn and counts it.
func (s *service) playTurn(ctx context.Context, request play.TurnRequest) (play.Reply, error) {
	reply, err := s.play.Turn(ctx, request)
	s.gate.telemetry.turned(request.Space, reply.Replayed, err)
	return reply, err
}

// serveMetrics answers this machine only, also where the server is open to
// others: what it tells is for who runs it.
func (s *service) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if !s.gate.proxies.address(r).IsLoopback() {
		writeFailure(w, r, noSuchPath())
		return
	}
	w.Header().Set("Content-Type", contentMetrics)
	s.gate.telemetry.write(w)
}

const contentMetrics = "text/plain; version=0.0.4; charset=utf-8"

func (t *telemetry) write(w io.Writer) {
	t.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}
