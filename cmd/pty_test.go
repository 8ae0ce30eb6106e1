//go:build !windows

package cmd_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

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
	assert.True(t, code == 130 && strings.Contains(talk.String(), "interrupted"), "exit code %d, %q", code, talk.String())
}

// TestCtrlCWhileReading: a command that waits for stdin can be interrupted too.
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
