package cmd

import (
	"io"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/tui/terminal"
)

// apiStream prints a response as it arrives, on a terminal without control characters.
type apiStream struct {
	*apiOptions
	begun bool
	clean terminal.Cleaner
}

// beginStream receives the head of the response and returns the writer for its body.
func (s *apiStream) beginStream(head *client.Response) io.Writer {
	s.begun = true
	if s.include {
		// The writer stores a write error.
		_, _ = s.Out.Write(s.presentBody(answerHead(head)))
	}
	return s
}

func (s *apiStream) Write(p []byte) (int, error) {
	switch {
	case s.silent:
		return len(p), nil
	case !s.TTY.Out:
		return cli.RawWriter(s.Out).Write(p)
	}
	_, err := io.WriteString(s.Out, s.clean.Add(string(p)))
	return len(p), err
}

// endStream prints the remaining bytes of an incomplete character or escape sequence.
func (s *apiStream) endStream() error {
	rest := s.clean.End()
	if rest == "" {
		return nil
	}
	_, err := io.WriteString(s.Out, rest)
	return err
}
