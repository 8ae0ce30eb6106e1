package provider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
)

// localDouble starts a double at an address of this machine; version is its reported version as an
// Ollama.
func localDouble(t *testing.T, d *llmtest.Double, version string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, r.Header.Get("Authorization"), "", "%s came with a key", r.URL.Path)
		if r.URL.Path == "/api/version" && version != "" {
			_, _ = w.Write([]byte(`{"version": "` + version + `"}`))
			return
		}
		d.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// deciding makes a double that refuses an empty question for a decision.
func deciding(d *llmtest.Double) *llmtest.Double {
	return d.Decide(llmtest.SystemOne, func(llmtest.Request) llmtest.Decided {
		return llmtest.Decided{Failure: &llmtest.Failure{Status: 422, Message: "questions is missing"}}
	})
}

// TestFindLocal: servers of this machine are found with their models and methods. They get no
// key, and a server on another machine is not asked.
func TestFindLocal(t *testing.T) {
	env := map[string]string{
		"OLLAMA_HOST":          localDouble(t, llmtest.New(nil).ListModels("llama3.2", "a-embed"), "0.17.4"),
		"LM_STUDIO_API_BASE":   localDouble(t, deciding(llmtest.New(nil).ListModels("qwen")), ""),
		"LLAMACPP_API_BASE":    "http://127.0.0.1:9",
		"HOSTED_VLLM_API_BASE": "http://models.example.com/v1",
		"OLLAMA_API_KEY":       testKey, "LM_STUDIO_API_KEY": testKey,
	}
	c := New(Options{Env: func(name string) string { return env[name] }})
	defer c.Close()
	found := c.FindLocal(t.Context())
	var got []string
	for _, l := range found {
		got = append(got, l.Title+" "+l.ChatModel()+" "+strings.Join(l.Judges, "+"))
	}
	want := []string{"Ollama ollama/llama3.2 letter+json", "LM Studio lmstudio/qwen decisions+letter+json", "llama.cpp  ", "vLLM  "}
	assert.EqualSlices(t, got, want)
	vllm := found[3]
	assert.True(t, !vllm.Asked && vllm.Address == "", "another machine: %+v", vllm)
}

// TestOllamaVersions: only an Ollama that reports the probabilities of tokens judges by letter.
func TestOllamaVersions(t *testing.T) {
	for version, want := range map[string]string{"0.12.11": "letter+json", "0.12.10": "json", "0.9.6": "json", "1.0.0-rc1": "letter+json", "0.13": "letter+json", "new": "json", "": "json", "0.0.0": "letter+json"} {
		t.Run(version, func(t *testing.T) {
			address := localDouble(t, llmtest.New(nil).ListModels("m"), version)
			c := New(Options{Env: func(name string) string { return map[string]string{"OLLAMA_HOST": address}[name] }, Addresses: map[string]string{
				"lmstudio": "http://127.0.0.1:9", "llamacpp": "http://127.0.0.1:9", "vllm": "http://127.0.0.1:9",
			}})
			defer c.Close()
			assert.Equal(t, strings.Join(c.FindLocal(t.Context())[0].Judges, "+"), want)
		})
	}
}

// TestFindLocalIsBounded: servers that never answer, answer without an end or send somewhere
// else cost one short time together.
func TestFindLocalIsBounded(t *testing.T) {
	var mu sync.Mutex
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		elsewhere = append(elsewhere, r.URL.Path)
	}))
	defer other.Close()
	serve := func(handler http.HandlerFunc) string {
		s := httptest.NewServer(handler)
		t.Cleanup(s.CloseClientConnections)
		t.Cleanup(s.Close)
		return s.URL
	}
	c := New(Options{Limits: Limits{Probe: 300 * time.Millisecond, Body: 1 << 16}, Addresses: map[string]string{
		"ollama": serve(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
		"lmstudio": serve(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write([]byte(`{"data": [` + strings.Repeat(" ", 1<<12))); err != nil {
					return
				}
			}
		}),
		"llamacpp": serve(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/v1/models", http.StatusFound)
		}),
		"vllm": serve(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello</html>")) }),
	}})
	defer c.Close()
	began := time.Now()
	for _, l := range c.FindLocal(t.Context()) {
		assert.True(t, len(l.Models) == 0 && l.Err != nil, "%+v", l)
	}
	took := time.Since(began)
	assert.True(t, took <= 10*time.Second, "it took %s", took)
	if mu.Lock(); len(elsewhere) > 0 {
		t.Errorf("a redirect was followed: %q", elsewhere)
	}
	mu.Unlock()
}
