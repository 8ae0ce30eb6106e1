package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// growth is what is settled of a growing entry: the lines of its first bytes,
// which no word to come can change. A frame then costs as much as the paragraph
// that is being spoken, however long the reply is.
type growth struct {
	lines []string
	upTo  int // bytes of the text
}

// renderGrowing makes the growing entry's lines from the settled ones and the
// rest of its text.
func (t *transcript) renderGrowing() []string {
	at := t.growing - 1
	g, text := &t.grown, t.entries[at].text
	if g.lines == nil {
		g.lines = t.opening(at)
	}
	if n := settled(text[g.upTo:]); n > 0 {
		block := t.st.markdown(text[g.upTo:g.upTo+n], t.measure())
		g.lines = append(t.indented(g.lines, t.bar(), block), t.bar())
		g.upTo += n
	}
	rest := t.st.markdown(strings.TrimRight(text[g.upTo:], " \n"), t.measure())
	lines := make([]string, 0, len(g.lines)+len(rest))
	return t.indented(append(lines, g.lines...), t.bar(), rest)
}

// settled is how much of a text, from its beginning, is whole paragraphs whose
// look no later word can change: they end in a blank line, and a paragraph at the
// margin has begun behind it.
func settled(text string) int {
	for at := strings.LastIndex(text, "\n\n"); at > 0; at = strings.LastIndex(text[:at], "\n\n") {
		if beginsParagraph(text[at+2:]) && !reachesOn(text[:at]) {
			return at + 2
		}
	}
	return 0
}

// beginsParagraph tells a text that can be nothing but a paragraph: it begins at
// the margin with a letter, perhaps in quotation marks or emphasized.
func beginsParagraph(text string) bool {
	text = strings.TrimLeft(text, "*_\"“„«‘'(")
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r)
}

// reachesOn tells a text in which a block may begin that reaches over blank
// lines, or a name that is explained later: fences, HTML, link definitions.
func reachesOn(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " >")
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.HasPrefix(line, "<") || strings.Contains(line, "[") {
			return true
		}
	}
	return false
}
