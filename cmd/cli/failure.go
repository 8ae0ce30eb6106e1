package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui/terminal"
)

// The exit codes (help topic exit-codes).
const (
	ExitDone        = 0
	ExitNo          = 1
	ExitUsage       = 2
	ExitTrouble     = 3
	ExitSignIn      = 4
	ExitRateLimited = 8
	ExitInterrupted = 130
)

// Failure is an error with the exit code that it means and, where there is
// one, the next step.
type Failure struct {
	Code int
	Err  error
	Hint string
	// Said is set when everything that needs saying stands on the terminal.
	Said bool
}

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

func UsageError(format string, args ...any) error {
	return &Failure{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

func WrapTrouble(err error, hint string) error {
	return &Failure{Code: ExitTrouble, Err: err, Hint: hint}
}

// AnswerNo is the answer no: everything was said, the exit code says the rest.
func AnswerNo(format string, args ...any) error {
	return &Failure{Code: ExitNo, Err: fmt.Errorf(format, args...)}
}

// ReportFailure says what failed and what to do, on stderr.
func (a *Streams) ReportFailure(chosen *cobra.Command, f *Failure) {
	if f.Said {
		return
	}
	fmt.Fprintln(a.Err, a.Style.Error("parley:"), terminal.CleanLines(f.Err.Error()))
	if f.Hint != "" {
		fmt.Fprintln(a.Err, "  "+terminal.CleanLines(f.Hint))
	}
	if f.Code == ExitUsage && chosen != nil && !strings.Contains(f.Hint, "--help") {
		fmt.Fprintf(a.Err, "  see `%s --help`\n", chosen.CommandPath())
	}
}

// ChildExit is that the command ended with another exit code than 0, which
// becomes ours whatever else is the matter.
type ChildExit struct{ Code int }

func (e *ChildExit) Error() string { return fmt.Sprintf("the command ended with %d", e.Code) }

// PathReason is an error of the file system without the path and the system call.
func PathReason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
