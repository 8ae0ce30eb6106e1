package service

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/wire"
)

// Explain converts an error to a failure with exit code and hint.
func Explain(ctx context.Context, err error) *cli.Failure {
	if ended, ok := errors.AsType[*cli.ChildExit](err); ok {
		return &cli.Failure{Code: ended.Code, Err: err, Reported: true}
	}
	if ctx.Err() != nil {
		return &cli.Failure{Code: cli.ExitInterrupted, Err: errors.New("interrupted")}
	}
	if f, ok := errors.AsType[*cli.Failure](err); ok {
		return f
	}
	refusal, isRefusal := errors.AsType[*wire.Error](err)
	_, isKeyringError := errors.AsType[*settings.KeyringError](err)
	switch {
	case IsUnsupported(err):
		return &cli.Failure{Code: cli.ExitNo, Err: err}
	case isRefusal:
		return explainRefusal(err, refusal)
	case isKeyringError:
		return &cli.Failure{Code: cli.ExitTrouble, Err: err, Hint: KeyringHint}
	case errors.Is(err, syscall.EPIPE):
		return &cli.Failure{Code: cli.ExitDone, Err: err, Reported: true}
	case errors.Is(err, settings.ErrNoHome):
		return &cli.Failure{Code: cli.ExitUsage, Err: err}
	}
	return &cli.Failure{Code: cli.ExitTrouble, Err: err}
}

// Explain converts an error like the function Explain, with hints for the selected server.
func (a *Access) Explain(ctx context.Context, err error) *cli.Failure {
	f := Explain(ctx, err)
	if f.Hint == SignInHint {
		f = &cli.Failure{Code: f.Code, Err: f.Err, Hint: a.AdviseSignIn(ctx)}
	}
	if refusal, ok := errors.AsType[*wire.Error](err); ok && a.noServerLog && f.Hint == formatRequestHint(refusal) {
		f.Hint = ""
	}
	return f
}

func explainRefusal(err error, refusal *wire.Error) *cli.Failure {
	switch refusal.Status {
	case http.StatusUnauthorized:
		return &cli.Failure{Code: cli.ExitSignIn, Err: err, Hint: SignInHint}
	case http.StatusTooManyRequests:
		return &cli.Failure{Code: cli.ExitRateLimited, Err: err, Hint: "wait, then try again"}
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &cli.Failure{Code: cli.ExitTrouble, Err: err, Hint: formatRequestHint(refusal)}
	}
	hint := ""
	switch refusal.Code {
	case wire.CodeFinished:
		hint = "choose another machine with --machine (see `parley progress show`), or start a new session with --new"
	case wire.CodeMachineLocked:
		hint = "only a chat with a persona file can start in a locked machine: `parley chat FILE --machine KEY`"
	case wire.CodeSessionFull:
		hint = "clear the session with `parley session reset`, or start a new session with --new"
	}
	return &cli.Failure{Code: cli.ExitNo, Err: err, Hint: hint}
}

const adviceTimeout = time.Second

// AdviseSignIn returns the hint for a response with status 401.
func (a *Access) AdviseSignIn(ctx context.Context) string {
	s, err := a.Connect()
	if err != nil {
		return SignInHint
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), adviceTimeout)
	defer cancel()
	methods, err := s.WithAttempts(1).SignIn(ctx)
	if err != nil || !methods.Development {
		return SignInHint
	}
	return "set PARLEY_TOKEN to the output of `parley localserver token --data FOLDER --user you@example.com`, " +
		"where FOLDER is the --data of this server; or sign in with `parley auth login`"
}

// SignInHint is the default hint for a response with status 401.
const SignInHint = "sign in with `parley auth login`, or set PARLEY_TOKEN to a bearer token"

func formatRequestHint(refusal *wire.Error) string {
	if refusal.RequestID == "" {
		return ""
	}
	return "for details search the server's log for request id " + refusal.RequestID
}

// KeyringHint is the hint for a failing keyring.
const KeyringHint = "store the token in a file that only you can read: parley auth login --insecure-storage; " +
	"or set PARLEY_TOKEN"

// IsUnreachable reports whether err means that no service answered in time.
func IsUnreachable(err error) bool {
	_, unreachable := errors.AsType[*client.UnreachableError](err)
	_, late := errors.AsType[*client.TimeoutError](err)
	return unreachable || late
}

// IsUnsupported reports whether err means that the service lacks an endpoint.
func IsUnsupported(err error) bool {
	_, ok := errors.AsType[*client.UnsupportedError](err)
	return ok
}
