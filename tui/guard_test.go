//go:build !windows

package tui

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"
)

// faulty is a model that breaks at a place.
type faulty struct{ at string }

func (f faulty) Init() tea.Cmd {
	fault := func() tea.Msg { panic("in a command") }
	switch f.at {
	case "init":
		panic("at the beginning")
	case "command":
		return fault
	case "batch":
		return tea.Batch(nil, tea.Batch(func() tea.Msg { return nil }, fault), func() tea.Msg { return nil })
	}
	return nil
}

func (f faulty) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, sized := msg.(tea.WindowSizeMsg); sized && f.at == "update" {
		panic(errors.New("in Update"))
	}
	return f, nil
}

func (f faulty) View() string {
	if f.at == "view" {
		var none []int
		_ = none[len(f.at)]
	}
	return "shown"
}

// onTerminal runs a model on a pseudo-terminal and gives what it has written, and
// the terminal's settings before and after.
func onTerminal(t *testing.T, ctx context.Context, stop context.CancelCauseFunc, model tea.Model, wrap func(*os.File) io.Writer) (written []byte, before, after string, err error) {
	t.Helper()
	outside, inside, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(inside, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	before = settings(t, inside)
	all := make(chan []byte)
	go func() {
		text, _ := bufio.NewReader(outside).ReadBytes(0)
		all <- text
	}()
	opts := Options{In: inside, Out: watched(wrap(inside), stop)}
	err = run(ctx, opts, &guard{model: model, stop: stop})
	after = settings(t, inside)
	// The end is marked and the files stay open: bubbletea leaves a goroutine behind
	// that asks for the window's size.
	if _, err := inside.Write([]byte{0}); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(<-all, []byte{0}), before, after, err
}

// settings are a terminal's, as stty says them.
func settings(t *testing.T, tty *os.File) string {
	t.Helper()
	p := exec.Command("stty", "-a")
	p.Stdin = tty
	out, err := p.Output()
	if err != nil {
		t.Skip("there is no stty here")
	}
	return string(out)
}

func itself(f *os.File) io.Writer { return f }

// restored tells whether the last word was to leave the other screen, show the
// cursor and take pastes as they come.
func restored(t *testing.T, written []byte, before, after string) {
	t.Helper()
	for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?2004l"} {
		if !bytes.Contains(written, []byte(seq)) {
			t.Errorf("%q is missing at the end: %q", seq, written[max(len(written)-80, 0):])
		}
	}
	if before != after {
		t.Errorf("the terminal was\n%s\nand is\n%s", before, after)
	}
	rest := written[bytes.LastIndex(written, []byte("\x1b[?1049l"))+8:]
	if rest = bytes.ReplaceAll(rest, []byte("\x1b[?25h"), nil); len(bytes.TrimSpace(rest)) > 0 {
		t.Errorf("after leaving it writes %q", rest)
	}
}

// Whatever breaks, the terminal is as it was, and the error says where.
func TestCrashRestoresTheTerminal(t *testing.T) {
	for _, at := range []string{"init", "update", "view", "command", "batch"} {
		t.Run(at, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			written, before, after, err := onTerminal(t, ctx, stop, faulty{at}, itself)
			restored(t, written, before, after)
			crash, ok := errors.AsType[*Crash](err)
			if !ok {
				t.Fatalf("ends with %v", err)
			}
			if text := crash.Error(); len(crash.Where) == 0 || !strings.Contains(text, "tui/guard_test.go:") || strings.Contains(text, "\n") {
				t.Errorf("the error is %q", text)
			}
		})
	}
}

func TestEndOfContextRestoresTheTerminal(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { stop(context.Canceled) })
	written, before, after, err := onTerminal(t, ctx, stop, faulty{}, itself)
	restored(t, written, before, after)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ends with %v", err)
	}
}

// closedOutput is a terminal that takes no output after a while.
type closedOutput struct {
	*os.File
	left int
}

func (c *closedOutput) Write(p []byte) (int, error) {
	if c.left--; c.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return c.File.Write(p)
}

func TestClosedOutputEndsTheChat(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	_, before, after, err := onTerminal(t, ctx, stop, faulty{}, func(f *os.File) io.Writer { return &closedOutput{f, 3} })
	if !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(err.Error(), "takes no output") {
		t.Errorf("ends with %v", err)
	}
	if before != after {
		t.Errorf("the terminal was\n%s\nand is\n%s", before, after)
	}
}
