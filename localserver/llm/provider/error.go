package provider

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind sorts what can go wrong with a provider.
type Kind string

// The kinds of errors.
const (
	KeyMissing Kind = "key-missing" // no key is set for it
	KeyRefused Kind = "key-refused" // 401, 403
	Quota      Kind = "quota"       // 429, the quota of a day
	NoCredit   Kind = "no-credit"   // 402, out of credit
	TooLong    Kind = "too-long"    // the request is longer than the model's context
	NoModel    Kind = "no-model"    // the model does not exist
	BadRequest Kind = "bad-request" // the provider does not take the request
	Down       Kind = "down"        // no connection, 5xx, an answer that is cut off or garbled
	Late       Kind = "late"        // no answer in time
	Unusable   Kind = "unusable"    // an answer came and is refused, empty or not in the form that was asked for
	NotThere   Kind = "not-there"   // a recording does not have it
	// Unsupported is an API without the call, or without probabilities of tokens.
	Unsupported Kind = "unsupported"
)

// Error is the failure of a provider. Its text is a sentence for the operator or a caller of the
// server: it contains the provider and the model, but never a key; the provider's own message is
// quoted in one short line without control characters.
type Error struct {
	Kind Kind
	// Provider and Model are as in provider/model.
	Provider, Model string
	// Status is the HTTP status, 0 without an answer.
	Status int
	// Message contains the failure and a remedy.
	Message string
	// RetryAfter is how long the provider asks to wait; 0 if unknown.
	RetryAfter time.Duration
	// Cause is for the log; it holds no key either.
	Cause error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// hasAnswered reports whether an error came from a server that answered.
func hasAnswered(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status != 0
}

// failure is the internal description of one failed attempt.
type failure struct {
	kind   Kind
	status int
	// providerText is the provider's message, unchanged.
	providerText string
	// problem is the failure, in our words.
	problem string
	// hint is the next step.
	hint string
	// wait is the wait that the provider asks for.
	wait time.Duration
	// thinking marks an answer that was too short to contain more than thoughts.
	thinking bool
	// stopped marks an answer with thoughts that were ended by a stop sequence.
	stopped bool
	// retryable marks what may be over in a moment.
	retryable bool
	// refused marks content that the provider does not answer to: no error.
	refused bool
	cause   error
}

func (f *failure) Error() string { return f.problem }

func (f *failure) Unwrap() error { return f.cause }

// newUnreadable returns the failure for an answer that cannot be read.
func newUnreadable(cause error) *failure {
	return &failure{kind: Down, problem: "the answer cannot be read", cause: cause}
}

// newCutOff returns the failure of an answer that was cut off.
func newCutOff(cause error) *failure {
	return &failure{kind: Down, problem: "the answer was cut off", retryable: true, cause: cause}
}

func newTooMuch(limit int) *failure {
	return &failure{kind: Down, problem: fmt.Sprintf("the answer is longer than %d bytes", limit)}
}

func newLongLine() *failure {
	return &failure{kind: Down, problem: fmt.Sprintf("an event of the answer is longer than %d bytes", maxLine)}
}

// newContextFailure returns the failure for a call that its context ended.
func newContextFailure(ctx context.Context) *failure {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &failure{kind: Late, problem: "the call was given up", cause: context.Canceled}
	}
	return &failure{kind: Late, problem: "no answer came in time", cause: context.DeadlineExceeded}
}
