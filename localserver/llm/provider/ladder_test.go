package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

const verdict = `{"holds":[1]}`

// rungOf returns the rung of the schema ladder with which JSON was asked for.
func rungOf(r llmtest.Request) int {
	switch {
	case len(r.Schema) > 0 && !strings.Contains(string(r.Body), "output_config"):
		return rungSchema
	case r.JSON:
		return rungJSON
	}
	return rungWords
}

// refusesAbove takes no way of asking for JSON that is better than a rung.
func refusesAbove(rung int) func(llmtest.Request) llmtest.Script {
	return func(r llmtest.Request) llmtest.Script {
		if rungOf(r) < rung {
			return llmtest.Script{Failure: &llmtest.Failure{
				Status: 400, Type: "invalid_request_error", Message: "This response_format type is unavailable now",
			}}
		}
		if rung == rungWords {
			return llmtest.Script{Text: "Gladly!\n```json\n" + verdict + "\n```\nAnything else?"}
		}
		return llmtest.Script{Text: verdict}
	}
}

// TestLadder: what a provider refuses is asked for one rung lower, then always there.
func TestLadder(t *testing.T) {
	for _, model := range models {
		for rung := rungSchema; rung <= rungWords; rung++ {
			t.Run(model+"/"+strconv.Itoa(rung), func(t *testing.T) {
				d := llmtest.New(refusesAbove(rung))
				s := newFakeProvider(t, d)
				a := s.newAsker(t, model)
				for i := range 2 {
					answer, pieces := mustAsk(t, a, schemaRequest(), i == 1)
					if answer.Text != verdict || i == 1 && len(pieces) != 1 {
						t.Errorf("%+v in %q", answer, pieces)
					}
				}
				assert.Equal(t, len(d.TextRequests()), rung+2, "asked")
				if last := d.LastRequest(); rungOf(last) != rung || last.Stream || (rung == rungWords) != strings.Contains(last.System, "additionalProperties") && rung != rungJSON {
					t.Errorf("rung %d: %s", rungOf(last), last.Body)
				}
				mustAsk(t, a, fullRequest(), true)
				other := s.newAsker(t, model+"-other")
				if mustAsk(t, other, schemaRequest(), false); len(d.TextRequests()) != rung+3+rung+1 {
					t.Errorf("what one model refused was held against another")
				}
			})
		}
	}
}

// The newest models of Anthropic refuse a tool that must be used, in words that
// name neither format nor schema, and think in any case.
func TestAnthropicModelsThatAlwaysThink(t *testing.T) {
	d := llmtest.New(func(r llmtest.Request) llmtest.Script {
		switch {
		case strings.Contains(string(r.Body), "tool_choice"):
			return llmtest.Script{Failure: &llmtest.Failure{
				Status: 400, Type: "invalid_request_error",
				Message: `tool_choice: type "tool" and "any" are not supported for this model.`,
			}}
		case r.Temperature != nil:
			return llmtest.Script{Failure: &llmtest.Failure{Status: 400, Type: "invalid_request_error", Message: "`temperature` is deprecated for this model."}}
		case r.MaxTokens < 1000:
			return llmtest.Script{Finish: "length"}
		}
		return llmtest.Script{Text: verdict}
	})
	a := newFakeProvider(t, d).newAsker(t, "anthropic/claude-new")
	answer, _ := mustAsk(t, a, schemaRequest(), false)
	assert.Equal(t, answer.Text, verdict)
	assert.Equal(t, len(d.TextRequests()), 4)
	assert.Contains(t, string(d.LastRequest().Body), `"output_config":{"effort":"low","format":{"type":"json_schema"`)
	if mustAsk(t, a, schemaRequest(), false); len(d.TextRequests()) != 5 {
		t.Errorf("asked %d times", len(d.TextRequests()))
	}
}

// At the bottom of the ladder a refusal is an error.
func TestLadderEnds(t *testing.T) {
	d := llmtest.New(llmtest.Sequence(llmtest.Script{Failure: &llmtest.Failure{Status: 422, Message: "no"}}))
	_, _, err := askPieces(t, newFakeProvider(t, d).newAsker(t, "openai/gpt-4o"), schemaRequest(), false)
	mustFail(t, err, BadRequest)
	assert.Equal(t, len(d.TextRequests()), 3, "asked")
}

