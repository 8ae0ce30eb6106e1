package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// AwaitResult returns the result of read, or context.Canceled once done is closed. Then read
// continues in the background. A panic of read becomes a panic of AwaitResult.
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

// ReadLine reads one line from stdin. It returns context.Canceled if ctx is cancelled, and
// ErrNoAnswer if stdin has ended.
func (s *Streams) ReadLine(ctx context.Context) (string, error) {
	return AwaitResult(ctx.Done(), func() (string, error) {
		text, err := bufio.NewReader(s.In).ReadString('\n')
		if err != nil && text == "" {
			return "", ErrNoAnswer
		}
		return TrimByteOrderMark([]byte(text)), nil
	})
}

// ReadInput reads stdin as text, without a byte order mark. what is for errors, such as "the token".
// More than most bytes are a usage error.
func (s *Streams) ReadInput(what string, most int) (string, error) {
	text, err := AwaitResult(s.Interrupted, func() ([]byte, error) { return io.ReadAll(io.LimitReader(s.In, int64(most)+1)) })
	switch {
	case err != nil:
		return "", WrapTrouble(fmt.Errorf("read %s from stdin: %w", what, err), "")
	case len(text) > most:
		return "", UsageError("%s on stdin is longer than %d KiB", what, most>>10)
	}
	return TrimByteOrderMark(text), nil
}

// TrimByteOrderMark returns text without a leading byte order mark, which editors and shells of
// Windows write.
func TrimByteOrderMark(text []byte) string { return strings.TrimPrefix(string(text), "\ufeff") }

// ReadBody reads a request body of at most wire.MaxSaveBody bytes, which is never nil. name is for
// errors.
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
