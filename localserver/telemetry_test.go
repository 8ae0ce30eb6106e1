package localserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

var sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"(?:, ?[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*")*\})? (\S+)$`)

// readMetrics reads /metrics. Every line must have the format and a # TYPE line before it.
func (h *harness) readMetrics() map[string]float64 {
	h.Helper()
	answer := h.send("", "GET", "/metrics", "").is(200)
	assert.Equal(h, answer.header.Get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8", "the type")
	values, types := map[string]float64{}, map[string]bool{}
	for line := range strings.Lines(string(answer.body)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			types[strings.Fields(name)[0]] = true
			continue
		}
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		parts := sample.FindStringSubmatch(line)
		assert.Must(h, parts != nil, "no line of the format: %q", line)
		value, err := strconv.ParseFloat(parts[3], 64)
		_, twice := values[parts[1]+parts[2]]
		assert.Must(h, err == nil && !twice, "%q: %v, twice %v", line, err, twice)
		family := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(parts[1], "_bucket"), "_sum"), "_count")
		assert.True(h, types[family] || types[parts[1]], "%s has no type", parts[1])
		values[parts[1]+parts[2]] = value
	}
	return values
}

func TestMetrics(t *testing.T) {
	h, _ := beginLimited(t, func(o *Options) { o.Faults = []api.FaultRule{{Status: 503, Path: "/reset", Every: 1}} })
	id := h.publishEndless()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	for range 3 {
		h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hello")).want(200)
	}
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("nobody", "hello")).want(404)
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hello"), wire.HeaderIdempotencyKey, "k").want(200)
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hello"), wire.HeaderIdempotencyKey, "k").want(200)
	h.send("", "POST", wire.Path(wire.PathReset, id)+"?user_session_id=ann", "").want(503)
	key := h.key(alice)
	h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("sam")).want(200)
	h.send(key, "POST", wire.Path(wire.PathSDKMessageStream, id), messageJSON("sam", "hello")).want(200)
	h.send("", "GET", "/nothing/at/all", "").want(404)
	for range 65 {
		h.send("", "POST", wire.Path(wire.PathMessage, id), "{}")
	}
	got := h.readMetrics()
	for name, want := range map[string]float64{
		`parley_http_requests_total{route="/api/v1/chat/{persona_id}/message",method="POST",status="200"}`: 5,
		`parley_http_requests_total{route="/api/v1/chat/{persona_id}/message",method="POST",status="404"}`: 1,
		`parley_http_requests_total{route="/api/v1/chat/{persona_id}/message",method="POST",status="422"}`: 54,
		`parley_http_requests_total{route="/api/v1/chat/{persona_id}/message",method="POST",status="429"}`: 11,
		`parley_http_requests_total{route="none",method="GET",status="404"}`:                               1,
		`parley_http_request_duration_seconds_count{route="/api/v1/chat/{persona_id}/init-session"}`:       1,
		`parley_http_requests_in_flight`:                       1, // the one that asks
		`parley_rate_limited_total{category="chat"}`:           11,
		`parley_rate_limited_total{category="generation"}`:     0,
		`parley_faults_total{status="503"}`:                    1,
		`parley_turns_total{side="web",result="kept"}`:         4,
		`parley_turns_total{side="web",result="replayed"}`:     1,
		`parley_turns_total{side="web",result="not-found"}`:    1,
		`parley_turns_total{side="sdk",result="kept"}`:         1,
		`parley_model_duration_seconds_count{step="evaluate"}`: 5,
		`parley_model_duration_seconds_count{step="reply"}`:    5,
		`parley_model_duration_seconds_count{step="open"}`:     2,
	} {
		value, ok := got[name]
		assert.True(t, ok && value == want, "%s is %v (%v), want %v", name, value, ok, want)
	}
	assert.True(t, got["parley_commit_writes_sum"] >= 10, "%v writes", got["parley_commit_writes_sum"])
	assert.Equal(t, got["parley_commit_writes_count"], got["parley_commit_duration_seconds_count"])
	assert.True(t, got["go_goroutines"] >= 2, "%v goroutines", got["go_goroutines"])
}

func TestMetricsAreBounded(t *testing.T) {
	h := begin(t)
	h.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}} // The document does not describe such methods.
	call := func(i int) {
		h.send("", fmt.Sprintf("METHOD%d", i), fmt.Sprintf("/%d", i), "")
		h.send("", "GET", wire.Path(wire.PathPersona, fmt.Sprintf("secret%d", i)), "", "User-Agent", fmt.Sprintf("agent%d", i))
		h.send("", "POST", wire.Path(wire.PathMessage, fmt.Sprint(i)), messageJSON(fmt.Sprint("player", i), "words"))
	}
	call(0)
	before := len(h.readMetrics())
	for i := range 100 {
		call(i)
	}
	after := h.readMetrics()
	// The first reading could not count itself.
	added := len(after) - before
	assert.True(t, added <= len(api.RequestBounds)+4, "%d lines were %d", len(after), before)
	for name := range after {
		for _, word := range []string{"METHOD", "secret", "agent", "player", "words"} {
			assert.NotContains(t, name, word)
		}
	}
}

func TestMetricsForThisMachineOnly(t *testing.T) {
	h := begin(t, func(o *Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} })
	h.send("", "GET", "/metrics", "").want(200)
	h.send("", "GET", "/metrics", "", identity.HeaderForwarded, "198.51.100.1").fails(404, wire.CodeNotFound)
	h.send("", "GET", "/metrics", "", "Host", "evil.example").fails(403, wire.CodeForbidden)
	for peer, want := range map[string]int{"198.51.100.1:80": 404, "": 404, "[::1]:80": 200, "127.8.9.1:80": 200} {
		t.Run("from "+peer, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.RemoteAddr = peer
			r.Host = "127.0.0.1"
			w := httptest.NewRecorder()
			h.http.Handler.ServeHTTP(w, r)
			assert.Equal(t, w.Code, want, peer)
		})
	}
}

func TestMetricsAddress(t *testing.T) {
	h := begin(t, func(o *Options) { o.MetricsListen = "127.0.0.1:0" })
	h.client = &http.Client{Transport: &http.Transport{}}
	ask := func(method, path string) (int, string) {
		r := assert.Value(http.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(h.MetricsURL(), "/metrics")+path, nil))(t)
		r.Host = "parley-1.monitoring.example"
		r.Header.Set(identity.HeaderForwarded, "198.51.100.1")
		answer := assert.Value(h.client.Do(r))(t)
		defer answer.Body.Close()
		body := assert.Value(io.ReadAll(answer.Body))(t)
		return answer.StatusCode, string(body)
	}
	status, body := ask("GET", "/metrics")
	assert.True(t, status == 200 && strings.Contains(body, "parley_http_requests_in_flight"), "%d %.200s", status, body)
	for _, other := range [][2]string{{"GET", "/"}, {"GET", "/readyz"}, {"GET", wire.PathPersonas}, {"POST", "/metrics"}} {
		status, body := ask(other[0], other[1])
		assert.Equal(t, status, 404, "%s: %d %.200s", other, status, body)
	}
	assert.Equal(t, begin(t).MetricsURL(), "", "without the option it is at")
	at := h.MetricsURL()
	assert.NoError(t, h.Close())
	if answer, err := h.client.Get(at); err == nil {
		discard(answer)
		t.Error("it continues after its server")
	}
}

func TestFailuresBeginAtZero(t *testing.T) {
	h := begin(t)
	h.telemetry.CountAsker(namedAsker{})
	got := h.readMetrics()
	for _, name := range []string{
		`parley_http_requests_total{route="/api/v1/chat/{persona_id}/message",method="POST",status="500"}`,
		`parley_http_requests_total{route="/api/v1/chat/{persona_id}/message",method="POST",status="502"}`,
		`parley_http_requests_total{route="/api/v1/chat/{persona_id}/history",method="GET",status="503"}`,
		`parley_turns_total{side="web",result="internal"}`,
		`parley_turns_total{side="sdk",result="model-failed"}`,
		`parley_model_failures_total{step="reply"}`,
		`parley_llm_failures_total{step="` + prompt.StepResponse + `",provider="openai",kind="down"}`,
		`parley_llm_failures_total{step="` + prompt.StepExtraction + `",provider="openai",kind="late"}`,
	} {
		value, ok := got[name]
		assert.True(t, ok && value == 0, "%s is %v, %v", name, value, ok)
	}
}

type namedAsker struct{ provider.Asker }

func (namedAsker) Model() string { return "openai/gpt-4o" }

func (namedAsker) Place() string { return "openai/gpt-4o" }

type perCallerModel struct {
	llm.Model
	with llm.Model
}

func (l *perCallerModel) With(llm.Caller) (llm.Model, error) {
	return l.with, nil
}

func (l *perCallerModel) Check(context.Context, llm.Caller) (string, error) { return "own", nil }

// TestCallersModelsAreMeasured: the metrics also count the steps of callers' models.
func TestCallersModelsAreMeasured(t *testing.T) {
	offline := scripted.New()
	failing := &stepModel{Model: offline, first: func(context.Context, string) error { return errors.New("down") }}
	h := begin(t, func(o *Options) { o.Model = &perCallerModel{Model: offline, with: failing} })
	id := h.publishPersona()
	key := h.key(alice)
	h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("sam")).want(200)
	h.send(key, "POST", wire.Path(wire.PathSDKMessage, id), messageJSON("sam", "hello")).fails(502, wire.CodeModelFailed)
	got := h.readMetrics()
	assert.True(t, got[`parley_model_failures_total{step="evaluate"}`] >= 1, "not counted: %v", got)
	assert.Equal(t, got[`parley_turns_total{side="sdk",result="model-failed"}`], 1)
}

type priced struct{ llm.Model }

func (p *priced) Open(ctx context.Context, s llm.Input, emit func(string) error) (llm.GeneratedText, error) {
	speech, err := p.Model.Open(ctx, s, emit)
	speech.Usage = llm.Usage{Model: "openai/gpt-x", In: 100, Out: 10}
	return speech, err
}

func (p *priced) Evaluate(ctx context.Context, s llm.Input) (llm.Evaluation, error) {
	e, err := p.Model.Evaluate(ctx, s)
	e.Usage = llm.Usage{Model: "groq/llama", In: 200, Out: 2}
	return e, err
}

func (p *priced) Reply(ctx context.Context, s llm.Input, b llm.StepResult, emit func(string) error) (llm.GeneratedText, error) {
	speech, err := p.Model.Reply(ctx, s, b, emit)
	speech.Usage = llm.Usage{Model: "openai/gpt-x", In: 300, Out: 30}
	return speech, err
}

// TestTokensInSight: the cost of a call is in its headers, or for a stream in its trailers. It is
// missing if no model was asked, and on a stored answer.
func TestTokensInSight(t *testing.T) {
	for _, c := range []struct {
		model               llm.Model
		openIn, openOut     string
		turnIn, turnOut     string
		usageOfTheTurnTrace string
	}{
		{&priced{scripted.New()}, "100", "10", "500", "32", `"evaluation":{"model":"groq/llama","in":200,"out":2}`},
		{nil, "", "", "", "", `"usage":{}`},
	} {
		t.Run(caseName(c.model != nil), func(t *testing.T) {
			h := begin(t, func(o *Options) { o.Model = c.model })
			id, key := h.publishPersona(), h.key(alice)
			costs := func(what string, header http.Header, in, out string) {
				assert.Equal(t, header.Get(wire.HeaderLLMTokensIn), in, what)
				assert.Equal(t, header.Get(wire.HeaderLLMTokensOut), out, what)
			}
			for who, path := range map[string][3]string{
				"":  {wire.PathInitSession, wire.PathMessage, wire.PathMessageStream},
				key: {wire.PathSDKInitSession, wire.PathSDKMessage, wire.PathSDKMessageStream},
			} {
				costs("opening as a stream", h.trailer(who, wire.Path(path[0], id), initJSON("ann")), c.openIn, c.openOut)
				opened := h.send(who, "POST", wire.Path(path[0], id), initJSON("ann")).is(200)
				costs("opening", opened.header, c.openIn, c.openOut)
				once := []string{wire.HeaderIdempotencyKey, "k" + who}
				said := h.send(who, "POST", wire.Path(path[1], id), messageJSON("ann", "so [[redirect]]"), once...).is(200)
				costs("message", said.header, c.turnIn, c.turnOut)
				again := h.send(who, "POST", wire.Path(path[1], id), messageJSON("ann", "so [[redirect]]"), once...).is(200)
				costs("the same message again", again.header, "", "")
				trailer := h.trailer(who, wire.Path(path[2], id), messageJSON("ann", "so [[redirect]]"))
				costs("stream", trailer, c.turnIn, c.turnOut)
			}
			trace := h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id=ann", "")
			if trace.want(200); !strings.Contains(string(trace.body), c.usageOfTheTurnTrace) {
				t.Errorf("the trace is %s", trace.body)
			}
		})
	}
}

func (h *harness) trailer(who, path, body string) http.Header {
	h.Helper()
	r := assert.Value(http.NewRequestWithContext(h.Context(), "POST", h.URL()+path, strings.NewReader(body)))(h)
	if r.Header.Set("Content-Type", api.ContentJSON); who != "" {
		r.Header.Set(wire.HeaderAPIKey, who)
		r.Header.Set(wire.HeaderLLMKey, llmKey)
	}
	r.Header.Set("Accept", api.ContentEvents)
	r.Close = true
	answer := assert.Value(http.DefaultTransport.RoundTrip(r))(h)
	defer answer.Body.Close()
	var text strings.Builder
	_, err := io.Copy(&text, answer.Body)
	assert.Must(h, err == nil && strings.Contains(text.String(), "event: done"), "%v: %s", err, text.String())
	assert.Equal(h, answer.Header.Get(wire.HeaderLLMTokensIn), "", "a stream's head cannot know what it costs")
	return answer.Trailer
}