// Members that a server does not take are left out, and stay out.
func TestQuirks(t *testing.T) {
	refuses := func(model, member, words string) {
		t.Helper()
		d := llmtest.New(func(r llmtest.Request) llmtest.Script {
			var top map[string]json.RawMessage
			if json.Unmarshal(r.Body, &top) != nil || top[member] != nil && member != "generationConfig" || strings.Contains(string(r.Body), "thinkingLevel") {
				return llmtest.Script{Failure: &llmtest.Failure{Status: 400, Message: words}}
			}
			return llmtest.Script{Text: "Hm."}
		})
		a := newFakeProvider(t, d).newAsker(t, model)
		mustAsk(t, a, fullRequest(), true)
		assert.Equal(t, len(d.TextRequests()), 2, "%s without %s: asked", model, member)
		if mustAsk(t, a, fullRequest(), true); len(d.TextRequests()) != 3 {
			t.Errorf("%s: %s was not remembered", model, member)
		}
	}
	refuses("openai/m", "stream_options", "Unrecognized request argument supplied: stream_options")
	refuses("openai/m", "temperature", "Unsupported value: 'temperature' does not support 0.5 with this model.")
	refuses("openai/m", "max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	refuses("openai/gpt-5.4", "max_completion_tokens", "extra_forbidden: max_completion_tokens")
	refuses("openai/gpt-5.4", "reasoning_effort", "Unrecognized request argument supplied: reasoning_effort")
	refuses("anthropic/claude-new", "temperature", "`temperature` is deprecated for this model.")
	refuses("gemini/gemini-3-flash", "generationConfig", "Invalid JSON payload received. Unknown name \"thinkingLevel\"")
	refuses("ollama/m", "think", `"m" does not support thinking`)
}

// A model that uses up its tokens for thinking gets more tokens.
func TestRoomToThink(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		d := llmtest.New(func(r llmtest.Request) llmtest.Script {
			if r.MaxTokens < 1000 {
				return llmtest.Script{Finish: "length"}
			}
			return llmtest.Script{Text: "Hm."}
		})
		a := newFakeProvider(t, d).newAsker(t, model)
		for range 2 {
			answer, _ := mustAsk(t, a, fullRequest(), stream)
			assert.Equal(t, answer.Text, "Hm.", "%+v", answer)
		}
		assert.Equal(t, len(d.TextRequests()), 3)
		assert.Equal(t, d.LastRequest().MaxTokens, 300+thinkingRoom)
	})
	d := llmtest.New(llmtest.Sequence(llmtest.Script{Finish: "length"}))
	_, _, err := askPieces(t, newFakeProvider(t, d).newAsker(t, "openai/m"), fullRequest(), false)
	mustFail(t, err, Down)
	assert.Equal(t, len(d.TextRequests()), 2, "asked")
}

// TestOllamaWindow: Ollama gets a larger window for long conversations, in steps.
func TestOllamaWindow(t *testing.T) {
	d := llmtest.New(nil)
	a := newFakeProvider(t, d).newAsker(t, "ollama/m")
	window := func(size int) string {
		t.Helper()
		r := fullRequest()
		r.System = strings.Repeat("x", size)
		mustAsk(t, a, r, false)
		_, after, _ := strings.Cut(string(d.LastRequest().Body), `"num_ctx":`)
		number, _, _ := strings.Cut(after, "}")
		return number
	}
	for _, c := range []struct {
		size int
		want string
	}{{100, ""}, {10000, ""}, {13000, "8192"}, {100, "8192"}, {60000, "32768"}, {200000, "32768"}} {
		t.Run(fmt.Sprint(c.size, " bytes"), func(t *testing.T) { assert.Equal(t, window(c.size), c.want, "%d bytes: window", c.size) })
	}
}

// What is remembered stays bounded however many models are named.
func TestMemoryIsBounded(t *testing.T) {
	m := newQuirkMemory()
	for i := range maxQuirks + 50 {
		m.remember(strconv.Itoa(i), quirks{rung: rungJSON})
		m.remember("none"+strconv.Itoa(i), quirks{})
	}
	n, _ := m.cache.Size()
	assert.Equal(t, n, maxQuirks)
	assert.Equal(t, m.recall(strconv.Itoa(maxQuirks+49)).rung, rungJSON)
}

// decisionRequest is a request with two options.
func decisionRequest(wire DecisionWire) Request {
	return Request{
		System: "A cat.", Messages: []llm.Message{{Role: "user", Text: `The message: "tuna"`}},
		Decision: &Decision{Wire: wire, Matter: "Does it belong?", Yes: "yes", No: "no", Verdict: "Which?", Options: []DecisionOption{{"pass", "offers fish"}, {"aside b", "no"}}},
	}
}

// serveDecisions returns the model of a client. The client's server answers by a function.
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
	return assert.Value(c.OperatorModel(model))(t)
}

// TestDecisionWires: the requests in both formats match their documentation.
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
			assert.True(t, c.wire != OpenAIDecisions || got.Usage.Cached == 150, "%+v", got.Usage)
		})
	}
}

// TestDecisionRefusals: a server without the call is Unsupported; a refusal is Refused.
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
		a := assert.Value(c.OperatorModel(model))(t)
		_, err := a.Ask(t.Context(), decisionRequest(SystemOne), nil)
		e, ok := errors.AsType[*Error](err)
		assert.True(t, ok && e.Kind == Unsupported, "%s: %v", model, err)
	}
}
