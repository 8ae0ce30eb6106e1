package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrNoTerminal means that stdin is not a terminal. ErrNoAnswer means that stdin ended before an
// answer.
var (
	ErrNoTerminal = errors.New("stdin is not a terminal")
	ErrNoAnswer   = errors.New("no answer")
)

// CheckMayAsk returns a usage error if nobody can answer a question: stdin is not a terminal, and
// yes, the flag --yes, is not set. The error text starts with asks, such as "resetting asks first".
func (s *Streams) CheckMayAsk(asks string, yes bool) error {
	if yes || s.TTY.In {
		return nil
	}
	return UsageError("%s, but %w: use --yes", asks, ErrNoTerminal)
}

// IsPipeline reports whether the command runs in a CI pipeline, such as those of GitHub and GitLab:
// whether CI is true in the environment.
func (s *Streams) IsPipeline() bool {
	ci, err := strconv.ParseBool(s.Env("CI"))
	return err == nil && ci
}

// ConfirmYes prints the parameter action and asks the user to type "yes". If yes, the flag --yes,
// is set, it does not ask. For any other answer it returns a Failure with ExitNo.
func (s *Streams) ConfirmYes(ctx context.Context, action string, yes bool) error {
	if yes {
		return nil
	}
	return s.ConfirmText(ctx, action+". Type yes to continue: ", "yes")
}

// ConfirmText asks a question on stderr and accepts only the answer yes. For any other answer it
// returns a Failure with ExitNo.
func (s *Streams) ConfirmText(ctx context.Context, question, yes string) error {
	_, err := s.ChooseWord(ctx, question, yes)
	return err
}

// ChooseWord asks a question on stderr and returns the answer, which must be one of words. For any
// other answer it returns a Failure with ExitNo.
func (s *Streams) ChooseWord(ctx context.Context, question string, words ...string) (string, error) {
	fmt.Fprint(s.Err, question)
	answer, err := s.ReadLine(ctx)
	if err != nil {
		return "", WrapTrouble(fmt.Errorf("read the answer: %w", err), "")
	}
	for _, word := range words {
		if strings.TrimSpace(answer) == strings.TrimSpace(word) {
			return word, nil
		}
	}
	return "", AnswerNo("the answer does not match: nothing was changed")
}
