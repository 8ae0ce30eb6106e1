package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

var (
	errNoTerminal = errors.New("there is no terminal to ask on")
	errNoAnswer   = errors.New("no answer")
)

// mayAsk refuses before anything is looked up what would have to ask, where nobody
// can be asked: asks is what does so, such as "resetting asks first".
func (a *streams) mayAsk(asks string, yes bool) error {
	if yes || a.tty.in {
		return nil
	}
	return usage("%s, and %w: give --yes", asks, errNoTerminal)
}

// sure says what will be done and goes on at yes, unless that was said before.
func (a *streams) sure(ctx context.Context, what string, yes bool) error {
	if yes {
		return nil
	}
	return a.confirm(ctx, what+". Type yes to go on: ", "yes")
}

// confirm asks a question and takes only one answer as yes.
func (a *streams) confirm(ctx context.Context, question, yes string) error {
	fmt.Fprint(a.err, question)
	answer, err := a.readLine(ctx)
	if err != nil {
		return trouble(fmt.Errorf("read the answer: %w", err), "")
	}
	if strings.TrimSpace(answer) != strings.TrimSpace(yes) {
		return no("that is something else: nothing was changed")
	}
	return nil
}
