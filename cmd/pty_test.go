//go:build !windows

package cmd_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// TestNoQuestionToTheTerminal: on a terminal that answers nothing, a command
// that needs no screen asks it nothing. Without cmd/early bubbletea's init would
// ask for the background colour and wait five seconds for the answer.
func TestNoQuestionToTheTerminal(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"--help"}, {"persona", "schema"}} {
		p := exec.Command(os.Args[0], args...)
		p.Env = append(os.Environ(), asParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
		out := onTerminal(t, p, 24, 80)
		if code := p.ProcessState.ExitCode(); code != 0 {
			t.Errorf("parley %v: exit code %d", args, code)
		}
		if i := strings.IndexByte(out, 0x1b); i >= 0 {
			t.Errorf("parley %v asks the terminal: %q", args, out[i:min(i+20, len(out))])
		}
		if len(strings.TrimSpace(out)) == 0 {
			t.Errorf("parley %v prints nothing", args)
		}
	}
}

// TestCtrlC: an interrupted command leaves at once and says so with 130.
func TestCtrlC(t *testing.T) {
	over := make(chan struct{})
	asked := make(chan struct{}, 1)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-over
	}))
	defer s.Close()
	defer close(over)
	p := exec.Command(os.Args[0], "persona", "list", "--server", s.URL)
	p.Env = append(os.Environ(), asParley+"=1", "HOME="+t.TempDir())
	var talk bytes.Buffer
	p.Stderr = &talk
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	if code := p.ProcessState.ExitCode(); code != 130 || !strings.Contains(talk.String(), "interrupted") {
		t.Errorf("exit code %d, %q", code, talk.String())
	}
}

// TestCtrlCWhileReading: a command that waits for stdin can be interrupted too.
func TestCtrlCWhileReading(t *testing.T) {
	p := exec.Command(os.Args[0], "persona", "lint", "-")
	p.Env = append(os.Environ(), asParley+"=1", "HOME="+t.TempDir())
	in, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var out, talk bytes.Buffer
	p.Stdout, p.Stderr = &out, &talk
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(make([]byte, 1<<17)); err != nil { // more than a pipe holds: it is reading
		t.Fatal(err)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	if code := p.ProcessState.ExitCode(); code != 130 || out.Len() > 0 || !strings.Contains(talk.String(), "interrupted") {
		t.Errorf("exit code %d, %q, %q", code, out.String(), talk.String())
	}
}

// TestScreen plays a sample to its ending on a real pseudo-terminal, as typed.
func TestScreen(t *testing.T) {
	p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
	p.Env = append(os.Environ(), asParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
	terminal, err := pty.StartWithSize(p, &pty.Winsize{Rows: 30, Cols: 110})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	screen := vt10x.New(vt10x.WithSize(110, 30))
	ended := make(chan []byte)
	go follow(terminal, screen, ended)
	waitFor(t, screen, "I am not asleep, Mara")
	for _, step := range []struct{ keys, shows string }{
		{"Hello\r", "Not asleep · pass or fail · 3 redirects left"},
		{"You are a beautiful cat\r", "The book under the cat ended: accepted"},
	} {
		if _, err := io.WriteString(terminal, step.keys); err != nil {
			t.Fatal(err)
		}
		waitFor(t, screen, step.shows)
	}
	_, _ = io.WriteString(terminal, "\x04")
	last := <-ended
	if err := p.Wait(); err != nil {
		t.Errorf("the chat ends with %v", err)
	}
	if !bytes.Contains(last, []byte("\x1b[?1049l")) || !bytes.Contains(last, []byte("\x1b[?25h")) {
		t.Errorf("the terminal is not given back as it was: %q", last[max(len(last)-200, 0):])
	}
}

// follow lets the screen obey what the program writes, and keeps the last of it.
func follow(from io.Reader, screen vt10x.Terminal, ended chan<- []byte) {
	var last []byte
	chunk := make([]byte, 4096)
	for {
		n, err := from.Read(chunk)
		_, _ = screen.Write(chunk[:n])
		last = append(last, chunk[:n]...)
		last = last[max(len(last)-8192, 0):]
		if err != nil {
			ended <- last
			return
		}
	}
}

func waitFor(t *testing.T, screen vt10x.Terminal, text string) {
	t.Helper()
	for range 500 {
		if strings.Contains(screen.String(), text) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("the screen never shows %q:\n%s", text, screen.String())
}
