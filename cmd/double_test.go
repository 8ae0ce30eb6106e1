package cmd_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// writer is a model at an OpenAI-compatible address that answers with one text
// after the other, and with the last one again and again.
type writer struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // bodies
	keys  []string
}

func newWriter(texts ...string) *writer {
	w := &writer{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" || json.NewDecoder(r.Body).Decode(&body) != nil {
			http.Error(answer, "unexpected", http.StatusNotFound)
			return
		}
		w.mu.Lock()
		w.asked, w.keys = append(w.asked, string(body)), append(w.keys, r.Header.Get("Authorization"))
		text := texts[min(len(w.asked), len(texts))-1]
		w.mu.Unlock()
		answer.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(answer).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop"}},
			"usage":   map[string]int{"prompt_tokens": 1200, "completion_tokens": 340},
		})
	}))
	return w
}

// drafted is a sound draft as a model writes it.
func drafted(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../localserver/draft/testdata/harbour.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// startWriter is the scripts' command writer FILE...: a model that answers with
// the files' contents in turn. It sets $LLM_URL and a key for it.
func startWriter(ts *testscript.TestScript, _ bool, args []string) {
	var texts []string
	for _, name := range args {
		texts = append(texts, ts.ReadFile(name))
	}
	w := newWriter(texts...)
	ts.Defer(w.Close)
	ts.Setenv("LLM_URL", w.URL)
	ts.Setenv("OPENAI_API_KEY", "sk-of-a-script")
}
