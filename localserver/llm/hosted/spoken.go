package hosted

import (
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
)

// spoken is a text on its way from a provider to the player. How a provider cuts
// it into pieces changes nothing of it.
type spoken struct {
	emit  func(delta string) error
	text  strings.Builder
	edges edges
	marks marks
	guard *guard
	// understudy gives the words that go on where the model must not, stood is why
	// they are these.
	understudy func() (llm.Speech, error)
	stood      string
	// leaked says that the model began to quote its instructions, gone is the
	// error of emit or of the understudy.
	leaked bool
	gone   error
}

func newSpoken(scene llm.Scene, hidden []string, emit func(string) error) *spoken {
	if emit == nil {
		emit = func(string) error { return nil }
	}
	name := ""
	if scene.Persona != nil {
		name = scene.Persona.Name
	}
	return &spoken{emit: emit, edges: newEdges(name), marks: newMarks(prompt.Marks(scene)), guard: newGuard(hidden)}
}

// write takes a piece of the model's answer; behind a leak it shows no more.
func (s *spoken) write(delta string) error {
	if s.leaked {
		return nil
	}
	return s.give(s.guard.pass(s.marks.pass(s.edges.pass(delta))))
}

// end takes the end of an answer, and makes ready for another one if there was
// no word in it.
func (s *spoken) end() error {
	if s.leaked {
		return nil
	}
	err := s.give(s.guard.pass(s.marks.pass(s.edges.rest()) + s.marks.rest()))
	if err == nil && !s.leaked {
		err = s.give(s.guard.rest())
	}
	return err
}

// give shows a piece. At a leak the understudy goes on at once.
func (s *spoken) give(piece string) error {
	if err := s.show(piece); err != nil || !s.guard.leaked {
		return err
	}
	s.leaked = true
	return s.deflect()
}

func (s *spoken) show(piece string) error {
	if piece == "" {
		return nil
	}
	s.text.WriteString(piece)
	s.gone = s.emit(piece)
	return s.gone
}

// deflect shows the understudy's words, in a paragraph of their own behind what
// was shown already, which ends in dots where it broke off.
func (s *spoken) deflect() error {
	stand, err := s.understudy()
	if err != nil {
		s.gone = err
		return err
	}
	s.stood = stand.Why
	shown := s.text.String()
	last, _ := utf8.DecodeLastRuneInString(shown)
	switch {
	case shown == "":
		return s.show(stand.Text)
	case isLetter(last) || last == ',':
		return s.show("…\n\n" + stand.Text)
	}
	return s.show("\n\n" + stand.Text)
}
