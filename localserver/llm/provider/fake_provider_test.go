package provider

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// testKey has an unusual format, so that patterns do not hide it by chance.
const testKey = "Tk7qWz-91.hUjL_x3"

// models are a model of each format, with the provider that it is asked at.
var models = []string{"openai/gpt-4o", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.0-flash", "ollama/llama3.2:3b"}

// fakeProvider is a client that uses one double for all providers.
type fakeProvider struct {
	*Client
	double *llmtest.Double
	server *httptest.Server
	// waits are the durations that the client would have slept.
	waits []time.Duration
}

func newFakeProvider(t testing.TB, d *llmtest.Double, change ...func(*Options)) *fakeProvider {
	t.Helper()
	server := httptest.NewServer(d)
	s := &fakeProvider{double: d, server: server}
	o := Options{Version: "test", Addresses: everyAddress(server.URL), Rand: func() float64 { return 0 }}
	o.Sleep = func(ctx context.Context, wait time.Duration) error {
		s.waits = append(s.waits, wait)
		return ctx.Err()
	}
	for _, c := range change {
		c(&o)
	}
	s.Client = New(o)
	t.Cleanup(func() {
		s.Close()
		server.Close()
	})
	return s
}

// everyAddress maps every provider to one address.
func everyAddress(address string) map[string]string {
	all := map[string]string{}
	for _, p := range Providers {
		all[p.Name] = address
	}
	return all
}

// newAsker returns a model with the test's key.
func (f *fakeProvider) newAsker(t testing.TB, name string) Asker {
	t.Helper()
	return assert.Value(f.ModelWithKey(KeyedModel{Name: name, Key: llm.NewSecret(testKey), ByOperator: true}))(t)
}

// fullRequest returns a request with everything but a schema.
func fullRequest() Request {
	warm := 0.5
	return Request{
		Step: "response", System: "You are Mara, a harbour master.",
		Messages:    []llm.Message{{Role: "user", Text: "Notes."}, {Role: "assistant", Text: "What <do> you want?"}, {Role: "user", Text: "A ship & a crew. Ähem."}},
		Temperature: &warm, MaxTokens: 300,
	}
}

// schemaRequest returns a request for JSON.
func schemaRequest() Request {
	r := fullRequest()
	r.Schema = &Schema{Name: "verdict", JSON: []byte(`{"type":"object","properties":{"holds":{"type":"array","items":{"type":"integer"}}},"required":["holds"],"additionalProperties":false}`)}
	return r
}

// askPieces asks and returns the answer and the pieces.
func askPieces(t testing.TB, a Asker, r Request, stream bool) (Answer, []string, error) {
	t.Helper()
	var pieces []string
	var emit func(string) error
	if stream {
		emit = func(delta string) error {
			pieces = append(pieces, delta)
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answer, err := a.Ask(ctx, r, emit)
	assert.True(t, !stream || err != nil || strings.Join(pieces, "") == answer.Text, "the pieces %q are not the text %q", pieces, answer.Text)
	return answer, pieces, err
}

func mustAsk(t testing.TB, a Asker, r Request, stream bool) (Answer, []string) {
	t.Helper()
	answer, pieces, err := askPieces(t, a, r, stream)
	assert.NoError(t, err)
	return answer, pieces
}

// mustFail checks that err is an *Error of a kind and returns it.
func mustFail(t testing.TB, err error, kind Kind) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	assert.Must(t, ok && e.Kind == kind, "%T of the kind %v, want %s: %v", err, e, kind, err)
	return e
}

// runInEach runs a test for each format, whole and as a stream.
func runInEach(t *testing.T, run func(t *testing.T, model string, stream bool)) {
	t.Helper()
	for _, model := range models {
		name, _, _ := strings.Cut(model, "/")
		t.Run(name+"/whole", func(t *testing.T) { run(t, model, false) })
		t.Run(name+"/stream", func(t *testing.T) { run(t, model, true) })
	}
}

// countConnections counts the different remote addresses of requests.
func countConnections(s *fakeProvider) func() int {
	seen := map[string]bool{}
	inner := s.server.Config.Handler
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen[r.RemoteAddr] = true
		inner.ServeHTTP(w, r)
	})
	return func() int { return len(seen) }
}

// streamOf returns a streamed answer of a double as it travels.
func streamOf(t testing.TB, d *llmtest.Double, model string) []byte {
	t.Helper()
	r := fullRequest()
	target := assert.Value(ParseModelName(model))(t)
	p, _ := FindProvider(target.Provider)
	path, message := formats[p.Format].buildRequest(target.Model, r, quirks{}, true)
	body := assert.Value(encodeJSON(message))(t)
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(body))))
	return w.Body.Bytes()
}
