//go:build !windows

package chat_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// busyActor is a fake Ollama that is busy for some seconds at each of the given requests, counted from 1.
func busyActor(t *testing.T, status int, wait string, busy ...int32) string {
	t.Helper()
	actor := cmdtest.StartActor()
	t.Cleanup(actor.Close)
	target := assert.Value(url.Parse(actor.URL))(t)
	forward := cmdtest.NewProxyTo(target)
	var count atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.True(t, err == nil, err)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !strings.HasSuffix(r.URL.Path, "/chat") || cmdtest.IsPreparation(body) {
			forward.ServeHTTP(w, r)
			return
		}
		n := count.Add(1)
		for _, b := range busy {
			if n == b {
				w.Header().Set("Retry-After", wait)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, `{"error":"slow down"}`)
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestWaitsAreTold: say and line mode report waits for a model's provider on stderr, opening and turn.
func TestWaitsAreTold(t *testing.T) {
	t.Parallel()
	starter := assert.Value(filepath.Abs("../../personas/examples/starter.yaml"))(t)
	for _, c := range []struct {
		name, stdin string
		status      int
		want        string
		args        []string
	}{
		{"say", "", 429, "the model's provider has reached its rate limit; next attempt in 2s (Ctrl-C cancels)", []string{"localserver", "exec", "--seed", starter, "--llm", "ollama/llama3.2", "--llm-openings", "model", "--", os.Args[0], "say", "Biscuit", "Some fish? [pass]"}},
		{"say as it comes", "", 503, "the model's provider is busy; next attempt in 2s (Ctrl-C cancels)", []string{"localserver", "exec", "--seed", starter, "--llm", "ollama/llama3.2", "--llm-openings", "model", "--", os.Args[0], "say", "--stream", "Biscuit", "Some fish? [pass]"}},
		{"line mode", "Some fish? [pass]\n", 503, "The model's provider is busy: next attempt in 3 seconds.", []string{"chat", "--plain", "--llm", "ollama/llama3.2", "--llm-openings", "model", starter}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			p := exec.Command(os.Args[0], c.args...)
			var out, talk strings.Builder
			p.Stdin, p.Stdout, p.Stderr = strings.NewReader(c.stdin), &out, &talk
			p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "OLLAMA_HOST="+busyActor(t, c.status, "2", 1, 3), "HOME="+home, "PARLEY_CONFIG_DIR="+home, "PARLEY_STATE_DIR="+home)
			err := p.Run()
			assert.NoError(t, err, "%v\n%s%s", err, out.String(), talk.String())
			assert.Equal(t, strings.Count(talk.String(), c.want), 2, "%q is not told twice:\n%s\n%s", c.want, out.String(), talk.String())
			assert.Contains(t, out.String(), "A purr, no more.", "%q is not told twice:\n%s\n%s", c.want, out.String(), talk.String())
		})
	}
}

// TestLongWaitsAreToldOnTheScreen: waits are shown, and Esc ends them and returns the words.
func TestLongWaitsAreToldOnTheScreen(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]struct {
		busy  int32
		steps []struct{ keys, shows string }
	}{
		"the opening": {1, []struct{ keys, shows string }{{"", "provider's rate limit, next attempt in "}, {"", "s (Esc gives up)"}, {"\x1b", "Whom do you want to talk to?"}}},
		"a turn":      {2, []struct{ keys, shows string }{{"", "A purr, no more."}, {"Some fish?\r", "not sent yet, again in "}, {"\x1b", "› Some fish?"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "--llm", "ollama/llama3.2", "--llm-openings", "model", "Biscuit")
			p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "TMUX=", "HOME="+folder, "TMPDIR="+folder, "OLLAMA_HOST="+busyActor(t, 429, "60", steps.busy))
			at := newTerminalPlayerOf(t, p, 110, 30)
			for _, step := range steps.steps {
				at.types(step.keys, step.shows)
			}
			at.types("\x04")
			<-at.ended
			_ = p.Wait()
		})
	}
}
