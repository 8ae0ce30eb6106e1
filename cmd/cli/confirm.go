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

// CheckMayAsk returns a usage error if stdin is not a terminal and --yes is not set. The error
// starts with prefix ("resetting asks first").
func (s *Streams) CheckMayAsk(prefix string, yes bool) error {
	if yes || s.TTY.In {
		return nil
	}
	return UsageError("%s (%w): use --yes", prefix, ErrNoTerminal)
}

// IsPipeline reports whether CI is true in the environment, as in the pipelines of GitHub and
// GitLab.
func (s *Streams) IsPipeline() bool {
	ci, err := strconv.ParseBool(s.Env("CI"))
	return err == nil && ci
}

// ConfirmYes prints what will happen and asks the user to type "yes", unless --yes is set. Any
// other answer is a Failure with ExitNo.
func (s *Streams) ConfirmYes(ctx context.Context, action string, yes bool) error {
	if yes {
		return nil
	}
	return s.ConfirmText(ctx, action+". Type yes to continue: ", "yes")
}

// ConfirmText asks a question on stderr. Any other answer is a Failure with ExitNo.
func (s *Streams) ConfirmText(ctx context.Context, question, answer string) error {
	_, err := s.ChooseWord(ctx, question, answer)
	return err
}

// ChooseWord asks a question on stderr and returns the answer, one of words. Any other answer is a
// Failure with ExitNo.
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
