//go:build !windows

package cmd_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// atHome runs parley in a home of its own on a terminal of so many columns, types, and
// gives what is shown and the exit code. Settings are NAME=VALUE.
func atHome(t *testing.T, home string, columns int, typed string, settings []string, args ...string) (shown string, code int) {
	t.Helper()
	p := exec.Command(os.Args[0], args...)
	p.Env = append(os.Environ(), asParley+"=1", "TERM=xterm-256color", "LC_ALL=", "LC_CTYPE=", "LANG=C.UTF-8", "HOME="+home,
		"PARLEY_DATA_DIR="+filepath.Join(home, "data"), "PARLEY_STATE_DIR="+filepath.Join(home, "state"), "PARLEY_CONFIG_DIR="+filepath.Join(home, "config"),
		"PARLEY_TOKEN=", "PARLEY_PLAYER_NAME=Mara", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=", "OLLAMA_HOST=http://127.0.0.1:1")
	p.Env = append(p.Env, settings...)
	shown = onTerminal(t, p, 40, uint16(columns), "", typed)
	return shown, p.ProcessState.ExitCode()
}

// played starts a server with a played hotel and gives the home folder of who has
// played it, and the server's address as a setting.
func played(t *testing.T) (home, server string) {
	t.Helper()
	home = t.TempDir()
	p := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0", "--data", filepath.Join(home, "data"))
	p.Env = append(os.Environ(), asParley+"=1", "HOME="+home)
	s, err := startServer(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	server = "PARLEY_SERVER=" + s.address
	for _, args := range [][]string{
		{"persona", "save", "--publish", "--no-lock", "../personas/examples/hotel.yaml"},
		{"say", "Ottoline", "Hello"}, {"say", "Ottoline", "x [[pass]]"}, {"say", "Ottoline", "x [[pass]]"},
		{"say", "Ottoline", "--machine", "night-round", "x [[pass]]"},
	} {
		if shown, code := atHome(t, home, 100, "", []string{server}, args...); code != 0 {
			t.Fatalf("parley %v: %d\n%s", args, code, shown)
		}
	}
	return home, server
}

// TestProgressPicture: on a terminal the progress is a picture, no wider than it,
// in which no sign and no colour stands alone for something.
func TestProgressPicture(t *testing.T) {
	home, server := played(t)
	for _, x := range []struct {
		columns  int
		settings []string
		want     []string
		never    string
	}{
		{100, nil, []string{"\x1b[32m✓", "won", "4 of 3  ACCEPT", "├─▶ ", "The night round: opened,", "with ACCEPT", "▶", "you are here", "Breakfast: closed,", "■", "locked", "1 of 4 machines completed"}, ""},
		{100, []string{"NO_COLOR=1"}, []string{"✓ Check-in", "won", "▶ The night round", "you are here"}, "\x1b"},
		{100, []string{"LANG=C"}, []string{"\x1b[32m+", "|-> ", "you are here", "##"}, "├▶✓░█"},
		{44, []string{"NO_COLOR=1"}, []string{"✓ Check-in\n  won", "The night round: opened,\n        with ACCEPT"}, "█"},
		{24, []string{"NO_COLOR=1"}, []string{"✓ Check-in\n  won"}, "█"},
	} {
		shown, code := atHome(t, home, x.columns, "", append(x.settings, server), "progress", "show", "otto")
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, shown)
		}
		for _, want := range x.want {
			if !strings.Contains(shown, want) && !strings.Contains(ansi.Strip(shown), want) {
				t.Errorf("%d columns, %v: %q is missing in\n%s", x.columns, x.settings, want, shown)
			}
		}
		if x.never != "" && strings.ContainsAny(shown, x.never) {
			t.Errorf("%d columns, %v: one of %q in\n%s", x.columns, x.settings, x.never, shown)
		}
		for line := range strings.Lines(shown) {
			if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > x.columns {
				t.Errorf("%d columns: a line has %d: %q", x.columns, n, line)
			}
		}
	}
}

// TestQuestions: what cannot be taken back asks, and only the right answer counts.
func TestQuestions(t *testing.T) {
	home, server := played(t)
	for _, x := range []struct {
		typed string
		args  []string
		code  int
		want  string
	}{
		{"no\n", []string{"session", "reset", "Otto"}, 1, "nothing was changed"},
		{"\x04", []string{"session", "delete", "Otto"}, 3, "no answer"},
		{"no\n", []string{"progress", "reset", "Otto"}, 1, "nothing was changed"},
		{"", []string{"session", "list"}, 0, "Ottoline Frost *"},
		{"", []string{"key", "create", "game"}, 0, "keep it safe"},
		{"yes\n", []string{"key", "revoke", "game"}, 1, "nothing was changed"},
		{"game\n", []string{"key", "revoke", "game"}, 0, "revoked: game"},
		{"yes\n", []string{"session", "reset", "Otto", "--machine", "night-round"}, 0, "This clears what was said in the session with Ottoline Frost. Type yes to go on: "},
		{"yes\n", []string{"session", "delete", "Otto"}, 0, "deleted: the session with Ottoline Frost"},
		{"", []string{"session", "list"}, 0, "begin one with `parley chat`"},
	} {
		shown, code := atHome(t, home, 120, x.typed, []string{server}, x.args...)
		if code != x.code || !strings.Contains(ansi.Strip(shown), x.want) {
			t.Errorf("parley %v, typed %q: %d, want %d and %q\n%s", x.args, x.typed, code, x.code, x.want, shown)
		}
	}
}

// TestAPIOnTerminal: an answer is laid out for reading, and nothing in it is
// obeyed by the terminal; in a pipe it is what came.
func TestAPIOnTerminal(t *testing.T) {
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
		shown, code := atHome(t, home, 80, "", []string{"PARLEY_SERVER=" + s.URL}, "api", "-i", path)
		if code != 0 || strings.ContainsAny(shown, "\x1b\a\u009b\u202e") {
			t.Errorf("%s: %d, %q", path, code, shown)
		}
		if path == "/json" && !strings.Contains(shown, "{\n  \"name\": ") {
			t.Errorf("%q is not laid out", shown)
		}
	}
	p := exec.Command(os.Args[0], "api", "/json", "--server", s.URL)
	p.Env = append(os.Environ(), asParley+"=1", "HOME="+home)
	if out, err := p.Output(); err != nil || string(out) != body {
		t.Errorf("in a pipe: %q, %v", out, err)
	}
}

// TestDoctorOnTerminal: a line each, the remedy below it, words beside the signs.
func TestDoctorOnTerminal(t *testing.T) {
	shown, code := atHome(t, t.TempDir(), 100, "", []string{"NO_COLOR=1", "PARLEY_SERVER=http://127.0.0.1:1"}, "doctor")
	if code != 1 || strings.Contains(shown, "\x1b") {
		t.Errorf("exit code %d\n%s", code, shown)
	}
	for _, want := range []string{"✓ terminal    xterm-256color, 100 by 40, no colour, Unicode\n", "✗ server", "[failed]\n              -> parley localserver\n", "! keyring"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing in\n%s", want, shown)
		}
	}
}
