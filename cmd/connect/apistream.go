package connect

import (
	"io"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/tui"
)

// apiStream prints an answer as it comes: as it is, or on a terminal as it may be
// looked at.
type apiStream struct {
	*apiOptions
	begun bool
	clean tui.Cleaner
}

// beginStream is told the head of the answer.
func (s *apiStream) beginStream(head *client.Response) io.Writer {
	s.begun = true
	if s.include {
		// A failure to write is remembered by what is written to.
		_, _ = s.Out.Write(s.presentBody(answerHead(head)))
	}
	return s
}

func (s *apiStream) Write(p []byte) (int, error) {
	switch {
	case s.silent:
		return len(p), nil
	case !s.TTY.Out:
		return s.Out.Write(p)
	}
	_, err := io.WriteString(s.Out, s.clean.Add(string(p)))
	return len(p), err
}

// endStream prints what waited for more.
func (s *apiStream) endStream() error {
	rest := s.clean.End()
	if rest == "" {
		return nil
	}
	_, err := io.WriteString(s.Out, rest)
	return err
}
