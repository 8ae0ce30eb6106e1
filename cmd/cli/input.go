package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// AwaitResult returns the result of read, or context.Canceled once done is closed. read continues
// in the background. A panic of read becomes a panic of AwaitResult.
func AwaitResult[T any](done <-chan struct{}, read func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
		fault any
	}
	results := make(chan result, 1)
	go func() {
		var got result
		defer func() {
			got.fault = recover()
			results <- got
		}()
		got.value, got.err = read()
	}()
	select {
	case got := <-results:
		if got.fault != nil {
			panic(got.fault) // the caller may recover, to restore the terminal
		}
		return got.value, got.err
	case <-done:
		var none T
		return none, context.Canceled
	}
}

// ReadLine reads a line from stdin. The error is ErrNoAnswer at the end of stdin.
func (s *Streams) ReadLine(ctx context.Context) (string, error) {
	return AwaitResult(ctx.Done(), func() (string, error) {
		text, err := bufio.NewReader(s.In).ReadString('\n')
		if err != nil && text == "" {
			return "", ErrNoAnswer
		}
		return TrimByteOrderMark([]byte(text)), nil
	})
}

// ReadInput reads stdin without a byte order mark. More than limit bytes are a usage error.
func (s *Streams) ReadInput(name string, limit int) (string, error) {
	text, err := AwaitResult(s.Interrupted, func() ([]byte, error) {
		return io.ReadAll(io.LimitReader(s.In, int64(limit)+1))
	})
	switch {
	case err != nil:
		return "", WrapTrouble(fmt.Errorf("read %s from stdin: %w", name, err), "")
	case len(text) > limit:
		return "", UsageError("%s on stdin is longer than %d KiB", name, limit>>10)
	}
	return TrimByteOrderMark(text), nil
}

// TrimByteOrderMark removes the leading byte order mark of Windows editors.
func TrimByteOrderMark(text []byte) string { return strings.TrimPrefix(string(text), "\ufeff") }

// ReadBody reads at most wire.MaxSaveBody bytes and never returns a nil body. name is for errors.
func ReadBody(name string, r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, wire.MaxSaveBody+1))
	switch {
	case err != nil:
		return nil, WrapTrouble(fmt.Errorf("read %s: %w", name, PathReason(err)), "")
	case len(content) > wire.MaxSaveBody:
		return nil, AnswerNo("%s is larger than %d MiB, the maximum that a service accepts", name, wire.MaxSaveBody>>20)
	case content == nil:
		content = []byte{}
	}
	return content, nil
}

// SplitCommand splits a Windows command line at unquoted blanks. An empty command line is notepad.
func SplitCommand(line string) []string {
	var words []string
	quoted := false
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool {
		quoted = quoted != (r == '"')
		return !quoted && (r == ' ' || r == '\t')
	}) {
		words = append(words, strings.ReplaceAll(word, `"`, ""))
	}
	if len(words) == 0 {
		return []string{"notepad"}
	}
	return words
}

// Errors of questions to the user. ErrNoAnswer reports the end of stdin.
var (
	ErrNoTerminal = errors.New("stdin is not a terminal")
	ErrNoAnswer   = errors.New("no answer")
)

// CheckMayAsk returns a usage error if stdin is not a terminal and yes is false.
func (s *Streams) CheckMayAsk(prefix string, yes bool) error {
	if yes || s.TTY.In {
		return nil
	}
	return UsageError("%s (%w): use --yes", prefix, ErrNoTerminal)
}

// IsPipeline reports whether CI is true in the environment, as in GitHub and GitLab pipelines.
func (s *Streams) IsPipeline() bool {
	ci, err := strconv.ParseBool(s.Env("CI"))
	return err == nil && ci
}

// ConfirmYes asks the user to type "yes", unless yes is set. Other answers are a Failure with
// ExitNo.
func (s *Streams) ConfirmYes(ctx context.Context, action string, yes bool) error {
	if yes {
		return nil
	}
	return s.ConfirmText(ctx, action+". Type yes to continue: ", "yes")
}

// ConfirmText requires the given answer to a question. Other answers are a Failure with ExitNo.
func (s *Streams) ConfirmText(ctx context.Context, question, answer string) error {
	_, err := s.ChooseWord(ctx, question, answer)
	return err
}

// ChooseWord requires one of words as the answer. Other answers are a Failure with ExitNo.
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

// CreateFile writes a new file. The error wraps fs.ErrExist if the file exists.
func CreateFile(path string, content []byte, perm os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, PathReason(err))
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
		return fmt.Errorf("write %s: %w", path, PathReason(err))
	}
	return nil
}
