package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
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

func usage(format string, args ...any) error {
	return &failure{code: exitUsage, err: fmt.Errorf(format, args...)}
}

func trouble(err error, hint string) error {
	return &failure{code: exitTrouble, err: err, hint: hint}
}

// no is the answer no: everything was said, the exit code says the rest.
func no(format string, args ...any) error {
	return &failure{code: exitNo, err: fmt.Errorf(format, args...)}
}

// explain finds the exit code and the hint of any error.
func explain(ctx context.Context, err error) *failure {
	var f *failure
	var refusal *wire.Error
	var ended *commandEnded
	switch {
	case errors.As(err, &ended):
		return &failure{code: ended.code, err: err, said: true}
	case ctx.Err() != nil:
		return &failure{code: exitInterrupted, err: errors.New("interrupted")}
	case errors.As(err, &f):
		return f
	case errors.As(err, &refusal):
		return explainRefusal(err, refusal)
	case isKeyringFailure(err):
		return &failure{code: exitTrouble, err: err, hint: keyringHint}
	case errors.Is(err, syscall.EPIPE):
		return &failure{code: exitDone, err: err, said: true}
	case errors.Is(err, config.ErrNoHome):
		return &failure{code: exitUsage, err: err}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		return &failure{code: exitTrouble, err: err}
	}
	return &failure{code: exitTrouble, err: err}
}

// explain is the function of that name, without the advice to read a log that a
// throw-away server does not write.
func (a *app) explain(ctx context.Context, err error) *failure {
	f := explain(ctx, err)
	if refusal, ok := errors.AsType[*wire.Error](err); ok && a.logless && f.hint == requestHint(refusal) {
		f.hint = ""
	}
	return f
}

func explainRefusal(err error, refusal *wire.Error) *failure {
	switch refusal.Status {
	case http.StatusUnauthorized:
		return &failure{code: exitSignIn, err: err, hint: signInHint}
	case http.StatusTooManyRequests:
		return &failure{code: exitRateLimited, err: err, hint: "wait, then try again"}
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &failure{code: exitTrouble, err: err, hint: requestHint(refusal)}
	}
	if refusal.Code == wire.CodeFinished {
		return &failure{code: exitNo, err: err, hint: "go to another machine with --machine (see `parley progress show`), or begin anew with --new"}
	}
	return &failure{code: exitNo, err: err}
}

const signInHint = "sign in with `parley auth login`, or set PARLEY_TOKEN to a bearer token"

func requestHint(refusal *wire.Error) string {
	if refusal.RequestID == "" {
		return ""
	}
	return "the server's log has more under request id " + refusal.RequestID
}

// complain says what failed and what to do, on stderr.
func (a *app) complain(chosen *cobra.Command, f *failure) {
	if f.said {
		return
	}
	fmt.Fprintln(a.err, a.style.bad("parley:"), terminal.CleanLines(f.err.Error()))
	if f.hint != "" {
		fmt.Fprintln(a.err, "  "+terminal.CleanLines(f.hint))
	}
	if f.code == exitUsage && chosen != nil && !strings.Contains(f.hint, "--help") {
		fmt.Fprintf(a.err, "  see `%s --help`\n", chosen.CommandPath())
	}
}
