package cmd_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// askers are all commands that call a server.
var askers = []string{
	"persona list",
	"persona save FILE",
	"persona diff --id " + cmdtest.AnyID + " FILE",
	"persona diff FILE",
	"persona pull " + cmdtest.AnyID + " -",
	"persona pull " + cmdtest.AnyID + " DIR/new.yaml",
	"persona publish " + cmdtest.AnyID,
	"persona show " + cmdtest.AnyID,
	"persona delete --yes " + cmdtest.AnyID,
	"persona publish Biscuit",
	"key create game",
	"progress show --session s " + cmdtest.AnyID,
	"progress reset --yes --session s " + cmdtest.AnyID,
	"progress migrate --session s",
	"say " + cmdtest.AnyID + " hello",
	"chat --plain " + cmdtest.AnyID,
}

// noServices are things other than a service that may answer, and the message for each.
var noServices = []struct {
	name    string
	timeout string // short only where it is what is tested
	handle  func(w http.ResponseWriter, over <-chan struct{})
	says    string
}{
	{"down", "60s", nil, `^parley: (.*: )?nothing answers at http://127\.0\.0\.1:\d+: .*parley localserver`},
	{"html", "60s", func(w http.ResponseWriter, _ <-chan struct{}) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><h1>Welcome to nginx</h1></html>")
	}, `^parley: .*answered text/html; it is not the persona chat service`},
	{"garbage", "60s", func(w http.ResponseWriter, _ <-chan struct{}) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id": `)
	}, `^parley: .*answered truncated application/json`},
	{"cut", "60s", func(w http.ResponseWriter, _ <-chan struct{}) { breakOff(w) }, `^parley: .*broke off before the answer was complete`},
	{"hang", "300ms", func(_ http.ResponseWriter, over <-chan struct{}) { <-over }, `^parley: .*did not answer within 300ms`},
}

func breakOff(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
}

// TestEveryCommandWithEveryBadServer: one clear message, exit code 3, nothing kept.
func TestEveryCommandWithEveryBadServer(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	places := make(chan struct{}, 12)
	files := t.TempDir()
	assert.NoError(t, os.CopyFS(files, os.DirFS("../personas/examples")))
	where := strings.NewReplacer("FILE", filepath.Join(files, "starter.yaml"), "DIR", files)
	for _, kind := range noServices {
		address := badServer(t, kind.handle)
		for _, line := range askers {
			state := t.TempDir()
			group.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				p := exec.Command(os.Args[0], append(strings.Fields(where.Replace(line)), "--server", address)...)
				p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+state, "PARLEY_STATE_DIR="+state, "PARLEY_DATA_DIR="+state,
					"PARLEY_CONFIG_DIR="+state, "PARLEY_TOKEN=t", "PARLEY_TIMEOUT="+kind.timeout)
				err := refusedWith(p, regexp.MustCompile(kind.says))
				assert.True(t, err == nil, "parley %s, %s: %v", line, kind.name, err)
				_, err = os.Stat(filepath.Join(state, "sessions.json"))
				assert.True(t, err != nil, "parley %s, %s: a session is remembered that never was", line, kind.name)
			})
		}
	}
	group.Wait()
	for _, name := range []string{"parley.lock", "new.yaml"} {
		_, err := os.Stat(filepath.Join(files, name))
		assert.True(t, err != nil, "%s is there, but nothing was answered", name)
	}
}

// badServer starts a server with the given handler; nil is an address where nothing listens.
func badServer(t *testing.T, handle func(http.ResponseWriter, <-chan struct{})) string {
	if handle == nil {
		return cmdtest.Nowhere
	}
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { handle(w, over) }))
	t.Cleanup(func() {
		close(over)
		s.Close()
	})
	return s.URL
}

// refusedWith runs a command and compares exit code and message.
func refusedWith(p *exec.Cmd, says *regexp.Regexp) error {
	var out, talk bytes.Buffer
	p.Stdout, p.Stderr = &out, &talk
	err := p.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch text := strings.TrimSpace(talk.String()); {
	case !ok || exit.ExitCode() != 3:
		return fmt.Errorf("it ends with %v, not 3: %s", err, text)
	case out.Len() > 0:
		return fmt.Errorf("it prints %q", out.String())
	case strings.Count(text, "parley: ") != 1 || strings.Contains(text, "nginx"):
		return fmt.Errorf("this is not one message: %s", text)
	case !says.MatchString(text):
		return fmt.Errorf("it says %s, not %s", text, says)
	}
	return nil
}
