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

type replyStream struct {
	emit        func(delta string) error
	newFilters  func() *replyFilters
	filters     *replyFilters
	received    strings.Builder
	text        strings.Builder // the emitted part of received
	fallback    func() (llm.GeneratedText, error)
	fallbackWhy string
	leaked      bool  // the reply began to quote its instructions
	withdrawn   bool  // a thought was emitted
	failure     error // of emit or fallback
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
	newFilters := func() *replyFilters {
		return &replyFilters{
			marks: newMarkFiller(prompt.MarkValues(input)),
			speakers: speakerFilter{
				ownLabels: prompt.CharacterLabels(input), others: prompt.PlayerLabels(input), fresh: true,
			},
			guard: newLeakGuard(hidden),
		}
	}
	return &replyStream{emit: emit, newFilters: newFilters, filters: newFilters()}
}

func (f *replyFilters) filterPiece(delta string) string {
	trimmed := f.edges.trimPiece(delta)
	filled := f.marks.fillPiece(trimmed)
	return f.guard.filterPiece(f.speakers.filterPiece(filled))
}

func (f *replyFilters) releaseHeld() string {
	f.edges = edgeTrimmer{}
	text := f.guard.filterPiece(f.speakers.filterPiece(f.marks.releaseHeld()) + f.speakers.releaseHeld())
	if f.guard.leaked {
		return text
	}
	return text + f.guard.releaseHeld()
}

func (s *replyStream) writePiece(delta string) error {
	if s.leaked {
		return nil
	}
	s.received.WriteString(delta)
	err := s.showGuarded(s.filters.filterPiece(delta))
	if err == nil && !s.leaked && s.filters.speakers.cut {
		return errEnough
	}
	return err
}

// endAnswer replaces the emitted text by final if a thought was emitted.
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
	begun bool   // a non-blank was seen
	held  string // blanks that may end the text
}

func (e *edgeTrimmer) trimPiece(delta string) string {
	text := e.held + delta
	if !e.begun {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	trimmed := strings.TrimRightFunc(text, unicode.IsSpace)
	e.begun, e.held = e.begun || trimmed != "", text[len(trimmed):]
	return trimmed
}

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
	if index := strings.LastIndex(text, "«"); index >= 0 {
		tail := text[index:]
		isPartOf := func(name string) bool { return name != tail && strings.HasPrefix(name, tail) }
		if slices.ContainsFunc(m.names, isPartOf) {
			text, m.held = text[:index], tail
		}
	}
	return m.values.Replace(text)
}

func (m *markFiller) releaseHeld() string {
	text := m.held
	m.held = ""
	return text
}
