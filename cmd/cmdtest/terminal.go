//go:build !windows

package cmdtest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// RunOnTerminal returns the output of a command on a new terminal. replies are pairs of an expected
// suffix and a reply.
func RunOnTerminal(t *testing.T, p *exec.Cmd, rows, columns uint16, replies ...string) string {
	t.Helper()
	terminal, err := pty.StartWithSize(p, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	var shown strings.Builder
	reader := bufio.NewReader(terminal)
	for {
		b, err := reader.ReadByte()
		if err != nil { // a pty ends with EIO, not EOF
			break
		}
		shown.WriteByte(b)
		if len(replies) > 1 && strings.HasSuffix(shown.String(), replies[0]) {
			if _, err := io.WriteString(terminal, replies[1]); err != nil {
				t.Fatal(err)
			}
			replies = replies[2:]
		}
	}
	_ = p.Wait()
	return strings.ReplaceAll(shown.String(), "\r\n", "\n")
}

// RunAtHome runs parley on a new terminal and types a text. settings are NAME=VALUE.
func RunAtHome(t *testing.T, home string, columns int, typed string, settings []string,
	args ...string) (shown string, code int) {
	t.Helper()
	p := exec.Command(os.Args[0], args...)
	p.Env = append(os.Environ(), AsParley+"=1", "TERM=xterm-256color", "LC_ALL=", "LC_CTYPE=", "LANG=C.UTF-8",
		"HOME="+home, "PARLEY_CONFIG_DIR="+filepath.Join(home, "config"),
		"PARLEY_DATA_DIR="+filepath.Join(home, "data"), "PARLEY_STATE_DIR="+filepath.Join(home, "state"),
		"PARLEY_TOKEN=", "PARLEY_PLAYER_NAME=Mara", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=",
		"OLLAMA_HOST=http://127.0.0.1:1")
	p.Env = append(p.Env, settings...)
	shown = RunOnTerminal(t, p, 40, uint16(columns), "", typed)
	return shown, p.ProcessState.ExitCode()
}

// StartPlayedHotel starts a server with a session, and returns a home directory and PARLEY_SERVER.
func StartPlayedHotel(t *testing.T) (home, server string) {
	t.Helper()
	home = t.TempDir()
	p := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0", "--data", filepath.Join(home, "data"))
	p.Env = append(os.Environ(), AsParley+"=1", "HOME="+home)
	s, err := StartServer(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	server = "PARLEY_SERVER=" + s.Address
	for _, args := range [][]string{
		{"persona", "save", "--publish", "--no-lock", filepath.Join(RepositoryRoot(t), "personas", "examples", "hotel.yaml")},
		{"say", "Ottoline", "Hello"}, {"say", "Ottoline", "x [[pass]]"}, {"say", "Ottoline", "x [[pass]]"},
		{"say", "Ottoline", "--machine", "night-round", "x [[pass]]"},
	} {
		if shown, code := RunAtHome(t, home, 100, "", []string{server}, args...); code != 0 {
			t.Fatalf("parley %v: %d\n%s", args, code, shown)
		}
	}
	return home, server
}

// FollowScreen copies output to screen until the end. Then it sends the last 64 KiB to ended.
func FollowScreen(from io.Reader, screen vt10x.Terminal, ended chan<- []byte) {
	var last []byte
	var writer RuneWriter
	chunk := make([]byte, 4096)
	for {
		n, err := from.Read(chunk)
		writer.Write(screen, chunk[:n])
		last = append(last, chunk[:n]...)
		last = last[max(len(last)-64<<10, 0):]
		if err != nil {
			ended <- last
			return
		}
	}
}

// A RuneWriter writes complete characters, because the emulator drops a character in two pieces.
type RuneWriter struct{ rest []byte }

// Write keeps an incomplete character at the end of chunk for the next call.
func (w *RuneWriter) Write(screen vt10x.Terminal, chunk []byte) {
	w.rest = append(w.rest, chunk...)
	end := len(w.rest)
	for i := max(0, end-utf8.UTFMax); i < end; i++ {
		if utf8.RuneStart(w.rest[i]) && !utf8.FullRune(w.rest[i:]) {
			end = i
		}
	}
	_, _ = screen.Write(w.rest[:end])
	w.rest = w.rest[end:]
}

func WaitForText(t *testing.T, screen vt10x.Terminal, text string) {
	t.Helper()
	WaitForTexts(t, screen, text)
}

// WaitForTexts waits until the screen shows all texts in this order, and returns the screen.
func WaitForTexts(t *testing.T, screen vt10x.Terminal, texts ...string) string {
	t.Helper()
	for limit := time.Now().Add(Timeout); ; time.Sleep(10 * time.Millisecond) {
		shown := screen.String()
		missing := firstMissing(shown, texts)
		if missing == "" {
			return shown
		}
		if time.Now().After(limit) {
			t.Fatalf("the screen never shows %q, or not in its place:\n%s", missing, shown)
		}
	}
}

func firstMissing(shown string, texts []string) string {
	for _, text := range texts {
		_, rest, found := strings.Cut(shown, text)
		if !found {
			return text
		}
		shown = rest
	}
	return ""
}
