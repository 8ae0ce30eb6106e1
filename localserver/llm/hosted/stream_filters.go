package hosted

import (
	"slices"
	"strings"
	"unicode"
)

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
