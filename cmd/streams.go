package cmd

import (
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
)

// streams are what a command reads, prints and says, and what of its surroundings
// decides how: whether there are terminals, the environment, the clock.
type streams struct {
	in     io.Reader
	out    *watched
	err    io.Writer
	tty    terminals
	style  style
	lookup func(string) (string, bool)
	now    func() time.Time
	quiet  bool // --quiet
	noTint bool // --no-color
	// interrupted is closed when the command is to end.
	interrupted <-chan struct{}
	screen      bool // the whole screen is in use: talk would tear it
}

// terminals says which streams are a terminal, and holds the two that a screen
// needs.
type terminals struct {
	in, out, err bool
	stdin        *os.File
	stdout       *os.File
}

func newStreams(in, out, errOut *os.File) *streams {
	s := &streams{in: in, out: &watched{Writer: out}, err: errOut, lookup: os.LookupEnv, now: time.Now}
	s.tty = terminals{in: isTerminal(in), out: isTerminal(out), err: isTerminal(errOut), stdin: in, stdout: out}
	s.style = s.newStyle()
	return s
}

func isTerminal(f *os.File) bool {
	return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
}

func (s *streams) env(name string) string {
	v, _ := s.lookup(name)
	return v
}

// outFault is the failure to write stdout, if there was one. A closed pipe is
// none: whoever reads has had enough.
func (s *streams) outFault() error {
	if s.out.err == nil {
		return nil
	}
	return trouble(s.out.err, "nothing is known to have reached stdout")
}

// folder is the working folder, "" when the system does not know it.
func (s *streams) folder() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return folder
}

// watched remembers the first failure to write, so that a full disk behind
// stdout is not taken for success, and a closed pipe is.
type watched struct {
	io.Writer
	err error
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

// logger writes text on a terminal and JSON elsewhere.
func (a *streams) logger() *slog.Logger {
	if a.tty.err {
		return slog.New(slog.NewTextHandler(a.err, nil))
	}
	return slog.New(slog.NewJSONHandler(a.err, nil))
}

// unicode tells whether a terminal draws more than ASCII, as the locale says.
func (a *streams) unicode() bool {
	if a.env("TERM") == "dumb" || a.env("TERM") == "linux" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(a.env(name)); locale != "" {
			return strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
		}
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin"
}
