// Package cmdtest isolates tests of commands from the environment and captures their output. It
// imports no command package.
package cmdtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
)

// A Buffer collects output. It is safe for concurrent use.
type Buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Await waits until the buffer contains text the given number of times.
func (b *Buffer) Await(t *testing.T, text string, times int) {
	t.Helper()
	for limit := time.Now().Add(Timeout); strings.Count(b.String(), text) < times; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%q was not said %d times:\n%s", text, times, b)
		}
	}
}

// Timeout is a timeout for a process on a busy machine.
const Timeout = time.Minute

// NewAccess returns an Access with temporary directories and the environment env. out and talk
// receive stdout and stderr.
func NewAccess(t *testing.T, env map[string]string) (a *service.Access, out, talk *Buffer) {
	t.Helper()
	home := t.TempDir()
	surroundings := map[string]string{"HOME": home, "PARLEY_CONFIG_DIR": filepath.Join(home, "c"),
		"PARLEY_DATA_DIR": filepath.Join(home, "d"), "PARLEY_STATE_DIR": filepath.Join(home, "s")}
	maps.Copy(surroundings, env)
	out, talk = &Buffer{}, &Buffer{}
	s := &cli.Streams{
		In: strings.NewReader(""), Out: &cli.CheckedWriter{Writer: out}, Err: talk, Now: time.Now,
		Lookup: func(name string) (string, bool) { v, ok := surroundings[name]; return v, ok },
	}
	s.Style = s.NewStyle()
	return &service.Access{Environment: &service.Environment{Streams: s}, NewID: service.NewID}, out, talk
}

// Run executes args in a tree of the given commands and returns the exit code.
func Run(ctx context.Context, a *service.Access, args []string, commands ...*cobra.Command) int {
	root := &cobra.Command{Use: "parley", SilenceUsage: true, SilenceErrors: true}
	service.AddGlobalFlags(root, a)
	root.AddCommand(commands...)
	return service.Execute(ctx, a, root, args)
}

// RefuseWith returns a handler that responds with status and a Retry-After of one hour.
func RefuseWith(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error": {"code": "refused", "message": "this server refuses"}}`)
	}
}

const EndlessPersona = `
name: Echo
description: Answers for ever.
persona_identity_prompt: You answer for ever.
machines:
  - machine_key: hall
    scoring_mode: pass_fail
    states:
      - {state_key: hall, is_initial_state: true}
      - {state_key: end, is_terminal_state: true}
    transitions:
      - {from_state_key: hall, to_state_key: end, decision_type: pass, condition: leaves}
`

const AnyID = "01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11"

func WritePersonaFile(t *testing.T) (folder, file string) {
	t.Helper()
	folder = t.TempDir()
	file = filepath.Join(folder, "echo.yaml")
	if err := os.WriteFile(file, []byte(EndlessPersona), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder, file
}

// CountLocked returns the number of entries in the parley.lock of a directory.
func CountLocked(t testing.TB, folder string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "parley.lock"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "- file: ")
}

// act returns the decision in a mark, as in "fish [pass]". It never answers "[late]".
func act(r llmtest.Request) llmtest.Script {
	s := llmtest.Script{In: 1000, Out: 20, Pieces: []string{"A purr", ", no more."}}
	message := r.LastMessage()
	if r.IsJudgement() {
		message = r.PlayerSaid()
	}
	if strings.Contains(message, "[late]") {
		s.Wait = make(chan struct{}) // until the caller goes away
	}
	if !r.IsJudgement() {
		return s
	}
	s.Pieces = []string{r.JudgedByMark()}
	return s
}

func StartActor() *httptest.Server {
	return httptest.NewServer(llmtest.New(act).ListModels("llama3.2:latest", "llama3.2", "nomic-embed-text"))
}

// A ScriptedModel returns the given texts in turn, and then repeats the last text.
type ScriptedModel struct {
	*httptest.Server
	mu sync.Mutex
	// Keys contains the Authorization headers of all calls. Read Keys only between calls.
	Keys []string
}

func NewScriptedModel(texts ...string) *ScriptedModel {
	w := &ScriptedModel{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" ||
			json.NewDecoder(r.Body).Decode(&body) != nil {
			http.Error(answer, "unexpected", http.StatusNotFound)
			return
		}
		w.mu.Lock()
		w.Keys = append(w.Keys, r.Header.Get("Authorization"))
		text := texts[min(len(w.Keys), len(texts))-1]
		w.mu.Unlock()
		answer.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(answer).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text},
				"finish_reason": "stop"}},
			"usage": map[string]int{"prompt_tokens": 1200, "completion_tokens": 340},
		})
	}))
	return w
}

// ReadDraft returns recorded model responses for the steps of a draft.
func ReadDraft(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(RepositoryRoot(t), "localserver/draft/testdata/harbour.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// IsPreparation reports whether body comes from hosted.Model.Prepare, in the background.
func IsPreparation(body []byte) bool {
	return bytes.Contains(body, []byte(`"content":"…"`)) || bytes.Contains(body, []byte(`\"…\"`))
}
