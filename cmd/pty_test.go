//go:build !windows

package cmd_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestNoQuestionToTheTerminal: a command that needs no screen asks the terminal nothing.
func TestNoQuestionToTheTerminal(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--version"}, {"--help"}, {"persona", "schema"}} {
		p := exec.Command(os.Args[0], args...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
		out := cmdtest.RunOnTerminal(t, p, 24, 80)
		assert.Equal(t, p.ProcessState.ExitCode(), 0, "parley %v: exit code", args)
		if i := strings.IndexByte(out, 0x1b); i >= 0 {
			t.Errorf("parley %v asks the terminal: %q", args, out[i:min(i+20, len(out))])
		}
		assert.True(t, len(strings.TrimSpace(out)) != 0, "parley %v prints nothing", args)
	}
}

// TestCtrlC: an interrupted command leaves at once and says so with 130.
func TestCtrlC(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	asked := make(chan struct{}, 1)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-over
	}))
	defer s.Close()
	defer close(over)
	p := exec.Command(os.Args[0], "persona", "list", "--server", s.URL)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir())
	var talk bytes.Buffer
	p.Stderr = &talk
	assert.NoError(t, p.Start())
	<-asked
	assert.NoError(t, p.Process.Signal(os.Interrupt))
	_ = p.Wait()
	code := p.ProcessState.ExitCode()
	assert.Equal(t, code, 130, "exit code %d, %q", code, talk.String())
	assert.Contains(t, talk.String(), "interrupted")
}

func TestCtrlCWhileReading(t *testing.T) {
	t.Parallel()
	p := exec.Command(os.Args[0], "persona", "lint", "-")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir())
	in := assert.Value(p.StdinPipe())(t)
	defer func() { _ = in.Close() }()
	var out, talk bytes.Buffer
	p.Stdout, p.Stderr = &out, &talk
	assert.NoError(t, p.Start())
	if _, err := in.Write(make([]byte, 1<<17)); err != nil { // more than a pipe holds: it is reading
		t.Fatal(err)
	}
	assert.NoError(t, p.Process.Signal(os.Interrupt))
	_ = p.Wait()
	if code := p.ProcessState.ExitCode(); code != 130 || out.Len() > 0 || !strings.Contains(talk.String(), "interrupted") {
		t.Errorf("exit code %d, %q, %q", code, out.String(), talk.String())
	}
}

// TestQuestions: what cannot be taken back asks, and only the right answer counts.
func TestQuestions(t *testing.T) {
	t.Parallel()
	home, server := cmdtest.StartPlayedHotel(t)
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
		{"yes\n", []string{"session", "reset", "Otto", "--machine", "night-round"}, 0,
			"This clears the messages of the session with Ottoline Frost. Type yes to continue: "},
		{"yes\n", []string{"session", "delete", "Otto"}, 0, "deleted: the session with Ottoline Frost"},
		{"", []string{"session", "list"}, 0, "begin one with `parley chat`"},
	} {
		shown, code := cmdtest.RunAtHome(t, home, 120, x.typed, []string{server}, x.args...)
		assert.Equal(t, code, x.code, "parley %v, typed %q %s", x.args, x.typed, shown)
		assert.Contains(t, ansi.Strip(shown), x.want, "parley %v, typed %q %s", x.args, x.typed, shown)
	}
}

// TestFirstSteps: a terminal shows three first steps, each a command that exists, and a pipe all of the help.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	env := append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
	p := exec.Command(os.Args[0])
	p.Env = env
	shown := cmdtest.RunOnTerminal(t, p, 24, 80)
	steps := regexp.MustCompile(`(?m)^  parley (.*?)   +`).FindAllStringSubmatch(shown, -1)
	code := p.ProcessState.ExitCode()
	assert.Equal(t, code, 0, "exit code %d, %d first steps:\n%s", code, len(steps), shown)
	assert.Equal(t, len(steps), 3, "exit code %d, %d first steps:\n%s", code, len(steps), shown)
	assert.True(t, strings.Count(shown, "\n") <= 8, "exit code %d, %d first steps:\n%s", code, len(steps), shown)
	for _, step := range steps {
		help := exec.Command(os.Args[0], append(strings.Fields(step[1]), "--help")...)
		help.Env = env
		if out, err := help.CombinedOutput(); err != nil || !strings.Contains(string(out), "Usage:\n  parley "+named(step[1])) {
			t.Errorf("parley %s --help: %v\n%s", step[1], err, out)
		}
	}
	piped := exec.Command(os.Args[0])
	piped.Env = env
	out, err := piped.Output()
	assert.NoError(t, err, "in a pipe: %v\n%s", err, out)
	assert.Contains(t, string(out), "Create:", "in a pipe: %v\n%s", err, out)
	assert.Contains(t, string(out), "exit-codes", "in a pipe: %v\n%s", err, out)
}

// named is a command line without its flags.
func named(line string) string {
	name, _, _ := strings.Cut(line, " --")
	return name
}

// TestProgressPicture: the machines are shown with words, and nothing by a sign or a colour alone.
func TestProgressPicture(t *testing.T) {
	t.Parallel()
	home, server := cmdtest.StartPlayedHotel(t)
	for _, x := range []struct {
		settings []string
		want     []string
		never    string
	}{
		{nil, []string{"\x1b[32m✓", "Check-in: won, score 4, 3 needed, ACCEPT\n    -> The night round: opened, with ACCEPT",
			"▶ The night round: you are here", "Breakfast: closed,", "■", "locked", "1 of 4 machines completed"}, ""},
		{[]string{"NO_COLOR=1"}, []string{"✓ Check-in: won", "▶ The night round: you are here"}, "\x1b"},
		{[]string{"LANG=C"}, []string{"\x1b[32m+", "you are here"}, "▶✓"},
	} {
		shown, code := cmdtest.RunAtHome(t, home, 100, "", append(x.settings, server), "progress", "show", "otto")
		assert.Must(t, code == 0, "exit code %d: %s", code, shown)
		for _, want := range x.want {
			assert.True(t, strings.Contains(shown, want) || strings.Contains(ansi.Strip(shown), want), "%v: %q is missing in\n%s", x.settings, want, shown)
		}
		assert.True(t, x.never == "" || !strings.ContainsAny(shown, x.never), "%v: one of %q in\n%s", x.settings, x.never, shown)
	}
}

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
		assert.Equal(t, code, 0, "%s: %d, %q", path, code, shown)
		assert.True(t, !strings.ContainsAny(shown, "\x1b\a\u009b\u202e"), "%s: %d, %q", path, code, shown)
		assert.True(t, path != "/json" || strings.Contains(shown, "{\n  \"name\": "), "%q is not laid out", shown)
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
	for _, want := range []string{"✓ terminal    xterm-256color, 100 by 40\n", "✗ server",
		"[failed]\n              -> start the service with `parley localserver`", "! keyring"} {
		assert.Contains(t, shown, want)
	}
}
