package hosted_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/personas/assert"
)

// fakeAskers replaces *provider.Client. Its askers answer with their names and their keys.
type fakeAskers struct {
	moved   bool
	asked   []string
	checked []string
	refuse  string
}

func (f *fakeAskers) ModelWithKey(m provider.KeyedModel) (provider.Asker, error) {
	switch {
	case m.Address != "":
		return f.findAsker("operator at "+m.Address, m.Name, m.Key)
	case m.ByOperator && strings.HasPrefix(m.Name, "ollama/"):
		return f.findAsker("operator", m.Name, llm.NewSecret("no-key"))
	case m.ByOperator:
		return f.findAsker("operator", m.Name, m.Key)
	}
	t, err := provider.ParseModelName(m.Name)
	if err != nil {
		return nil, err
	}
	if t.Provider == "ollama" {
		return nil, errors.New("the model " + m.Name + " is local, and callers cannot choose local models")
	}
	return f.findAsker("public", t.String(), m.Key)
}

func (f *fakeAskers) findAsker(where, name string, key llm.Secret) (provider.Asker, error) {
	model := where + " " + name + " " + key.Reveal()
	f.asked = append(f.asked, model)
	s := &scriptedAsker{name: name}
	s.play = func(context.Context, provider.Request, func(string) error) (provider.Answer, error) {
		return provider.Answer{}, errors.New(model)
	}
	return s, nil
}

func (f *fakeAskers) Check(ctx context.Context, asker provider.Asker) error {
	_, err := asker.Ask(ctx, provider.Request{}, nil)
	f.checked = append(f.checked, err.Error())
	if f.refuse != "" && strings.Contains(err.Error(), f.refuse) {
		return &provider.Error{Kind: provider.KeyRefused, Provider: "openai", Message: "openai refused the key"}
	}
	return nil
}

func (f *fakeAskers) HasCustomAddress(string) bool { return f.moved }

// The keys of the tests, each for one header.
var keys = map[string]llm.Secret{
	"main": llm.NewSecret("key-main"), "eval": llm.NewSecret("key-eval"), "response": llm.NewSecret("key-response"), "sum": llm.NewSecret("key-sum"),
}

// whoIsAsked returns the model and key of each step, or the error.
func whoIsAsked(t *testing.T, l hosted.CallerModels, c llm.Caller) (evaluation, response, summarization string) {
	t.Helper()
	m, err := l.With(c)
	if err != nil {
		said, _, _ := strings.Cut(err.Error(), ":")
		return "error: " + said, "", ""
	}
	input := inputOf(t)
	_, err1 := m.Evaluate(t.Context(), input)
	_, err2 := m.Reply(t.Context(), input, passed, func(string) error { return nil })
	_, err3 := m.Summarize(t.Context(), input, input.Recent)
	assert.Must(t, err1 != nil && err2 != nil && err3 != nil, "somebody answered")
	return err1.Error(), err2.Error(), err3.Error()
}

