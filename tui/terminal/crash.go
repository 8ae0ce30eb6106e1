package terminal

import (
	"context"
	"fmt"
	"io"
	"path"
	"runtime"
	"strings"
	"sync"
)

// Crash is a panic in the screen's code: its value and its place. The terminal is restored before
// it is shown.
type Crash struct {
	Value any
	// Where are the innermost places in this program, "tui/chat.go:12 (tui.newChat)".
	Where []string
}

// Error is one sentence with what a report of the crash needs.
func (c *Crash) Error() string {
	return fmt.Sprintf("the screen broke: %v, at %s; your place is kept, please report this with what you did", c.Value, strings.Join(c.Where, ", "))
}

// CrashGuard catches panics of the screen's code, also in goroutines that bubbletea starts. It
// stops the program in the ordinary way, which restores the terminal, and prints nothing into it.
// The nil guard catches nothing.
type CrashGuard struct{ stop context.CancelCauseFunc }

// NewCrashGuard returns a guard that calls stop with the *Crash.
func NewCrashGuard(stop context.CancelCauseFunc) *CrashGuard { return &CrashGuard{stop} }

// CatchPanic is deferred.
func (g *CrashGuard) CatchPanic() {
	if g == nil {
		return
	}
	if value := recover(); value != nil {
		g.stop(&Crash{Value: value, Where: panicPlaces()})
	}
}

// panicPlaces are up to three places of this program on the way to the panic.
func panicPlaces() []string {
	var list []string
	frames := runtime.CallersFrames(panicCallers())
	for {
		f, more := frames.Next()
		name := path.Base(f.Function)
		ours := strings.Contains(f.Function, "/parley/") && !strings.Contains(name, "(*guardedModel)") && !strings.Contains(name, "(*CrashGuard)")
		if ours {
			folder, file := path.Split(f.File)
			list = append(list, fmt.Sprintf("%s/%s:%d (%s)", path.Base(folder), file, f.Line, name))
		}
		if !more || len(list) == 3 {
			return list
		}
	}
}

// panicCallers is the way to the panic, without the steps of looking at it.
func panicCallers() []uintptr {
	steps := make([]uintptr, 64)
	return steps[:runtime.Callers(4, steps)]
}

// terminal is what bubbletea takes for one.
type terminal interface {
	io.ReadWriteCloser
	Fd() uintptr
}

// IsTerminal reports whether a reader has a file descriptor, as a terminal has. Questions are
// not asked where the answer could not come.
func IsTerminal(in io.Reader) bool {
	_, ok := in.(terminal)
	return ok
}

// watchedTerminal is a terminal that ends the screen at its first failed write, because nobody sees
// the screen any more. It is safe for concurrent use; each Write stays in one piece.
type watchedTerminal struct {
	terminal
	*CrashGuard
	mu sync.Mutex
}

// Write writes, and stops the program when that fails.
func (w *watchedTerminal) Write(p []byte) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.CatchPanic()
	n, err = w.terminal.Write(p)
	if err != nil {
		w.stop(fmt.Errorf("the terminal takes no output: %w", err))
	}
	return n, err
}

// WatchTerminal watches a terminal. It returns a watched one unchanged.
func WatchTerminal(out io.Writer, stop context.CancelCauseFunc) io.Writer {
	t, ok := out.(terminal)
	if _, twice := out.(*watchedTerminal); ok && !twice {
		return &watchedTerminal{terminal: t, CrashGuard: &CrashGuard{stop}}
	}
	return out
}
