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

// Crash is a panic in the code of the screen: what it said, and where. The terminal
// has been given back before anybody sees it.
type Crash struct {
	Value any
	// Where are the innermost places in this program, "tui/chat.go:12 (tui.newChat)".
	Where []string
}

// Error is one sentence with what a report of the crash needs.
func (c *Crash) Error() string {
	return fmt.Sprintf("the screen broke: %v, at %s; your place is kept, please report this with what you did", c.Value, strings.Join(c.Where, ", "))
}

// CrashGuard is what catches a panic wherever the screen's code runs, also where bubbletea
// runs it in a goroutine of its own: the program is stopped the ordinary way, which
// restores the terminal, and nothing is printed into it. The nil guard catches nothing.
type CrashGuard struct{ stop context.CancelCauseFunc }

// NewCrashGuard stops what runs by stop, which is told the *Crash.
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

// watchedTerminal is a terminal whose first failure to take output ends the
// screen: nobody sees it any more. It may be written to from several goroutines;
// what is written at once stays together.
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

// WatchTerminal watches a terminal; one that is watched already stays as it is.
func WatchTerminal(out io.Writer, stop context.CancelCauseFunc) io.Writer {
	t, ok := out.(terminal)
	if _, twice := out.(*watchedTerminal); ok && !twice {
		return &watchedTerminal{terminal: t, CrashGuard: &CrashGuard{stop}}
	}
	return out
}
