package hosted

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
)

// errLeak ends a call whose answer quotes the instructions.
var errLeak = errors.New("the answer quotes its instructions")

// spoken is a text on its way from a provider to the player. How a provider cuts
// it into pieces changes nothing of it.
type spoken struct {
	emit  func(delta string) error
	text  strings.Builder
	edges edges
	marks marks
	guard *guard
	// leaked says that the model began to quote its instructions, gone is the
	// error of emit.
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

// write takes a piece of the model's answer.
func (s *spoken) write(delta string) error {
	return s.give(s.guard.pass(s.marks.pass(s.edges.pass(delta))))
}

// end takes the end of an answer, and makes ready for another one if there was
// no word in it.
func (s *spoken) end() error {
	err := s.give(s.guard.pass(s.marks.pass(s.edges.rest()) + s.marks.rest()))
	if err == nil {
		err = s.give(s.guard.rest())
	}
	if errors.Is(err, errLeak) {
		return nil
	}
	return err
}

// give shows a piece.
func (s *spoken) give(piece string) error {
	if piece != "" {
		s.text.WriteString(piece)
		if s.gone = s.emit(piece); s.gone != nil {
			return s.gone
		}
	}
	if s.guard.leaked {
		s.leaked = true
		return errLeak
	}
	return nil
}

// deflect shows the understudy's words, in a paragraph of their own behind what
// was shown already, which ends in dots where it broke off.
func (s *spoken) deflect(text string) error {
	shown := s.text.String()
	last, _ := utf8.DecodeLastRuneInString(shown)
	switch {
	case shown == "":
	case isLetter(last) || last == ',':
		text = "…\n\n" + text
	default:
		text = "\n\n" + text
	}
	s.text.WriteString(text)
	s.gone = s.emit(text)
	return s.gone
}
