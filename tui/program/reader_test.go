//go:build !windows

package program

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
)

// terminalReader is a reader of a pseudo-terminal, and what it has sent.
type terminalReader struct {
	*Reader
	t       *testing.T
	outside *os.File // where somebody types
	failed  chan error

	mu   sync.Mutex
	msgs []tea.Msg
}

func newTerminalReader(t *testing.T) *terminalReader {
	t.Helper()
	outside, inside, err := pty.Open()
	assert.NoError(t, err)
	assert.Value(term.MakeRaw(inside.Fd()))(t)
	r := &terminalReader{t: t, outside: outside, failed: make(chan error, 1)}
	send := func(msg tea.Msg) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.msgs = append(r.msgs, msg)
	}
	r.Reader = NewReader(inside, NewDecoder(maxTestPaste, nil), send, func(err error) { r.failed <- err }, nil)
	assert.NoError(t, r.Start())
	t.Cleanup(func() {
		r.Close()
		_, _ = outside.Close(), inside.Close()
	})
	return r
}

func (r *terminalReader) write(text string) {
	r.t.Helper()
	if _, err := r.outside.WriteString(text); err != nil {
		r.t.Error(err)
	}
}

// sent waits until everything that was sent means want.
func (r *terminalReader) sent(want string) {
	r.t.Helper()
	got := ""
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		r.mu.Lock()
		got = strings.Join(describeAll(r.msgs), " | ")
		r.mu.Unlock()
		if got == want {
			return
		}
	}
	r.t.Errorf("it sends %q, not %q", got, want)
}

func TestReaderTakesSlowBytes(t *testing.T) {
	t.Parallel()
	r := newTerminalReader(t)
	for _, b := range []byte("gr\xc3\xbcn 👩‍👩‍👧\x1b[13;2u\x1b]11;rgb:0/0/0\x1b\\\x1b[200~a\rb\x1b[201~.") {
		r.write(string([]byte{b}))
		time.Sleep(10 * time.Millisecond)
	}
	r.sent("text grün 👩‍👩‍👧 | key alt+enter | paste a\rb | text .")
}

func TestReaderSendsLoneEscape(t *testing.T) {
	t.Parallel()
	r := newTerminalReader(t)
	r.write("\x1b")
	r.sent("key esc")
	r.write("a\x1b[")
	r.sent("key esc | text a | key alt+[")
}

func TestReaderTakesLongText(t *testing.T) {
	t.Parallel()
	r := newTerminalReader(t)
	text := "a" + strings.Repeat("é漢😀", 5000)
	go r.write(text)
	r.sent("text " + text)
}

// TestReaderStops: a stopped reader leaves the typed keys to another program.
func TestReaderStops(t *testing.T) {
	t.Parallel()
	r := newTerminalReader(t)
	r.write("one")
	r.sent("text one")
	r.Stop()
	r.Stop()
	r.write("two")
	time.Sleep(50 * time.Millisecond)
	r.sent("text one")
	assert.NoError(t, r.Start())
	r.sent("text onetwo")
}

// brokenInput breaks, or fails, when it is read.
type brokenInput struct{ err error }

func (b brokenInput) Read([]byte) (int, error) {
	if b.err == nil {
		panic("in what is typed")
	}
	return 0, b.err
}

func TestReaderFails(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	gone := errors.New("gone")
	r := NewReader(brokenInput{gone}, NewDecoder(0, nil), func(tea.Msg) {}, func(err error) { failed <- err }, nil)
	defer r.Close()
	assert.NoError(t, r.Start())
	err := <-failed
	assert.ErrorIs(t, err, gone)
}

func TestReaderCatchesPanics(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	r := NewReader(brokenInput{}, NewDecoder(0, nil), func(tea.Msg) {}, stop, terminal.NewCrashGuard(stop))
	defer r.Close()
	assert.NoError(t, r.Start())
	<-ctx.Done()
	if crash, ok := errors.AsType[*terminal.Crash](context.Cause(ctx)); !ok || crash.Value != "in what is typed" {
		t.Errorf("it ends with %v", context.Cause(ctx))
	}
}

// typedText records typed text, and quits at Enter. At Ctrl+E it runs another program.
type typedText struct{ text strings.Builder }

func (k *typedText) Init() tea.Cmd { return nil }
func (k *typedText) View() string  { return k.text.String() }
func (k *typedText) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	press, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
	case press.Type == tea.KeyRunes || press.Type == tea.KeySpace:
		k.text.WriteString(string(press.Runes))
	case press.Type == tea.KeyCtrlE:
		return k, RunOutside(func() error { k.text.WriteString("|"); return nil }, func(error) tea.Msg { return nil })
	case press.Type == tea.KeyEnter:
		return k, tea.Quit
	}
	return k, nil
}

// TestProgramLosesNoCharacter: many characters at once, cut ones, and those typed around another program.
func TestProgramLosesNoCharacter(t *testing.T) {
	t.Parallel()
	outside, inside, err := pty.Open()
	assert.NoError(t, err)
	defer func() { _, _ = outside.Close(), inside.Close() }()
	assert.NoError(t, pty.Setsize(inside, &pty.Winsize{Rows: 24, Cols: 80}))
	model := &typedText{}
	shown := make(chan string)
	go readShown(outside, shown)
	ended := make(chan error, 1)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	go func() { ended <- Run(ctx, Terminal{In: inside, Out: terminal.WatchTerminal(inside, nil)}, model) }()
	<-shown // The terminal is taken.
	many := "a" + strings.Repeat("é", 128) + strings.Repeat("漢😀", 300)
	for _, chunk := range []string{many, "gr\xc3", "\xbcn", "\x1b]11;rgb:0/0/0", "\x1b\\\x05", "\x1b[27;2;32~ü", "\r"} {
		assert.Value(outside.WriteString(chunk))(t)
		time.Sleep(30 * time.Millisecond)
	}
	assert.NoError(t, <-ended)
	if got, want := model.text.String(), many+"grün| ü"; got != want {
		t.Errorf("%d characters were typed, and not %d: it ends in %q", len([]rune(got)), len([]rune(want)), got[max(len(got)-20, 0):])
	}
}

// readShown reads what is shown; the first of it is handed on.
func readShown(from interface{ Read([]byte) (int, error) }, shown chan<- string) {
	buffer := make([]byte, 4096)
	for first := true; ; first = false {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if first {
			shown <- string(buffer[:n])
		}
	}
}
