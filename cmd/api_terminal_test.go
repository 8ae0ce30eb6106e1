//go:build !windows

package cmd_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestAPIOnTerminal: an answer is laid out for reading, without control characters; in a pipe it is unchanged.
func TestAPIOnTerminal(t *testing.T) {
	t.Parallel()
	const body = "{\"name\":\"\u202e\u009b31mred\",\"n\":1}"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Evil", "a\u009bb")
		if r.URL.Path == "/text" {
			_, _ = io.WriteString(w, "\x1b]0;title\a plain\r\n")
			return
		}
		_, _ = io.WriteString(w, body)
	}))
	defer s.Close()
	home := t.TempDir()
	for _, path := range []string{"/json", "/text"} {
		shown, code := cmdtest.RunAtHome(t, home, 80, "", []string{"PARLEY_SERVER=" + s.URL}, "api", "-i", path)
		assert.True(t, code == 0 && !strings.ContainsAny(shown, "\x1b\a\u009b\u202e"), "%s: %d, %q", path, code, shown)
		if path == "/json" && !strings.Contains(shown, "{\n  \"name\": ") {
			t.Errorf("%q is not laid out", shown)
		}
	}
	p := exec.Command(os.Args[0], "api", "/json", "--server", s.URL)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home)
	if out, err := p.Output(); err != nil || string(out) != body {
		t.Errorf("in a pipe: %q, %v", out, err)
	}
}

// TestDoctorOnTerminal: a line each, the remedy below it, words beside the signs.
func TestDoctorOnTerminal(t *testing.T) {
	t.Parallel()
	shown, code := cmdtest.RunAtHome(t, t.TempDir(), 100, "", []string{"NO_COLOR=1", "PARLEY_SERVER=http://127.0.0.1:1"}, "doctor")
	assert.Equal(t, code, 1)
	assert.NotContains(t, shown, "\x1b")
	for _, want := range []string{"✓ terminal    xterm-256color, 100 by 40, no colour, Unicode\n", "✗ server", "[failed]\n              -> parley localserver\n", "! keyring"} {
		assert.Contains(t, shown, want)
	}
}