// TestCallerModelsTable compares models and keys of all choices with caller_models.txt.
func TestCallerModelsTable(t *testing.T) {
	var table strings.Builder
	for _, own := range []struct {
		name  string
		names hosted.ModelNames
		moved bool
	}{
		{"one model", hosted.ModelNames{Main: "openai/gpt-op"}, false},
		{"one model at an address of his own", hosted.ModelNames{Main: "openai/gpt-op"}, true},
		{"another model of the same provider evaluates", hosted.ModelNames{Main: "openai/gpt-op", Evaluation: "openai/gpt-judge"}, false},
		{"a model of another provider evaluates", hosted.ModelNames{Main: "openai/gpt-op", Evaluation: "anthropic/claude-judge"}, false},
		{"a local model", hosted.ModelNames{Main: "ollama/llama"}, false},
		{"a local model, another evaluates", hosted.ModelNames{Main: "ollama/llama", Evaluation: "openai/gpt-judge"}, false},
		{"a local model evaluates", hosted.ModelNames{Main: "openai/gpt-op", Evaluation: "ollama/llama"}, false},
		{"no model", hosted.ModelNames{}, false},
	} {
		t.Run(own.name, func(t *testing.T) {
			fmt.Fprintf(&table, "operator: %s (%s, evaluation %s)\n", own.name, orNone(own.names.Main), orNone(own.names.Evaluation))
			for _, main := range []string{"", own.names.Main, "openai/gpt-mine", "anthropic/claude-mine", "ollama/mine"} {
				for _, model := range []string{"", own.names.Evaluation, own.names.Main, "openai/gpt-step", "anthropic/claude-step", "ollama/step"} {
					for _, key := range []string{"", "eval"} {
						if main == "ollama/mine" && model+key != "" {
							continue
						}
						p := &fakeAskers{moved: own.moved}
						l := hosted.CallerModels{Operator: own.names, Providers: p}
						c := llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"], Model: main}, Evaluation: llm.ModelChoice{Key: keys[key], Model: model}}
						evaluation, response, summarization := whoIsAsked(t, l, c)
						checkKeys(t, p, c, own.names)
						assert.Equal(t, response, summarization, "%+v replies", c)
						row := fmt.Sprintf("  model %-22s eval %-22s %-8s -> %s", orNone(main), orNone(model), orNone(key), evaluation)
						if response != "" && response != evaluation {
							row += "; else " + response
						}
						if !strings.Contains(table.String()[strings.LastIndex(table.String(), "operator:"):], row[:strings.Index(row, "->")]) {
							table.WriteString(row + "\n")
						}
					}
				}
			}
		})
	}
	assert.Golden(t, filepath.Join("testdata", "caller_models.txt"), table.String())
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// checkKeys checks the rules themselves: which key each model may get.
func checkKeys(t *testing.T, p *fakeAskers, c llm.Caller, own hosted.ModelNames) {
	t.Helper()
	home, homeWhere := providerOf(own.Main), "operator"
	if c.Model != "" && c.Model != own.Main {
		home, homeWhere = providerOf(c.Model), "public"
	}
	for _, asked := range p.asked {
		parts := strings.Fields(asked)
		where, model, key := parts[0], parts[1], parts[2]
		assert.True(t, where != "operator" || slices.Contains([]string{own.Main, own.Evaluation}, model), "%+v: %s is none of the operator's models", c, model)
		if key == "key-main" && (providerOf(model) != home || where != homeWhere && (p.moved || where == "operator")) {
			t.Errorf("%+v: the main key is for %s, and went to %s %s", c, home, where, model)
		}
		assert.True(t, key != "key-eval" || c.Evaluation.Model == "" || providerOf(model) == providerOf(c.Evaluation.Model),
			"%+v: the evaluation's key is for %s, and went to %s", c, c.Evaluation.Model, model)
		assert.True(t, key != "key-eval" || c.Evaluation.Key.IsSet(), "%+v: a key from nowhere", c)
	}
}

func providerOf(name string) string {
	place, _, _ := strings.Cut(name, "/")
	return place
}

// TestCallerModels tests the rules one by one, for all three steps.
func TestCallerModels(t *testing.T) {
	own := hosted.ModelNames{Main: "openai/gpt-op", Evaluation: "anthropic/claude-judge", Summarization: "openai/gpt-sum"}
	step := func(key, model string) llm.ModelChoice { return llm.ModelChoice{Key: keys[key], Model: model} }
	for _, c := range []struct {
		name                                string
		caller                              llm.Caller
		evaluation, response, summarization string
	}{
		{"the operator's model by a shorter name", llm.Caller{ModelChoice: step("main", " gpt-op ")},
			"operator openai/gpt-op key-main", "operator openai/gpt-op key-main", "operator openai/gpt-sum key-main"},
		{"a model, and keys for steps", llm.Caller{ModelChoice: step("main", "groq/mine"), Evaluation: step("eval", ""), Response: step("response", ""), Summarization: step("sum", "")},
			"public groq/mine key-eval", "public groq/mine key-response", "public groq/mine key-sum"},
		{"models of one provider", llm.Caller{ModelChoice: step("main", "groq/mine"), Evaluation: step("", "groq/judge"), Response: step("", "groq/voice"), Summarization: step("", "groq/memory")},
			"public groq/judge key-main", "public groq/voice key-main", "public groq/memory key-main"},
		{"models of three providers", llm.Caller{ModelChoice: step("main", "groq/mine"), Evaluation: step("eval", "mistral/judge"), Response: step("response", "xai/voice")},
			"public mistral/judge key-eval", "public xai/voice key-response", "public groq/mine key-main"},
		{"one step's model beside the operator's", llm.Caller{ModelChoice: step("main", ""), Response: step("", "openai/gpt-voice")},
			"operator openai/gpt-op key-main", "public openai/gpt-voice key-main", "operator openai/gpt-sum key-main"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, r, s := whoIsAsked(t, hosted.CallerModels{Operator: own, Providers: &fakeAskers{}}, c.caller)
			assert.Equal(t, e, c.evaluation)
			assert.Equal(t, r, c.response)
			assert.Equal(t, s, c.summarization)
		})
	}
}

