package hosted_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

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
			assert.True(t, err == nil && len(e.Holds) == 1 && e.Usage.In == 7 && e.Usage.Out == 3, "%+v, %v", e, err)
			at, there := theirs.takeKeys(), his.takeKeys()
			assert.True(t, slices.Equal(at, c.theirs) && slices.Equal(there, c.his), "the provider got %q and the operator's address %q", at, there)
		})
	}
}
