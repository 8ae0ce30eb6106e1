package cli

import (
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
)

// Streams are what a command reads, prints and says, and what of its surroundings
// decides how: whether there are terminals, the environment, the clock.
type Streams struct {
	In      io.Reader
	Out     *CheckedWriter
	Err     io.Writer
	TTY     Terminals
	Style   Style
	Lookup  func(string) (string, bool)
	Now     func() time.Time
	Quiet   bool // --quiet
	NoColor bool // --no-color
	// Interrupted is closed when the command is to end.
	Interrupted <-chan struct{}
	FullScreen  bool // the whole screen is in use: talk would tear it
}

// Terminals says which streams are a terminal, and holds the two that a screen
// needs.
type Terminals struct {
	In, Out, Err bool
	Stdin        *os.File
	Stdout       *os.File
}

func NewStreams(in, out, errOut *os.File) *Streams {
	s := &Streams{In: in, Out: &CheckedWriter{Writer: out}, Err: errOut, Lookup: os.LookupEnv, Now: time.Now}
	s.TTY = Terminals{In: isTerminal(in), Out: isTerminal(out), Err: isTerminal(errOut), Stdin: in, Stdout: out}
	s.Style = s.NewStyle()
	return s
}

func isTerminal(f *os.File) bool {
	return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
}

func (s *Streams) Env(name string) string {
	v, _ := s.Lookup(name)
	return v
}

// OutputFailure is the failure to write stdout, if there was one. A closed pipe is
// none: whoever reads has had enough.
func (s *Streams) OutputFailure() error {
	if s.Out.err == nil {
		return nil
	}
	return WrapTrouble(s.Out.err, "nothing is known to have reached stdout")
}

// WorkingFolder is the working folder, "" when the system does not know it.
func (s *Streams) WorkingFolder() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return folder
}

// CheckedWriter remembers the first failure to write, so that a full disk behind
// stdout is not taken for success, and a closed pipe is.
type CheckedWriter struct {
	io.Writer
	err error
}

func (w *CheckedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

// NewLogger writes text on a terminal and JSON elsewhere.
func (a *Streams) NewLogger() *slog.Logger {
	if a.TTY.Err {
		return slog.New(slog.NewTextHandler(a.Err, nil))
	}
	return slog.New(slog.NewJSONHandler(a.Err, nil))
}

// ShowsUnicode tells whether a terminal draws more than ASCII, as the locale says.
func (a *Streams) ShowsUnicode() bool {
	if a.Env("TERM") == "dumb" || a.Env("TERM") == "linux" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(a.Env(name)); locale != "" {
			return strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
		}
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin"
}
