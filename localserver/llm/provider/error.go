package provider

import (
	"context"
	"errors"
	"fmt"
	"time"
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
	// Unsupported means that the API does not have the call, or does not report token
	// probabilities.
	Unsupported Kind = "unsupported"
)

// Error is a failure of a provider. Its text is a sentence with the model and the provider's
// own message, in one line and without a key.
type Error struct {
	Kind Kind
	// Provider and Model are the parts of the name provider/model.
	Provider, Model string
	// Status is the HTTP status, or 0 without a response.
	Status int
	// Message describes the failure and a remedy.
	Message string
	// RetryAfter is the wait that the provider requests, or 0 if it requests none.
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
	// thinking means that the answer ended within its thoughts because of the token limit.
	thinking  bool
	retryable bool
	// refused means that the provider refuses to respond to the content. That is not an error.
	refused bool
	cause   error
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
