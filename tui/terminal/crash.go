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

// Crash is a panic in the screen's code.
type Crash struct {
	Value any
	// Where contains the innermost places in Parley's code, such as "tui/chat.go:12 (tui.newChat)".
	Where []string
}

// Error returns the panic's value and the places in the code, for a bug report.
func (c *Crash) Error() string {
	return fmt.Sprintf("the screen crashed: %v, at %s; your progress is saved; please report this crash and what you did before", c.Value, strings.Join(c.Where, ", "))
}

// CrashGuard catches panics of the screen's code, including those in goroutines that bubbletea
// starts. It stops the program in the usual way, so that the terminal is restored. A nil CrashGuard
// does not catch panics.
type CrashGuard struct{ stop context.CancelCauseFunc }

// NewCrashGuard returns a guard that calls stop with the *Crash.
func NewCrashGuard(stop context.CancelCauseFunc) *CrashGuard { return &CrashGuard{stop} }

// CatchPanic recovers from a panic and calls stop. Callers must defer CatchPanic directly, not call
// it in another deferred function.
func (g *CrashGuard) CatchPanic() {
	if g == nil {
		return
	}
	if value := recover(); value != nil {
		g.stop(&Crash{Value: value, Where: panicPlaces()})
	}
}

func panicPlaces() []string {
	var list []string
	frames := runtime.CallersFrames(panicCallers())
	for {
		f, more := frames.Next()
		name := path.Base(f.Function)
		ours := strings.Contains(f.Function, "/parley/") && !strings.Contains(name, "(*screen)") && !strings.Contains(name, "(*CrashGuard)")
		if ours {
			folder, file := path.Split(f.File)
			list = append(list, fmt.Sprintf("%s/%s:%d (%s)", path.Base(folder), file, f.Line, name))
		}
		if !more || len(list) == 3 {
			return list
		}
	}
}

// panicCallers returns the callers of the panic, without the functions of this file.
func panicCallers() []uintptr {
	steps := make([]uintptr, 64)
	return steps[:runtime.Callers(4, steps)]
}

type terminal interface {
	io.ReadWriteCloser
	Fd() uintptr
}

// IsTerminal reports whether a reader has a file descriptor, as a terminal does.
func IsTerminal(in io.Reader) bool {
	_, ok := in.(terminal)
	return ok
}

// watchedTerminal is a terminal that stops the program if a write fails, because the player then no
// longer sees the screen. Concurrent writes are not interleaved.
type watchedTerminal struct {
	terminal
	*CrashGuard
	mu sync.Mutex
}

// Write writes to the terminal, and stops the program if that fails.
func (w *watchedTerminal) Write(p []byte) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.CatchPanic()
	n, err = w.terminal.Write(p)
	if err != nil {
		w.stop(fmt.Errorf("writing to the terminal: %w", err))
	}
	return n, err
}

// WatchTerminal returns a terminal that calls stop when a write fails. If out is not a terminal or
// was returned by WatchTerminal, it returns out.
func WatchTerminal(out io.Writer, stop context.CancelCauseFunc) io.Writer {
	t, ok := out.(terminal)
	if _, twice := out.(*watchedTerminal); ok && !twice {
		return &watchedTerminal{terminal: t, CrashGuard: &CrashGuard{stop}}
	}
	return out
}
