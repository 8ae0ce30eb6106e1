package hosted

import (
	"strings"
	"unicode"
)

// edges takes the blanks off both ends of a text, and the name that some models
// put in front of what a character says, as in "**Ottoline:** Good evening".
type edges struct {
	fronts []string
	// named is set when a name was taken off, begun when the text has begun.
	named, begun bool
	held         string
}

func newEdges(name string) edges {
	name = strings.TrimSpace(name)
	names := []string{name}
	if first, _, more := strings.Cut(name, " "); more {
		names = append(names, first)
	}
	var e edges
	for _, n := range names {
		if n != "" {
			e.fronts = append(e.fronts, "**"+n+":**", "**"+n+"**:", n+":")
		}
	}
	return e
}

// pass gives what of a piece belongs to the text as far as it is known.
func (e *edges) pass(delta string) string {
	text := e.held + delta
	if !e.begun {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if e.held = text; text == "" || e.mayBeFront(text) {
			return ""
		}
		e.begun, e.held = true, ""
		text = e.withoutFront(text)
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

// rest is what was held back at the end of the text; blanks are not.
func (e *edges) rest() string {
	text := ""
	if !e.begun {
		text = e.withoutFront(strings.TrimSpace(e.held))
	}
	e.held, e.named = "", false
	return text
}

// mayBeFront tells that a text is the beginning of a name in front and no more.
func (e *edges) mayBeFront(text string) bool {
	for _, front := range e.fronts {
		if !e.named && len(text) < len(front) && strings.EqualFold(front[:len(text)], text) {
			return true
		}
	}
	return false
}

func (e *edges) withoutFront(text string) string {
	for _, front := range e.fronts {
		if !e.named && len(text) >= len(front) && strings.EqualFold(text[:len(front)], front) {
			return strings.TrimLeftFunc(text[len(front):], unicode.IsSpace)
		}
	}
	return text
}

// marks puts values in the place of marks that a model took over from its
// instructions.
type marks struct {
	values *strings.Replacer
	names  []string
	held   string
}

// newMarks takes pairs of mark and value.
func newMarks(pairs []string) marks {
	m := marks{values: strings.NewReplacer(pairs...)}
	for i := 0; i < len(pairs); i += 2 {
		m.names = append(m.names, pairs[i])
	}
	return m
}

// pass gives a piece with values in it; what may be the beginning of a mark is
// held back.
func (m *marks) pass(delta string) string {
	text := m.held + delta
	m.held = ""
	if at := strings.LastIndex(text, "«"); at >= 0 && m.mayBeMark(text[at:]) {
		text, m.held = text[:at], text[at:]
	}
	return m.values.Replace(text)
}

func (m *marks) mayBeMark(text string) bool {
	for _, name := range m.names {
		if len(text) < len(name) && strings.HasPrefix(name, text) {
			return true
		}
	}
	return false
}

// rest is what was held back at the end of the text.
func (m *marks) rest() string {
	text := m.held
	m.held = ""
	return text
}
