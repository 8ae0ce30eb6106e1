package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

var (
	ErrNoTerminal = errors.New("there is no terminal to ask on")
	ErrNoAnswer   = errors.New("no answer")
)

// CheckMayAsk refuses before anything is looked up what would have to ask, where nobody
// can be asked: asks is what does so, such as "resetting asks first".
func (a *Streams) CheckMayAsk(asks string, yes bool) error {
	if yes || a.TTY.In {
		return nil
	}
	return UsageError("%s, and %w: give --yes", asks, ErrNoTerminal)
}

// ConfirmYes says what will be done and goes on at yes, unless that was said before.
func (a *Streams) ConfirmYes(ctx context.Context, what string, yes bool) error {
	if yes {
		return nil
	}
	return a.ConfirmText(ctx, what+". Type yes to go on: ", "yes")
}

// ConfirmText asks a question and takes only one answer as yes.
func (a *Streams) ConfirmText(ctx context.Context, question, yes string) error {
	fmt.Fprint(a.Err, question)
	answer, err := a.ReadLine(ctx)
	if err != nil {
		return WrapTrouble(fmt.Errorf("read the answer: %w", err), "")
	}
	if strings.TrimSpace(answer) != strings.TrimSpace(yes) {
		return AnswerNo("that is something else: nothing was changed")
	}
	return nil
}
