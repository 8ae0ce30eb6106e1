package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
)

const (
	ExitDone        = 0   // done, or the answer is yes
	ExitNo          = 1   // the answer is no: findings, an error response, something missing
	ExitUsage       = 2   // the command line or the settings are wrong
	ExitTrouble     = 3   // the network, a file or the service failed
	ExitSignIn      = 4   // the service requires a sign-in
	ExitRateLimited = 8   // the rate limit of the service was reached
	ExitInterrupted = 130 // ended by a signal
)

// A Failure is an error with an exit code and an optional hint.
type Failure struct {
	Code     int
	Err      error
	Hint     string
	Reported bool // print no message
}

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

func UsageError(format string, args ...any) error {
	return &Failure{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// WrapTrouble returns a Failure with ExitTrouble, or nil if err is nil. hint may be "".
func WrapTrouble(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &Failure{Code: ExitTrouble, Err: err, Hint: hint}
}

func AnswerNo(format string, args ...any) error {
	return &Failure{Code: ExitNo, Err: fmt.Errorf(format, args...)}
}

// ReportFailure prints a failure and its hint on stderr. command may be nil.
func (s *Streams) ReportFailure(command *cobra.Command, f *Failure) {
	if f.Reported {
		return
	}
	fmt.Fprintln(s.Err, s.Style.Error("parley:"), terminal.CleanLines(plaintext.RedactText(f.Err.Error())))
	if f.Hint != "" {
		fmt.Fprintln(s.Err, "  "+terminal.CleanLines(plaintext.RedactText(f.Hint)))
	}
	if f.Code == ExitUsage && command != nil && !strings.Contains(f.Hint, "--help") {
		fmt.Fprintf(s.Err, "  see `%s --help`\n", command.CommandPath())
	}
}

// ChildExit is the error of a child process. Code becomes the exit code of parley.
type ChildExit struct{ Code int }

func (e *ChildExit) Error() string { return fmt.Sprintf("the command exited with %d", e.Code) }

// CheckFolder returns an error with prefix if the directory of file does not exist.
func CheckFolder(prefix, file string) error {
	folder := filepath.Dir(file)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return WrapTrouble(fmt.Errorf("%s: the folder %s does not exist", prefix, folder),
			"create the folder first, or give another FILE")
	}
	return nil
}

// PathReason removes the path and the system call from a file system error.
func PathReason(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	return err
}
