package hosted

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
)

var errEnough = errors.New("enough")

// replyStream passes a text from a provider to the player. The text may arrive in pieces of any
// size, with the same result.
type replyStream struct {
	emit       func(delta string) error
	newFilters func() *replyFilters
	filters    *replyFilters
	// received is the whole answer so far. text is the part of it that was shown.
	received, text strings.Builder
	fallback       func() (llm.GeneratedText, error)
	fallbackWhy    string
	// leaked means that the model began to quote its instructions. withdrawn means that a thought
	// of the model was shown. failure is the error of emit or of the fallback model.
	leaked, withdrawn bool
	failure           error
}

type replyFilters struct {
	edges    edgeTrimmer
	marks    markFiller
	speakers speakerFilter
	guard    *leakGuard
}

func newReplyStream(input llm.Input, hidden []string, emit func(string) error) *replyStream {
	if emit == nil {
		emit = func(string) error { return nil }
	}
	s := &replyStream{emit: emit, newFilters: func() *replyFilters {
		return &replyFilters{
			marks:    newMarkFiller(prompt.MarkValues(input)),
			speakers: speakerFilter{own: prompt.CharacterLabels(input), others: prompt.PlayerLabels(input), fresh: true},
			guard:    newLeakGuard(hidden),
		}
	}}
	s.filters = s.newFilters()
	return s
}

func (f *replyFilters) filterPiece(delta string) string {
	return f.guard.filterPiece(f.speakers.filterPiece(f.marks.fillPiece(f.edges.trimPiece(delta))))
}

func (f *replyFilters) releaseHeld() string {
	f.edges = edgeTrimmer{}
	text := f.guard.filterPiece(f.speakers.filterPiece(f.marks.releaseHeld()) + f.speakers.releaseHeld())
	if f.guard.leaked {
		return text
	}
	return text + f.guard.releaseHeld()
}

// writePiece shows a piece of the model's answer. After a leak it shows nothing. It returns
// errEnough if the model continues as the player.
func (s *replyStream) writePiece(delta string) error {
	if s.leaked {
		return nil
	}
	s.received.WriteString(delta)
	if err := s.showGuarded(s.filters.filterPiece(delta)); err != nil || s.leaked || !s.filters.speakers.cut {
		return err
	}
	return errEnough
}

// endAnswer processes the end of an answer. If the answer is empty, it prepares for another one. If
// a thought was shown before it was recognized, final replaces the shown pieces.
func (s *replyStream) endAnswer(final string) error {
	if s.leaked {
		return nil
	}
	if err := s.showGuarded(s.filters.releaseHeld()); err != nil || s.leaked {
		return err
	}
	if final != s.received.String() && !s.filters.speakers.cut {
		s.filters, s.withdrawn = s.newFilters(), true
		s.text.Reset()
		s.text.WriteString(s.filters.filterPiece(final) + s.filters.releaseHeld())
	}
	if s.text.Len() == 0 {
		s.filters = s.newFilters()
		s.received.Reset()
	}
	return nil
}

func (s *replyStream) showGuarded(piece string) error {
	if err := s.showPiece(piece); err != nil || !s.filters.guard.leaked {
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

func (s *replyStream) markCut() error {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s.text.String(), "\"'*_)]”’»」』"))
	if strings.ContainsRune(".!?…。！？", last) {
		return nil
	}
	return s.showPiece("…")
}

// showFallback shows the fallback model's text in a separate paragraph. If the text before it was
// cut off, showFallback appends an ellipsis to that text.
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

type edgeTrimmer struct {
	// begun means that a character other than a blank has arrived. held contains blanks that may be
	// the end of the text.
	begun bool
	held  string
}

func (e *edgeTrimmer) trimPiece(delta string) string {
	text := e.held + delta
	if !e.begun {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	kept := strings.TrimRightFunc(text, unicode.IsSpace)
	e.begun, e.held = e.begun || kept != "", text[len(kept):]
	return kept
}

// markFiller replaces marks by their values. A model sometimes copies the marks from its
// instructions.
type markFiller struct {
	values *strings.Replacer
	names  []string
	held   string
}

func newMarkFiller(pairs []string) markFiller {
	m := markFiller{values: strings.NewReplacer(pairs...)}
	for i := 0; i < len(pairs); i += 2 {
		m.names = append(m.names, pairs[i])
	}
	return m
}

func (m *markFiller) fillPiece(delta string) string {
	text := m.held + delta
	m.held = ""
	if at := strings.LastIndex(text, "«"); at >= 0 {
		if slices.ContainsFunc(m.names, func(name string) bool { return name != text[at:] && strings.HasPrefix(name, text[at:]) }) {
			text, m.held = text[:at], text[at:]
		}
	}
	return m.values.Replace(text)
}

func (m *markFiller) releaseHeld() string {
	text := m.held
	m.held = ""
	return text
}
