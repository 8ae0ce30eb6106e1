package cmdtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
)

// act plays a persona as a model would. For a judgement it returns the decision in the message's
// mark, as in "fish [pass]". It does not answer a message with "[late]". For a reply it returns a
// fixed line.
func act(r llmtest.Request) llmtest.Script {
	s := llmtest.Script{In: 1000, Out: 20, Pieces: []string{"A purr", ", no more."}}
	said := r.LastMessage()
	if r.IsJudgement() {
		said = r.PlayerSaid()
	}
	if strings.Contains(said, "[late]") {
		s.Wait = make(chan struct{}) // Until the caller goes away.
	}
	if !r.IsJudgement() {
		return s
	}
	s.Pieces = []string{r.JudgedByMark()}
	return s
}

// StartActor starts an Ollama server with a model that plays.
func StartActor() *httptest.Server {
	return httptest.NewServer(llmtest.New(act).ListModels("llama3.2:latest", "llama3.2", "nomic-embed-text"))
}

// A ScriptedModel is a model with an OpenAI-compatible API. It returns the given texts in turn, and
// repeats the last one.
type ScriptedModel struct {
	*httptest.Server
	mu sync.Mutex
	// Keys contains the Authorization headers of the calls. Read it only when no call is running.
	Keys []string
}

// NewScriptedModel starts a ScriptedModel.
func NewScriptedModel(texts ...string) *ScriptedModel {
	w := &ScriptedModel{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" || json.NewDecoder(r.Body).Decode(&body) != nil {
			http.Error(answer, "unexpected", http.StatusNotFound)
			return
		}
		w.mu.Lock()
		w.Keys = append(w.Keys, r.Header.Get("Authorization"))
		text := texts[min(len(w.Keys), len(texts))-1]
		w.mu.Unlock()
		answer.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(answer).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop"}},
			"usage":   map[string]int{"prompt_tokens": 1200, "completion_tokens": 340},
		})
	}))
	return w
}

// ReadDraft returns a model's answers to the steps of a draft.
func ReadDraft(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(RepositoryRoot(t), "localserver/draft/testdata/harbour.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// IsPreparation reports whether the body of a request to a model contains the message "…".
// hosted.Model.Prepare sends that message instead of a player's. Such requests come in the
// background, so tests that count requests must skip them.
func IsPreparation(body []byte) bool {
	return bytes.Contains(body, []byte(`"content":"…"`)) || bytes.Contains(body, []byte(`\"…\"`))
}
