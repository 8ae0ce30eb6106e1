package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui"
)

// The exit codes (help topic exit-codes).
const (
	exitDone        = 0
	exitNo          = 1
	exitUsage       = 2
	exitTrouble     = 3
	exitSignIn      = 4
	exitRateLimited = 8
	exitInterrupted = 130
)

// failure is an error with the exit code that it means and, where there is
// one, the next step.
type failure struct {
	code int
	err  error
	hint string
	// said is set when everything that needs saying stands on the terminal.
	said bool
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

func UsageError(format string, args ...any) error {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...)}
}

func WrapTrouble(err error, hint string) error {
	return &failure{code: exitTrouble, err: err, hint: hint}
}

// AnswerNo is the answer no: everything was said, the exit code says the rest.
func AnswerNo(format string, args ...any) error {
	return &failure{code: exitNo, err: fmt.Errorf(format, args...)}
}

// ReportFailure says what failed and what to do, on stderr.
func (a *Streams) ReportFailure(chosen *cobra.Command, f *failure) {
	if f.said {
		return
	}
	fmt.Fprintln(a.err, a.style.Error("parley:"), tui.CleanLines(f.err.Error()))
	if f.hint != "" {
		fmt.Fprintln(a.err, "  "+tui.CleanLines(f.hint))
	}
	if f.code == exitUsage && chosen != nil && !strings.Contains(f.hint, "--help") {
		fmt.Fprintf(a.err, "  see `%s --help`\n", chosen.CommandPath())
	}
}

// ChildExit is that the command ended with another exit code than 0, which
// becomes ours whatever else is the matter.
type ChildExit struct{ code int }

func (e *ChildExit) Error() string { return fmt.Sprintf("the command ended with %d", e.code) }

// PathReason is an error of the file system without the path and the system call.
func PathReason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