// TestCallerModelsErrors: an error is a sentence with the header and never contains a key.
func TestCallerModelsErrors(t *testing.T) {
	own := hosted.ModelNames{Main: "openai/gpt-op"}
	main := llm.ModelChoice{Key: keys["main"], Model: "groq/mine"}
	for want, c := range map[string]llm.Caller{
		"anthropic/claude in X-LLM-Eval-Model needs its own key in the header X-LLM-Eval-API-Key: the key in X-LLM-API-Key is for groq and is not sent elsewhere": {ModelChoice: main, Evaluation: llm.ModelChoice{Model: "anthropic/claude"}},
		"xai/grok in X-LLM-Response-Model needs its own key in the header X-LLM-Response-API-Key: the key in X-LLM-API-Key is for this server's own openai/gpt-op and is not sent elsewhere": {
			ModelChoice: llm.ModelChoice{Key: keys["main"]}, Response: llm.ModelChoice{Model: "xai/grok"}},
		"xai/grok in X-LLM-Summarization-Model needs its own key in the header X-LLM-Summarization-API-Key: the key in X-LLM-API-Key is for groq": {
			ModelChoice: main, Summarization: llm.ModelChoice{Model: "xai/grok"}},
		"X-LLM-Summarization-Model: there is no provider \"opnai\"; did you mean openai/?": {ModelChoice: main, Summarization: llm.ModelChoice{Model: "opnai/gpt"}},
		"X-LLM-Model: there is no provider \"grog\"; did you mean groq/?":                  {ModelChoice: llm.ModelChoice{Key: keys["main"], Model: "grog/x"}},
		"X-LLM-Model: the model ollama/mine is local":                                      {ModelChoice: llm.ModelChoice{Key: keys["main"], Model: "ollama/mine"}},
		"X-LLM-Eval-Model: the model ollama/mine is local":                                 {ModelChoice: main, Evaluation: llm.ModelChoice{Key: keys["eval"], Model: "ollama/mine"}},
		"X-LLM-Response-Model: the model ollama/mine is local":                             {ModelChoice: main, Response: llm.ModelChoice{Model: "ollama/mine"}},
		"groq/mine needs your key in the header X-LLM-API-Key":                             {ModelChoice: llm.ModelChoice{Model: "groq/mine"}},
	} {
		t.Run(want, func(t *testing.T) {
			for name, call := range map[string]func(hosted.CallerModels) error{
				"with":  func(l hosted.CallerModels) error { _, err := l.With(c); return err },
				"check": func(l hosted.CallerModels) error { _, err := l.Check(t.Context(), c); return err },
			} {
				err := call(hosted.CallerModels{Operator: own, Providers: &fakeAskers{}})
				assert.Must(t, err != nil, "%s", name)
				assert.True(t, strings.HasPrefix(err.Error(), want), "%s: %v, not %q", name, err, want)
				assert.NotContains(t, err.Error(), "key-", "%s", name)
			}
		})
	}
	_, err := hosted.CallerModels{Providers: &fakeAskers{}}.With(llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"]}})
	assert.Must(t, err != nil, "without any model")
	want := "this server has no model: choose one in the header X-LLM-Model, such as openai/gpt-4o-mini"
	assert.Equal(t, err.Error(), want)
}

// TestCallerWithoutKeysGetsServerModel: a caller without keys gets the server's own model.
func TestCallerWithoutKeysGetsServerModel(t *testing.T) {
	offline := scripted.New()
	m := assert.Value(hosted.CallerModels{Model: offline, Providers: &fakeAskers{}}.With(llm.Caller{}))(t)
	assert.Equal(t, m, llm.Model(offline))
}

// TestCallerModelsCheck: every model is checked once with its key.
func TestCallerModelsCheck(t *testing.T) {
	own := hosted.ModelNames{Main: "openai/gpt-op", Evaluation: "anthropic/claude-judge"}
	for _, c := range []struct {
		name    string
		caller  llm.Caller
		model   string
		checked []string
	}{
		{"the operator's", llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"]}}, "openai/gpt-op", []string{"operator openai/gpt-op key-main"}},
		{"two keys", llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"]}, Evaluation: llm.ModelChoice{Key: keys["eval"]}}, "openai/gpt-op",
			[]string{"operator openai/gpt-op key-main", "operator anthropic/claude-judge key-eval"}},
		{"two models", llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"], Model: "groq/mine"}, Response: llm.ModelChoice{Model: "groq/voice"}}, "groq/voice",
			[]string{"public groq/voice key-main", "public groq/mine key-main"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &fakeAskers{}
			model := assert.Value(hosted.CallerModels{Operator: own, Providers: p}.Check(t.Context(), c.caller))(t)
			assert.Equal(t, model, c.model)
			assert.EqualSlices(t, p.checked, c.checked)
		})
	}
	p := &fakeAskers{refuse: "key-eval"}
	caller := llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"]}, Evaluation: llm.ModelChoice{Key: keys["eval"]}}
	_, err := hosted.CallerModels{Operator: own, Providers: p}.Check(t.Context(), caller)
	e, ok := errors.AsType[*provider.Error](err)
	assert.True(t, ok && e.Kind == provider.KeyRefused, "a refused key: %v", err)
}

// providerServer answers like OpenAI and records the keys it receives.
type providerServer struct {
	*httptest.Server
	mu   sync.Mutex
	keys []string
}

func newProviderServer(t *testing.T) *providerServer {
	p := &providerServer{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r) // It is no Ollama.
			return
		}
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "logprobs") || strings.Contains(string(body), "questions") {
			http.Error(w, `{"error": {"message": "logprobs is not supported"}}`, http.StatusBadRequest)
			return
		}
		p.mu.Lock()
		p.keys = append(p.keys, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		p.mu.Unlock()
		message := map[string]string{"role": "assistant", "content": passes}
		json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}},
			"usage":   map[string]int{"prompt_tokens": 7, "completion_tokens": 3},
		})
	}))
	t.Cleanup(p.Close)
	return p
}

