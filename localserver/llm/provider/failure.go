package provider

import (
	"context"
	"errors"
	"fmt"
	"time"
)

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
