// Package cli contains the shared parts of commands, such as streams, tables, JSON, the pager,
// questions and exit codes. The package prints only to the given streams and never ends the
// process. It imports no package for services or persona files.
package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"

	"github.com/parley-npc/parley/tui/terminal"
)

// Streams holds the input, output and environment of a command, and the global flags for output.
type Streams struct {
	In          io.Reader
	Out         *CheckedWriter
	Err         io.Writer
	TTY         Terminals
	Style       Style
	Lookup      func(string) (string, bool) // the environment, as os.LookupEnv
	Now         func() time.Time
	Quiet       bool
	NoColor     bool
	Interrupted <-chan struct{} // closed when the command must end
	FullScreen  bool            // suppresses messages during a full-screen chat
}

// Terminals reports which streams are terminals. Stdin and Stdout are for a full-screen program.
type Terminals struct {
	In, Out, Err bool
	Stdin        *os.File
	Stdout       *os.File
}

func NewStreams(in, out, errOut *os.File) *Streams {
	s := &Streams{In: in, Out: &CheckedWriter{Writer: out}, Err: &talkWriter{under: errOut}, Lookup: os.LookupEnv,
		Now: time.Now}
	s.TTY = Terminals{In: isTerminal(in), Out: isTerminal(out), Err: isTerminal(errOut), Stdin: in, Stdout: out}
	s.Style = s.NewStyle()
	return s
}

func isTerminal(f *os.File) bool {
	return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
}

// Env returns the value of an environment variable, or "" if it is not set.
func (s *Streams) Env(name string) string {
	v, _ := s.Lookup(name)
	return v
}

// CheckOutput returns the first write error of stdout as a Failure with ExitTrouble.
func (s *Streams) CheckOutput() error {
	if s.Out.err == nil {
		return nil
	}
	return WrapTrouble(s.Out.err, "the output may be incomplete or missing")
}

// WorkingFolder returns the working directory, or "" if it is unknown.
func (s *Streams) WorkingFolder() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return folder
}

// CheckedWriter is stdout with a guard against runner commands. It keeps the first write error.
type CheckedWriter struct {
	io.Writer
	err   error
	guard commandGuard
}

func (w *CheckedWriter) Write(p []byte) (int, error) {
	_, err := w.Writer.Write([]byte(w.guard.breakText(string(p))))
	w.keepError(err)
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *CheckedWriter) keepError(err error) {
	if w.err == nil {
		w.err = err
	}
}

// NewLogger returns a logger that writes text to a terminal, and JSON elsewhere.
func (s *Streams) NewLogger() *slog.Logger {
	if s.TTY.Err {
		return slog.New(slog.NewTextHandler(s.Err, nil))
	}
	return slog.New(slog.NewJSONHandler(s.Err, nil))
}

// ShowsUnicode reports whether TERM and the locale allow all Unicode characters.
func (s *Streams) ShowsUnicode() bool { return s.Repertoire() == terminal.AllRunes }

// Repertoire returns the characters that TERM and the locale allow.
func (s *Streams) Repertoire() terminal.Repertoire {
	locale := strings.ToUpper(cmp.Or(s.Env("LC_ALL"), s.Env("LC_CTYPE"), s.Env("LANG")))
	switch term := s.Env("TERM"); {
	case locale != "" && !strings.Contains(locale, "UTF-8") && !strings.Contains(locale, "UTF8"):
		return terminal.OnlyASCII
	case term == "dumb", term == "linux", locale == "" && runtime.GOOS != "windows" && runtime.GOOS != "darwin":
		return terminal.PlainSigns
	}
	return terminal.AllRunes
}

const WatchPause = 400 * time.Millisecond

// Poll calls check after each pause until ctx is cancelled. Polling also works on network drives.
func Poll(ctx context.Context, pause time.Duration, check func()) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			check()
		}
	}
}

// FileState returns a text that changes when a file changes.
func FileState(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "unreadable"
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// EndingSignals returns the signals that end a command, without a SIGHUP under nohup.
func EndingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

func IsSameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	two, errTwo := os.Stat(b)
	return errOne == nil && errTwo == nil && os.SameFile(one, two)
}