// takeKeys returns the keys that came since the last call.
func (p *providerServer) takeKeys() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.keys
	p.keys = nil
	return taken
}

// TestKeysOnTheWire: with the real client, a caller's key goes to the operator's
// address only for the operator's model, and the operator's key goes nowhere.
func TestKeysOnTheWire(t *testing.T) {
	theirs, his := newProviderServer(t), newProviderServer(t)
	client := provider.New(provider.Options{
		Env:     func(name string) string { return map[string]string{"OPENAI_API_KEY": "key-operator"}[name] },
		BaseURL: his.URL, Addresses: map[string]string{"openai": theirs.URL}, Version: "test",
	})
	t.Cleanup(client.Close)
	models := hosted.CallerModels{Operator: hosted.ModelNames{Main: "openai/gpt-op"}, Providers: client}
	for _, c := range []struct {
		name        string
		caller      llm.Caller
		theirs, his []string
		fault       string
	}{
		{"no model", llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"]}}, nil, []string{"key-main"}, ""},
		{"the operator's by name", llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"], Model: "gpt-op"}}, nil, []string{"key-main"}, ""},
		{"another", llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"], Model: "openai/gpt-mine"}}, []string{"key-main"}, nil, ""},
		{"a judge with a key", llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"]}, Evaluation: llm.ModelChoice{Key: keys["eval"], Model: "openai/gpt-judge"}}, []string{"key-eval"}, nil, ""},
		{"a judge without one", llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"]}, Evaluation: llm.ModelChoice{Model: "openai/gpt-judge"}}, nil, nil, "X-LLM-Eval-API-Key"},
		{"a local model", llm.Caller{ModelChoice: llm.ModelChoice{Key: keys["main"], Model: "ollama/llama3.2"}}, nil, nil, "callers cannot choose local models"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := models.With(c.caller)
			if c.fault != "" {
				assert.ErrorContains(t, err, c.fault)
				return
			}
			assert.NoError(t, err)
			e, err := m.Evaluate(t.Context(), inputOf(t))
			assert.NoError(t, err)
			assert.Equal(t, len(e.Matches), 1)
			assert.Equal(t, e.Usage.In, 7)
			assert.Equal(t, e.Usage.Out, 3)
			at, there := theirs.takeKeys(), his.takeKeys()
			assert.True(t, slices.Equal(at, c.theirs) && slices.Equal(there, c.his), "the provider got %q and the operator's address %q", at, there)
		})
	}
}
