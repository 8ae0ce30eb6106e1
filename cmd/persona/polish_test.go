//go:build !windows

package persona_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

// polishStarter returns the command `parley persona polish` for a copy of the sample starter.
func polishStarter(t *testing.T, model string, args ...string) (p *exec.Cmd, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "cat.yaml")
	assert.NoError(t, os.WriteFile(file, assert.Value(examples.Read("starter"))(t), 0o600))
	p = exec.Command(os.Args[0], append([]string{"persona", "polish", file, "--llm", "openai/gpt-x", "--llm-base-url", model}, args...)...)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm", "HOME="+t.TempDir(), "OPENAI_API_KEY=sk-of-a-test")
	return p, file
}

func TestPolishAsks(t *testing.T) {
	t.Parallel()
	model := cmdtest.NewScriptedModel(`{"text": "Awake, {{player_name}}. Speak."}`)
	defer model.Close()
	for answer, applied := range map[string]bool{"y\r": true, "Yes\r": true, "\r": false, "n\r": false, "perhaps\r": false} {
		p, file := polishStarter(t, model.URL, "--field", "machines[0].states[0].offline.opening[0]")
		shown := cmdtest.RunOnTerminal(t, p, 24, 80, "", answer)
		assert.Equal(t, p.ProcessState.ExitCode(), 0, "%q: exit code %s", answer, shown)
		now := assert.Value(os.ReadFile(file))(t)
		got := strings.Contains(string(now), "Awake, {{player_name}}. Speak.")
		assert.Equal(t, got, applied, "%q: applied %v, want %v\n%s", answer, got, applied, shown)
		assert.Contains(t, shown, "Apply the change to", "%q: applied %v, want %v\n%s", answer, got, applied, shown)
		assert.Contains(t, shown, "openai/gpt-x rewrites", answer)
		assert.NotContains(t, shown, "sk-of-a-test", answer)
	}
	for _, key := range model.Keys {
		assert.Equal(t, key, "Bearer sk-of-a-test", "the model got the key")
	}
}

// TestWriterTellsWaits: the writer reports waits for the model's provider, also without a terminal.
func TestWriterTellsWaits(t *testing.T) {
	t.Parallel()
	asked := 0
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if asked++; asked == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"{\"text\": \"Awake, {{player_name}}.\"}"},"finish_reason":"stop"}]}`)
	}))
	defer model.Close()
	p, _ := polishStarter(t, model.URL, "--field", "machines[0].states[0].offline.opening[0]")
	var talk strings.Builder
	p.Stderr = &talk
	if err := p.Run(); err != nil || !strings.Contains(talk.String(), "the model's provider has reached its rate limit; next attempt in 1s (Ctrl-C cancels)") {
		t.Errorf("%v: it says\n%s", err, talk.String())
	}
}

const herringExample = `{"examples": [{"decision": "pass", "to": "none", "say": "Here is a herring", "answer": ""}]}`

// hangingModel answers some requests as another model does, then reports a request and hangs.
func hangingModel(t *testing.T, inner *cmdtest.ScriptedModel, answers int) (address string, asked chan struct{}) {
	asked, over := make(chan struct{}, 1), make(chan struct{})
	count := 0
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if count++; count <= answers {
			inner.Config.Handler.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	t.Cleanup(func() {
		close(over)
		model.Close()
		inner.Close()
	})
	return model.URL, asked
}

// TestCtrlCWhilePolishing: a step that was written before an interruption is kept with --apply.
func TestCtrlCWhilePolishing(t *testing.T) {
	t.Parallel()
	for answered := range 2 {
		address, asked := hangingModel(t, cmdtest.NewScriptedModel(herringExample), answered)
		p, file := polishStarter(t, address, "--field", "offline", "--apply")
		assert.NoError(t, p.Start())
		<-asked
		assert.NoError(t, p.Process.Signal(os.Interrupt))
		_ = p.Wait()
		now, err := os.ReadFile(file)
		if code := p.ProcessState.ExitCode(); err != nil || code != 130 || strings.Contains(string(now), "Here is a herring") != (answered > 0) {
			t.Errorf("after %d steps: exit code %d, %v\n%s", answered, code, err, now)
		}
	}
}

// TestCtrlCWhileDrafting: an interrupted draft ends at once, with a marked file after the first step.
func TestCtrlCWhileDrafting(t *testing.T) {
	t.Parallel()
	for answered := range 2 {
		t.Run(fmt.Sprint(answered, " steps answered"), func(t *testing.T) {
			t.Parallel()
			inner := cmdtest.NewScriptedModel(`{"name": "Ilse", "description": "A harbour master.", "persona_identity_prompt": "You are Ilse."}`)
			address, asked := hangingModel(t, inner, answered)
			p := exec.Command(os.Args[0], "persona", "new", "a.yaml", "--generate", "a harbour master", "--llm", "openai/gpt-x", "--llm-base-url", address)
			p.Dir = t.TempDir()
			p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir(), "OPENAI_API_KEY=sk-of-a-test")
			var talk bytes.Buffer
			p.Stderr = &talk
			assert.NoError(t, p.Start())
			<-asked
			assert.NoError(t, p.Process.Signal(os.Interrupt))
			_ = p.Wait()
			left, err := os.ReadDir(p.Dir)
			code := p.ProcessState.ExitCode()
			assert.Equal(t, code, 130, "exit code %d, %v left, %s", code, left, talk.String())
			assert.NoError(t, err, "exit code %d, %v left, %s", code, left, talk.String())
			assert.Equal(t, len(left), answered, "exit code %d, %v left, %s", code, left, talk.String())
			if answered == 0 {
				return
			}
			written, err := os.ReadFile(filepath.Join(p.Dir, "a.yaml"))
			if err != nil || !bytes.Contains(written, []byte("name: Ilse\ndescription: A harbour master.\n")) ||
				!bytes.Contains(written, []byte("# to do: from the template")) {
				t.Errorf("%v\n%s", err, written)
			}
		})
	}
}

// TestPolishOverAChange: a file that somebody changes while the model writes is left alone.
func TestPolishOverAChange(t *testing.T) {
	t.Parallel()
	source := assert.Value(examples.Read("starter"))(t)
	file := filepath.Join(t.TempDir(), "cat.yaml")
	assert.NoError(t, os.WriteFile(file, source, 0o600))
	edited := append([]byte("# mine\n"), source...)
	inner := cmdtest.NewScriptedModel(`{"text": "Another cat."}`)
	defer inner.Close()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := os.WriteFile(file, edited, 0o600)
		assert.True(t, err == nil, err)
		inner.Config.Handler.ServeHTTP(w, r)
	}))
	defer model.Close()
	p := exec.Command(os.Args[0], "persona", "polish", file, "--field", "description", "--apply", "--llm", "openai/gpt-x", "--llm-base-url", model.URL)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir(), "OPENAI_API_KEY=sk-of-a-test")
	said, _ := p.CombinedOutput()
	now, err := os.ReadFile(file)
	if p.ProcessState.ExitCode() != 1 || err != nil || !bytes.Equal(now, edited) || !bytes.Contains(said, []byte("was changed while the model was writing")) {
		t.Errorf("exit code %d, %v\n%s", p.ProcessState.ExitCode(), err, said)
	}
}
