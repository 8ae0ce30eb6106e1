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

// Crash is the error for a panic in the screen's code.
type Crash struct {
	Value any
	// Where lists the innermost places in Parley's code, such as "tui/chat.go:12 (tui.newChat)".
	Where []string
}

func (c *Crash) Error() string {
	return fmt.Sprintf("the screen crashed: %v, at %s; your progress is saved; "+
		"please report this crash and what you did before", c.Value, strings.Join(c.Where, ", "))
}

// CrashGuard catches panics of the screen's code, also in goroutines of bubbletea. The program then
// stops normally and restores the terminal. A nil CrashGuard catches nothing.
type CrashGuard struct{ stop context.CancelCauseFunc }

// NewCrashGuard returns a guard that passes a *Crash to stop.
func NewCrashGuard(stop context.CancelCauseFunc) *CrashGuard { return &CrashGuard{stop} }

// CatchPanic recovers from a panic and calls stop. Defer CatchPanic directly.
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
		isGuard := strings.Contains(name, "(*screen)") || strings.Contains(name, "(*CrashGuard)")
		if !isGuard && strings.Contains(f.Function, "/parley/") {
			folder, file := path.Split(f.File)
			list = append(list, fmt.Sprintf("%s/%s:%d (%s)", path.Base(folder), file, f.Line, name))
		}
		if !more || len(list) == 3 {
			return list
		}
	}
}

func panicCallers() []uintptr {
	steps := make([]uintptr, 64)
	return steps[:runtime.Callers(4, steps)]
}

type terminal interface {
	io.ReadWriteCloser
	Fd() uintptr
}

// IsTerminal reports whether a reader has a file descriptor.
func IsTerminal(r io.Reader) bool {
	_, ok := r.(terminal)
	return ok
}

// watchedTerminal stops the program after a failed write, because the screen is gone.
type watchedTerminal struct {
	terminal
	*CrashGuard
	mu sync.Mutex
}

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

// WatchTerminal returns a terminal that calls stop after a failed write.
func WatchTerminal(out io.Writer, stop context.CancelCauseFunc) io.Writer {
	t, ok := out.(terminal)
	if _, twice := out.(*watchedTerminal); ok && !twice {
		return &watchedTerminal{terminal: t, CrashGuard: &CrashGuard{stop}}
	}
	return out
}
