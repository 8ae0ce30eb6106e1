//go:build !windows

package chat_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
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
			assert.True(t, strings.Count(talk.String(), c.want) == 2 && strings.Contains(out.String(), "A purr, no more."),
				"%q is not told twice:\n%s\n%s", c.want, out.String(), talk.String())
		})
	}
}

// TestLongWaitsAreTold: a wait of the client is reported at once too, and an interrupt ends it.
func TestLongWaitsAreTold(t *testing.T) {
	t.Parallel()
	starter := assert.Value(filepath.Abs("../../personas/examples/starter.yaml"))(t)
	for name, c := range map[string]struct {
		want string
		args []string
	}{
		"say":       {"the model's provider has reached its rate limit; next attempt in 1m0s (Ctrl-C cancels)", []string{"localserver", "exec", "--seed", starter, "--llm", "ollama/llama3.2", "--llm-openings", "model", "--", os.Args[0], "say", "Biscuit", "Some fish? [pass]"}},
		"line mode": {"The model's provider has reached its rate limit: next attempt in 60 seconds.", []string{"chat", "--plain", "--llm", "ollama/llama3.2", "--llm-openings", "model", starter}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second) // Less than the wait.
			defer cancel()
			home := t.TempDir()
			p := exec.CommandContext(ctx, os.Args[0], c.args...)
			p.Stdin = strings.NewReader("Some fish? [pass]\n")
			p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "TMPDIR="+home, "OLLAMA_HOST="+busyActor(t, 429, "60", 2))
			talk := assert.Value(p.StderrPipe())(t)
			assert.NoError(t, p.Start())
			told := false
			lines := bufio.NewScanner(talk)
			for lines.Scan() {
				if strings.Contains(lines.Text(), c.want) {
					told = true
					assert.NoError(t, p.Process.Signal(os.Interrupt))
				}
			}
			_ = p.Wait() // An interrupt is an error.
			if !told || ctx.Err() != nil {
				t.Errorf("told: %v, ended in time: %v", told, ctx.Err() == nil)
			}
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

// TestWaitsAreToldOnTheScreen: the chat shows the reason for a wait, its end, and that Esc gives up; Esc gives up.
func TestWaitsAreToldOnTheScreen(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "--llm", "ollama/llama3.2", "--llm-openings", "model", "Biscuit")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "TMUX=", "HOME="+folder, "TMPDIR="+folder, "OLLAMA_HOST="+busyActor(t, 429, "15", 2))
	at := newTerminalPlayerOf(t, p, 110, 30)
	at.types("", "A purr, no more.")
	for _, step := range []struct{ keys, shows string }{
		{"Some fish?\r", "provider's rate limit, next attempt in 1"},
		{"", "s (Esc gives up)"},
		{"\x1b", "› Some fish?"},
	} {
		at.types(step.keys, step.shows)
	}
	at.types("\x04")
	<-at.ended
	_ = p.Wait()
}

// clock is a clock that only moves on request.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	alarms []alarm
}

type alarm struct {
	at   time.Time
	rung chan time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After rings when so much time has passed.
func (c *clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := alarm{c.now.Add(d), make(chan time.Time, 1)}
	c.alarms = append(c.alarms, a)
	c.ring()
	return a.rung
}

// pass advances the clock.
func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.ring()
}

// until advances the clock, by less than a second in ever smaller steps, until the screen shows a text.
func (c *clock) until(t *testing.T, screen vt10x.Terminal, text string) {
	t.Helper()
	for i := range 900 {
		if strings.Contains(screen.String(), text) {
			return
		}
		c.pass(time.Millisecond)
		time.Sleep(time.Millisecond * time.Duration(1+i/20))
	}
	cmdtest.WaitForText(t, screen, text)
}

func (c *clock) ring() {
	c.alarms = slices.DeleteFunc(c.alarms, func(a alarm) bool {
		due := !a.at.After(c.now)
		if due {
			a.rung <- c.now
		}
		return due
	})
}

// direct is the service as the screen calls it, each failure at once.
type direct struct{ *client.Client }

func (d direct) Published(ctx context.Context) ([]wire.PersonaItem, error) {
	return d.Personas(ctx, client.PersonaList{})
}

func (d direct) HistoryAtOnce(ctx context.Context, persona, userSession, machine string) (wire.History, error) {
	return d.History(ctx, persona, userSession, machine)
}

// nowhere is a memory that keeps nothing.
type nowhere struct{}

func (nowhere) Recall(string) (conversation.SavedSession, bool) {
	return conversation.SavedSession{}, false
}
func (nowhere) Remember(conversation.SavedSession) error       { return nil }
func (nowhere) Sessions() ([]conversation.SavedSession, error) { return nil, nil }
func (nowhere) Rename(string, string, string) error            { return nil }
func (nowhere) Forget(string, string) error                    { return nil }

// TestRateLimitOnTheRealScreen: a real limit counts down on a terminal, and the words are sent once after it.
func TestRateLimitOnTheRealScreen(t *testing.T) {
	t.Parallel()
	stage := newServerFixture(t, nil, "--fault", "status=429,retry-after=90,every=2,path=/message")
	outside, inside, err := pty.Open()
	assert.NoError(t, err)
	assert.NoError(t, pty.Setsize(inside, &pty.Winsize{Rows: 24, Cols: 90}))
	screen, time0 := vt10x.New(vt10x.WithSize(90, 24)), &clock{now: time.Unix(1_800_000_000, 0)}
	go cmdtest.FollowScreen(outside, screen, make(chan []byte, 1))
	ended := make(chan error, 1)
	go func() {
		ended <- tui.Run(t.Context(), tui.Options{
			Options: conversation.Options{
				Service: direct{cmdtest.NewClient(t, stage.Address, "")}, Memory: nowhere{}, Persona: stage.persona,
				PlayerName: "Mara", PlayerGender: "female", NewID: numbered("id"), Now: time0.Now, After: time0.After,
			},
			In: inside, Out: inside, Theme: views.ThemeDark,
		})
	}()
	press := func(keys string) {
		t.Helper()
		assert.Value(outside.WriteString(keys))(t)
	}
	cmdtest.WaitForText(t, screen, "Say something")
	press("one")
	time0.until(t, screen, "› one")
	press("\r")
	time0.until(t, screen, "An echo of one.")
	press("two")
	time0.until(t, screen, "› two")
	press("\r")
	time0.until(t, screen, "again in 1 min 30 s (Esc stops): the rate limit is reached")
	cmdtest.WaitForText(t, screen, "waits: two")
	for _, step := range []struct {
		passes time.Duration
		shows  string
	}{{30 * time.Second, "again in 1 min 0 s"}, {time.Second, "again in 59 s"}, {57 * time.Second, "again in 2 s"}, {time.Second, "again in 1 s"}} {
		time0.pass(step.passes)
		cmdtest.WaitForText(t, screen, step.shows)
	}
	assert.EqualSlices(t, stage.said("id-1"), []string{"one"}, "before the wait is over the server has kept")
	time0.pass(time.Second)
	time0.until(t, screen, "An echo of two.")
	stage.keeps("id-1", "one", "two")
	press("\x04")
	select {
	case err := <-ended:
		assert.NoError(t, err)
	case <-time.After(cmdtest.Patience):
		t.Errorf("the chat never ends:\n%s", screen.String())
	}
}

func numbered(word string) func() string {
	var mu sync.Mutex
	n := 0
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return word + "-" + string(rune('0'+n))
	}
}
