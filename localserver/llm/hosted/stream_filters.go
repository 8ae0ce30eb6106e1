package hosted

import (
	"strings"
	"unicode"
)

// edgeTrimmer takes the blanks off both ends of a text, and the name that some
// models put in front of what a character says, as in "**Ottoline:** Good
// evening".
type edgeTrimmer struct {
	prefixes []string
	// named is set when the name was taken off, begun when the text has begun.
	named, begun bool
	held         string
}

func newEdgeTrimmer(name string) edgeTrimmer {
	name = strings.TrimSpace(name)
	names := []string{name}
	if first, _, more := strings.Cut(name, " "); more {
		names = append(names, first)
	}
	var trimmer edgeTrimmer
	for _, n := range names {
		if n != "" {
			trimmer.prefixes = append(trimmer.prefixes, "**"+n+":**", "**"+n+"**:", n+":")
		}
	}
	return trimmer
}

// trimPiece returns what of a piece belongs to the text as far as that is
// known.
func (e *edgeTrimmer) trimPiece(delta string) string {
	text := e.held + delta
	if !e.begun {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if e.held = text; text == "" || e.mayBePrefix(text) {
			return ""
		}
		e.begun, e.held = true, ""
		text = e.dropPrefix(text)
		if text == "" {
			// Behind a name there may be blanks still to come.
			e.begun, e.named = false, true
			return ""
		}
	}
	kept := strings.TrimRightFunc(text, unicode.IsSpace)
	e.held = text[len(kept):]
	return kept
}

// releaseHeld returns what was held back until the end of the text; blanks are
// dropped.
func (e *edgeTrimmer) releaseHeld() string {
	text := ""
	if !e.begun {
		text = e.dropPrefix(strings.TrimSpace(e.held))
	}
	e.held, e.named = "", false
	return text
}

// mayBePrefix reports whether a text may be the beginning of the name in front
// of the reply.
func (e *edgeTrimmer) mayBePrefix(text string) bool {
	for _, prefix := range e.prefixes {
		if !e.named && len(text) < len(prefix) && strings.EqualFold(prefix[:len(text)], text) {
			return true
		}
	}
	return false
}

func (e *edgeTrimmer) dropPrefix(text string) string {
	for _, prefix := range e.prefixes {
		if !e.named && len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
			return strings.TrimLeftFunc(text[len(prefix):], unicode.IsSpace)
		}
	}
	return text
}

// markFiller replaces the marks that a model copied from its instructions by
// their values.
type markFiller struct {
	values *strings.Replacer
	names  []string
	held   string
}

// newMarkFiller takes marks and values in turn.
func newMarkFiller(pairs []string) markFiller {
	m := markFiller{values: strings.NewReplacer(pairs...)}
	for i := 0; i < len(pairs); i += 2 {
		m.names = append(m.names, pairs[i])
	}
	return m
}

// fillPiece returns a piece with the values in it; what may be the beginning of
// a mark is held back.
func (m *markFiller) fillPiece(delta string) string {
	text := m.held + delta
	m.held = ""
	if at := strings.LastIndex(text, "«"); at >= 0 && m.mayBeMark(text[at:]) {
		text, m.held = text[:at], text[at:]
	}
	return m.values.Replace(text)
}

func (m *markFiller) mayBeMark(text string) bool {
	for _, name := range m.names {
		if len(text) < len(name) && strings.HasPrefix(name, text) {
			return true
		}
	}
	return false
}

// releaseHeld returns what was held back until the end of the text.
func (m *markFiller) releaseHeld() string {
	text := m.held
	m.held = ""
	return text
}
