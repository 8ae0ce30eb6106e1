package hosted

import (
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
)

// replyStream is a text on its way from a provider to the player. The pieces
// into which a provider cuts it make no difference.
type replyStream struct {
	emit  func(delta string) error
	text  strings.Builder
	edges edgeTrimmer
	marks markFiller
	guard *leakGuard
	// fallback writes what follows where the model must not go on; fallbackWhy says
	// why it wrote that.
	fallback    func() (llm.GeneratedText, error)
	fallbackWhy string
	// leaked says that the model began to quote its instructions; failure is the
	// error of emit or of the fallback model.
	leaked  bool
	failure error
}

func newReplyStream(input llm.Input, hidden []string, emit func(string) error) *replyStream {
	if emit == nil {
		emit = func(string) error { return nil }
	}
	name := ""
	if input.Persona != nil {
		name = input.Persona.Name
	}
	return &replyStream{emit: emit, edges: newEdgeTrimmer(name), marks: newMarkFiller(prompt.MarkValues(input)), guard: newLeakGuard(hidden)}
}

// writePiece takes a piece of the model's answer; after a leak it shows no
// more.
func (s *replyStream) writePiece(delta string) error {
	if s.leaked {
		return nil
	}
	return s.showGuarded(s.guard.filterPiece(s.marks.fillPiece(s.edges.trimPiece(delta))))
}

// endAnswer takes the end of an answer, and prepares for another one if there
// was no word in it.
func (s *replyStream) endAnswer() error {
	if s.leaked {
		return nil
	}
	err := s.showGuarded(s.guard.filterPiece(s.marks.fillPiece(s.edges.releaseHeld()) + s.marks.releaseHeld()))
	if err == nil && !s.leaked {
		err = s.showGuarded(s.guard.releaseHeld())
	}
	return err
}

// showGuarded shows a piece. At a leak the fallback model goes on at once.
func (s *replyStream) showGuarded(piece string) error {
	if err := s.showPiece(piece); err != nil || !s.guard.leaked {
		return err
	}
	s.leaked = true
	return s.showFallback()
}

func (s *replyStream) showPiece(piece string) error {
	if piece == "" {
		return nil
	}
	s.text.WriteString(piece)
	s.failure = s.emit(piece)
	return s.failure
}

// showFallback shows the fallback model's words: in a paragraph of their own
// after what was shown already, with dots where that broke off.
func (s *replyStream) showFallback() error {
	reply, err := s.fallback()
	if err != nil {
		s.failure = err
		return err
	}
	s.fallbackWhy = reply.Why
	shown := s.text.String()
	last, _ := utf8.DecodeLastRuneInString(shown)
	switch {
	case shown == "":
		return s.showPiece(reply.Text)
	case isLetter(last) || last == ',':
		return s.showPiece("…\n\n" + reply.Text)
	}
	return s.showPiece("\n\n" + reply.Text)
}
