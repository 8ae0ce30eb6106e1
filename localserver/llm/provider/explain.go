package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/plaintext"
)

func (a *asker) classifyError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return newContextFailure(ctx)
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return newTooMuch(int(tooLarge.Limit))
	}
	f := &failure{kind: Down, cause: err, retryable: true, problem: "the connection to " + a.base.Host + " broke off"}
	operation, ok := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.problem = "the answer was cut off"
	case ok && operation.Op == "dial":
		f.problem = "nothing answers at " + a.base.Host
		switch {
		case a.provider.Name == "ollama":
			f.hint = "is Ollama running? `ollama serve` starts it"
		case a.provider.Local:
			f.hint = "is its server running?"
		}
	}
	return f
}

func (a *asker) explainFailure(f *failure) *Error {
	if f.kind == KeyRefused && !a.key.IsSet() {
		f.kind = KeyMissing
	}
	text := a.Model() + ": " + a.describeFailure(f)
	if f.status != 0 {
		text += fmt.Sprintf(" (%d)", f.status)
	}
	if said := a.cleanText(f.providerText); said != "" {
		text += ": " + said
	}
	if f.wait > 0 {
		text += fmt.Sprintf("; the provider asks to wait %s", f.wait.Round(time.Second))
	}
	if f.hint != "" {
		text += "; " + f.hint
	}
	return &Error{
		Kind: f.kind, Provider: a.target.Provider, Model: a.target.Model, Status: f.status,
		Message: text, RetryAfter: f.wait, Cause: maskError(f.cause, a.keysInUse()),
	}
}

func (a *asker) describeFailure(f *failure) string {
	if f.problem != "" {
		return f.problem
	}
	title := a.provider.Title
	switch f.kind {
	case KeyMissing:
		said := title + " requires a key, and none was sent"
		if a.keyName == nowhere {
			said += ": put one in the environment variable " + strings.Join(a.provider.KeyVariables, " or ")
		}
		return said
	case KeyRefused:
		return title + " refused " + a.keyName
	case Quota:
		return title + " has reached the rate limit of this key"
	case TooLong:
		return "the request is longer than the model can read"
	case NoModel:
		return title + " has no model with that name"
	case BadRequest:
		return title + " does not accept the request"
	}
	return title + " failed"
}

func (a *asker) cleanText(said string) string {
	// JoinLines comes first, because a character that it removes could be in the middle of a key.
	return plaintext.ClipAfter(withoutKeys(plaintext.JoinLines(plaintext.KeepPrintable(said)), a.keysInUse()), maxSaid, plaintext.Ellipsis)
}

func (a *asker) keysInUse() []string { return append(a.client.keys.keys(), a.key.Reveal()) }
