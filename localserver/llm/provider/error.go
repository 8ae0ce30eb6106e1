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

// Kind is the kind of an Error.
type Kind string

// The kinds of errors.
const (
	KeyMissing  Kind = "key-missing" // no key is set for the provider
	KeyRefused  Kind = "key-refused" // 401, 403
	Quota       Kind = "quota"       // 429, or the quota of a day is used up
	NoCredit    Kind = "no-credit"   // 402, no credit left
	TooLong     Kind = "too-long"    // the request is longer than the model's context
	NoModel     Kind = "no-model"    // the model does not exist
	BadRequest  Kind = "bad-request" // the provider rejects the request
	Down        Kind = "down"        // no connection, 5xx, or an answer that is cut off or garbled
	Late        Kind = "late"        // no answer in time
	Unusable    Kind = "unusable"    // an answer came, but it is a refusal, empty or not in the requested form
	NotRecorded Kind = "not-there"   // the recording does not contain the answer
	// Unsupported means that the API lacks the call or token probabilities.
	Unsupported Kind = "unsupported"
)

// Error is a failure of a provider. Its text is one line with the model and the provider's message,
// and without a key.
type Error struct {
	Kind            Kind
	Provider, Model string
	// Status is the HTTP status, or 0 without a response.
	Status  int
	Message string
	// RetryAfter is the wait that the provider requests, or 0.
	RetryAfter time.Duration
	// Cause is for the log. It contains no key.
	Cause error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Cause }

type failure struct {
	kind         Kind
	status       int
	providerText string
	problem      string
	hint         string
	wait         time.Duration
	thinking     bool
	retryable    bool
	refused      bool
	cause        error
}

func (f *failure) Error() string { return f.problem }

func (f *failure) Unwrap() error { return f.cause }

func newUnreadable(cause error) *failure {
	return &failure{kind: Down, problem: "the answer cannot be read", cause: cause}
}

func newCutOff(cause error) *failure {
	return &failure{kind: Down, problem: "the answer was cut off", retryable: true, cause: cause}
}

func newTooMuch(limit int) *failure {
	return &failure{kind: Down, problem: fmt.Sprintf("the answer is longer than %d bytes", limit)}
}

func newContextFailure(ctx context.Context) *failure {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &failure{kind: Late, problem: "the call was canceled", cause: context.Canceled}
	}
	return &failure{kind: Late, problem: "no answer came in time", cause: context.DeadlineExceeded}
}

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
	failed := &failure{
		kind: Down, cause: err, retryable: true, problem: "the connection to " + a.base.Host + " broke off",
	}
	operation, ok := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		failed.problem = "the answer was cut off"
	case ok && operation.Op == "dial":
		failed.problem = "nothing answers at " + a.base.Host
		switch {
		case a.provider.Name == "ollama":
			failed.hint = "is Ollama running? `ollama serve` starts it"
		case a.provider.Local:
			failed.hint = "is its server running?"
		}
	}
	return failed
}

func (a *asker) explainFailure(failed *failure) *Error {
	if failed.kind == KeyRefused && !a.key.IsSet() {
		failed.kind = KeyMissing
	}
	text := a.Model() + ": " + a.describeFailure(failed)
	if failed.status != 0 {
		text += fmt.Sprintf(" (%d)", failed.status)
	}
	if message := a.cleanText(failed.providerText); message != "" {
		text += ": " + message
	}
	if failed.wait > 0 {
		text += fmt.Sprintf("; the provider asks to wait %s", failed.wait.Round(time.Second))
	}
	if failed.hint != "" {
		text += "; " + failed.hint
	}
	return &Error{
		Kind: failed.kind, Provider: a.target.Provider, Model: a.target.Model, Status: failed.status,
		Message: text, RetryAfter: failed.wait, Cause: maskError(failed.cause, a.keysInUse()),
	}
}

func (a *asker) describeFailure(failed *failure) string {
	if failed.problem != "" {
		return failed.problem
	}
	title := a.provider.Title
	switch failed.kind {
	case KeyMissing:
		text := title + " requires a key, and none was sent"
		if a.keyName == nowhere {
			text += ": put one in the environment variable " + strings.Join(a.provider.KeyVariables, " or ")
		}
		return text
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

func (a *asker) cleanText(text string) string {
	// JoinLines comes first, because a removed character could be inside a key.
	return plaintext.ClipAfter(
		withoutKeys(plaintext.JoinLines(plaintext.KeepPrintable(text)), a.keysInUse()), maxSaid, plaintext.Ellipsis,
	)
}

func (a *asker) keysInUse() []string { return append(a.client.keys.keys(), a.key.Reveal()) }
