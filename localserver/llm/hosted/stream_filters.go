package hosted

import (
	"slices"
	"strings"
	"unicode"
)

// edgeTrimmer removes blanks at both ends of a text.
type edgeTrimmer struct {
	// begun is set after the first character that is not blank. held are blanks that may be at the
	// end.
	begun bool
	held  string
}

// trimPiece returns the part of a piece that certainly belongs to the text.
func (e *edgeTrimmer) trimPiece(delta string) string {
	text := e.held + delta
	if !e.begun {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	kept := strings.TrimRightFunc(text, unicode.IsSpace)
	e.begun, e.held = e.begun || kept != "", text[len(kept):]
	return kept
}

func (e *edgeTrimmer) dropHeld() { *e = edgeTrimmer{} }

// markFiller replaces marks that a model copied from its instructions with the marks' values.
type markFiller struct {
	values *strings.Replacer
	names  []string
	held   string
}

// newMarkFiller returns a filler for pairs of a mark and its value.
func newMarkFiller(pairs []string) markFiller {
	m := markFiller{values: strings.NewReplacer(pairs...)}
	for i := 0; i < len(pairs); i += 2 {
		m.names = append(m.names, pairs[i])
	}
	return m
}

// fillPiece replaces the marks in a piece. It holds back a possible beginning of a mark.
func (m *markFiller) fillPiece(delta string) string {
	text := m.held + delta
	m.held = ""
	if at := strings.LastIndex(text, "«"); at >= 0 && m.mayBeMark(text[at:]) {
		text, m.held = text[:at], text[at:]
	}
	return m.values.Replace(text)
}

func (m *markFiller) mayBeMark(text string) bool {
	return slices.ContainsFunc(m.names, func(name string) bool { return len(text) < len(name) && strings.HasPrefix(name, text) })
}

// releaseHeld must be called at the end of the text. It returns the text that was held back.
func (m *markFiller) releaseHeld() string {
	text := m.held
	m.held = ""
	return text
}
