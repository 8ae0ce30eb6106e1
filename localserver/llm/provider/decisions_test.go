package provider

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/assert"
)

// decisionRequest is a request with two options.
func decisionRequest(wire DecisionWire) Request {
	return Request{
		System: "A cat.", Messages: []llm.Message{{Role: "user", Text: `The message: "tuna"`}},
		Decision: &Decision{Wire: wire, Matter: "Does it belong?", Yes: "yes", No: "no", Verdict: "Which?", Options: []DecisionOption{{"pass", "offers fish"}, {"aside b", "no"}}},
	}
}

// serveDecisions starts a server that answers each call by the given function, and returns a
// client's model for it.
func serveDecisions(t *testing.T, model string, answer func(path string, body map[string]any) (int, string)) Asker {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var body map[string]any
		err := json.Unmarshal(raw, &body)
		assert.True(t, err == nil, "%s: %v", raw, err)
		status, text := answer(r.URL.Path, body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	c := New(Options{BaseURL: s.URL, Addresses: map[string]string{"ollama": s.URL}, Env: func(string) string { return "" }})
	t.Cleanup(c.Close)
	a := assert.Value(c.OperatorModel(model))(t)
	return a
}

// TestDecisionWires: the requests in both formats match their documentation, and equivalent answers
// give the same result.
func TestDecisionWires(t *testing.T) {
	for _, c := range []struct {
		model, path string
		wire        DecisionWire
		answer      string
	}{
		{"nimble", "/v1/systemone", SystemOne, `{"answers": {"matter": {"type": "noul", "noul": 0.97}, "verdict": {"type": "choice", "choice": "pass", "probabilities": {"pass": 0.93, "aside b": 0.07}}}, "usage": {"input_tokens": 174, "output_tokens": 1}}`},
		{"ollama/nimble", "/v1/systemone", SystemOne, `{"answers": {"matter": {"type": "noul", "noul": 0.97}, "verdict": {"type": "choice", "probabilities": {"aside b": 0.07, "pass": 0.93}}}, "usage": {"input_tokens": 174, "output_tokens": 1}}`},
		{"nimble", "/v1/decisions", OpenAIDecisions, `{"answers": [{"type": "predicate", "name": "matter", "probability": 0.97}, {"type": "choice", "name": "verdict", "choice": "pass", "probabilities": [{"value": "pass", "probability": 0.93}, {"value": "aside b", "probability": 0.07}]}], "usage": {"input_tokens": 174, "output_tokens": 1, "input_tokens_details": {"cached_tokens": 150}}}`},
	} {
		t.Run(c.model+c.path, func(t *testing.T) {
			var asked map[string]any
			a := serveDecisions(t, c.model, func(path string, body map[string]any) (int, string) {
				asked = body
				assert.Equal(t, path, c.path, "asked at")
				return 200, c.answer
			})
			got, err := a.Ask(t.Context(), decisionRequest(c.wire), nil)
			slices.SortFunc(got.First, func(a, b TokenProbability) int { return strings.Compare(a.Token, b.Token) })
			want := []TokenProbability{{"aside b", 0.07}, {DecisionMatter, 0.97}, {"pass", 0.93}}
			assert.NoError(t, err)
			assert.EqualSlices(t, got.First, want)
			assert.Equal(t, got.Usage.In, 174)
			assert.Equal(t, got.Usage.Out, 1)
			assert.Equal(t, got.Finish, Stopped)
			text, _ := json.Marshal(asked)
			for _, part := range []string{`"model":"nimble"`, "A cat.", `The message: `, "offers fish", "Does it belong?"} {
				assert.Contains(t, string(text), part)
			}
			if c.wire == OpenAIDecisions && got.Usage.Cached != 150 {
				t.Errorf("%+v", got.Usage)
			}
		})
	}
}

// TestDecisionRefusals: a server without the call is Unsupported, for any wording of its error, and
// a refusal is Refused.
func TestDecisionRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		kind   Kind // "" for no error
	}{
		"no path":              {404, `404 page not found`, Unsupported},
		"no model for it":      {404, `{"error": {"message": "model not found"}}`, Unsupported},
		"another method":       {405, `{"detail": "Method Not Allowed"}`, Unsupported},
		"not implemented":      {501, `{"error": {"message": "This server does not support decisions"}}`, Unsupported},
		"a bad question":       {400, `{"error": "17 options, at most 16"}`, Unsupported},
		"one that is no shape": {422, `{"detail": "invalid"}`, Unsupported},
		"no access":            {403, `{"error": {"message": "no access to decisions"}}`, Unsupported},
		"a chat answer":        {200, `{"choices": []}`, Unsupported},
		"a bad key":            {401, `{"error": {"message": "bad key"}}`, KeyMissing},
		"a refusal":            {200, `{"answers": [{"type": "refusal", "name": "verdict"}, {"type": "predicate", "name": "matter", "probability": 1}]}`, ""},
		"nothing answered":     {200, `{"answers": {}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			a := serveDecisions(t, "nimble", func(string, map[string]any) (int, string) { calls++; return c.status, c.body })
			got, err := a.Ask(t.Context(), decisionRequest(OpenAIDecisions), nil)
			e, _ := errors.AsType[*Error](err)
			if (err == nil) != (c.kind == "") || err != nil && (e == nil || e.Kind != c.kind) {
				t.Errorf("%+v, %v", got, err)
			}
			if want := Refused; name == "a refusal" && got.Finish != want || calls > 1 {
				t.Errorf("%+v after %d calls", got, calls)
			}
		})
	}
}

// TestProvidersWithoutDecisions: providers that are known for none are not asked.
func TestProvidersWithoutDecisions(t *testing.T) {
	c := New(Options{Env: func(name string) string {
		if strings.HasSuffix(name, "_API_KEY") {
			return "a-key-of-some-length"
		}
		return ""
	}, Addresses: map[string]string{"anthropic": "http://127.0.0.1:1", "groq": "http://127.0.0.1:1"}})
	t.Cleanup(c.Close)
	for _, model := range []string{"anthropic/claude-x", "groq/llama-x", "gemini/g"} {
		a, err := c.OperatorModel(model)
		assert.NoError(t, err)
		_, err = a.Ask(t.Context(), decisionRequest(SystemOne), nil)
		e, ok := errors.AsType[*Error](err)
		assert.True(t, ok && e.Kind == Unsupported, "%s: %v", model, err)
	}
}
