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

	tea "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
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

// onTerminal runs a model on a pseudo-terminal and returns its output, and the terminal's settings before and after.
func onTerminal(
	t *testing.T, ctx context.Context, stop context.CancelCauseFunc, model tea.Model, wrap func(*os.File) io.Writer,
) (written []byte, before, after string, err error) {
	t.Helper()
	return onTerminalWith(t, ctx, stop, model, func(f *os.File) (io.Reader, io.Writer) { return f, wrap(f) })
}

func onTerminalWith(
	t *testing.T, ctx context.Context, stop context.CancelCauseFunc, model tea.Model,
	ends func(*os.File) (io.Reader, io.Writer),
) (written []byte, before, after string, err error) {
	t.Helper()
	outside, inside, err := pty.Open()
	assert.NoError(t, err)
	assert.NoError(t, pty.Setsize(inside, &pty.Winsize{Rows: 24, Cols: 80}))
	before = settings(t, inside)
	all := make(chan []byte)
	go func() {
		text, _ := bufio.NewReader(outside).ReadBytes(0)
		all <- text
	}()
	if _, err := outside.WriteString("x"); err != nil { // Else nothing is ever read.
		t.Fatal(err)
	}
	in, out := ends(inside)
	err = program.Run(ctx, program.Terminal{In: in, Out: terminal.WatchTerminal(out, stop)}, model)
	after = settings(t, inside)
	// The end is marked and the files stay open: bubbletea leaves a goroutine running that asks for
	// the window's size.
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

// restored checks that the output ends by restoring the screen, the cursor, pastes and the mouse.
func restored(t *testing.T, written []byte, before, after string) {
	t.Helper()
	for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h", "\x1b[?2004l", "\x1b[?1002l", "\x1b[?1006l"} {
		if !bytes.Contains(written, []byte(seq)) {
			t.Errorf("%q is missing at the end: %q", seq, written[max(len(written)-80, 0):])
		}
	}
	assert.Equal(t, before, after, "the terminal")
	rest := written[bytes.LastIndex(written, []byte("\x1b[?1049l"))+8:]
	rest = bytes.ReplaceAll(rest, []byte("\x1b[?25h"), nil)
	assert.Empty(t, bytes.TrimSpace(rest), "after leaving it writes %q", rest)
}

// TestCrashRestoresTheTerminal: after any panic, the terminal is as before, and the error names the place.
func TestCrashRestoresTheTerminal(t *testing.T) {
	for _, at := range []string{"init", "update", "view", "command", "batch"} {
		t.Run(at, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			written, before, after, err := onTerminal(t, ctx, stop, faulty{at}, itself)
			restored(t, written, before, after)
			crash, ok := errors.AsType[*terminal.Crash](err)
			assert.Must(t, ok, "ends with %v", err)
			text := crash.Error()
			assert.True(t, len(crash.Where) != 0, "the error names no place: %q", text)
			assert.Contains(t, text, "tui/guard_test.go:")
			assert.NotContains(t, text, "\n")
		})
	}
}

// editing is a model that begins with the editor.
type editing struct {
	faulty
	chat *chat
}

func (e editing) Init() tea.Cmd { return e.chat.editMessage() }

// brokenTerminal is a terminal that fails at a read or a write.
type brokenTerminal struct {
	*os.File
	at   string
	left int
}

func (b *brokenTerminal) Read(p []byte) (int, error) {
	if b.at == "input" {
		panic("in what is typed")
	}
	return b.File.Read(p)
}

func (b *brokenTerminal) Write(p []byte) (int, error) {
	if b.left--; b.at == "output" && b.left == 0 {
		panic("in what is shown")
	}
	return b.File.Write(p)
}

// TestCrashOutsideOfCommandsRestoresTheTerminal covers panics in bubbletea's goroutines.
func TestCrashOutsideOfCommandsRestoresTheTerminal(t *testing.T) {
	for _, at := range []string{"editor", "input", "output"} {
		t.Run(at, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			opts := Options{Edit: func(string) (string, error) { panic("in the editor") }}
			e := newEnv(ctx, opts.withDefaults())
			e.crash = terminal.NewCrashGuard(stop)
			var model tea.Model = faulty{}
			if at == "editor" {
				model = editing{chat: newTestChat(e)}
			}
			broken := &brokenTerminal{at: at, left: 2} // The first frame, after what takes the terminal.
			written, before, after, err := onTerminalWith(t, ctx, stop, model, func(f *os.File) (io.Reader, io.Writer) {
				broken.File = f
				return broken, broken
			})
			restored(t, written, before, after)
			crash, ok := errors.AsType[*terminal.Crash](err)
			assert.Must(t, ok, "ends with %v", err)
			assert.Contains(t, strings.Join(crash.Where, " "), "guard_test.go:")
		})
	}
}

func newTestChat(e *env) *chat { return newEmptyChat(e, nil) }

func TestEndOfContextRestoresTheTerminal(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	written, before, after, err := onTerminal(t, ctx, stop, faulty{}, func(f *os.File) io.Writer { return &lastFrame{f, stop} })
	restored(t, written, before, after)
	assert.ErrorIs(t, err, context.Canceled)
}

// lastFrame is a terminal that ends its chat while it draws.
type lastFrame struct {
	*os.File
	stop context.CancelCauseFunc
}

func (l *lastFrame) Write(p []byte) (int, error) {
	l.stop(context.Canceled)
	return l.File.Write(p)
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
	_, before, after, err := onTerminal(t, ctx, stop, faulty{}, func(f *os.File) io.Writer { return &closedOutput{f, 1} })
	assert.ErrorIs(t, err, io.ErrClosedPipe)
	assert.ErrorContains(t, err, "writing to the terminal")
	assert.Equal(t, before, after, "the terminal")
}
