package cmd

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"syscall"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/personas/wire"
)

// explain finds the exit code and the hint of any error.
func explain(ctx context.Context, err error) *failure {
	var f *failure
	var refusal *wire.Error
	var ended *ChildExit
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
func (a *Access) explain(ctx context.Context, err error) *failure {
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

func isKeyringFailure(err error) bool {
	_, ok := errors.AsType[*config.KeyringFailed](err)
	return ok
}

// keyringHint is the way without a keyring.
const keyringHint = "keep the token in a file that only you can read instead: parley auth login --insecure-storage; or set PARLEY_TOKEN"

func isUnauthenticated(err error) bool {
	var refusal *wire.Error
	return errors.As(err, &refusal) && refusal.Status == 401
}

func isUnreachable(err error) bool {
	var unreachable *client.Unreachable
	var late *client.TimedOut
	return errors.As(err, &unreachable) || errors.As(err, &late)
}

func isMissing(err error) bool {
	var refusal *wire.Error
	return errors.As(err, &refusal) && refusal.Status == http.StatusNotFound
}
