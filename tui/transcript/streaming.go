package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// settledPart is the settled part of a growing entry: the lines of its first bytes, which later
// words cannot change. A frame then only costs as much as the current paragraph, for any length of
// the reply.
type settledPart struct {
	lines []string
	upTo  int // bytes of the text
}

// renderStreaming makes the growing entry's lines from the settled ones and the
// rest of its text.
func (v *View) renderStreaming() []string {
	at := v.Streaming - 1
	g, text := &v.settled, v.Entries[at].Text
	if g.lines == nil {
		g.lines = v.openingLines(at)
	}
	if n := settledLength(text[g.upTo:]); n > 0 {
		block := v.markdown.RenderLines(text[g.upTo:g.upTo+n], v.textWidth())
		g.lines = append(indentLines(g.lines, speakerBar(v.st), block), speakerBar(v.st))
		g.upTo += n
	}
	rest := v.markdown.RenderLines(strings.TrimRight(text[g.upTo:], " \n"), v.textWidth())
	lines := make([]string, 0, len(g.lines)+len(rest))
	return indentLines(append(lines, g.lines...), speakerBar(v.st), rest)
}

// BreakOpening ends an opening that is still streaming, and removes its chapter's title. If stays,
// it keeps the words in sight as unsaved, and otherwise removes them.
func BreakOpening(v *View, stays bool) {
	if at := v.Streaming - 2; at >= 0 && v.Entries[at].Kind == ChapterEntry {
		v.removeEntry(at)
	}
	if v.Streaming > 0 && !stays {
		v.Entries[v.Streaming-1].Text = ""
	}
	v.BreakOff()
}

// settledLength returns the length of a text's beginning that no later word can change the look of:
// whole paragraphs that end in a blank line, before a paragraph at the margin.
func settledLength(text string) int {
	for at := strings.LastIndex(text, "\n\n"); at > 0; at = strings.LastIndex(text[:at], "\n\n") {
		if beginsParagraph(text[at+2:]) && !reachesBeyond(text[:at]) {
			return at + 2
		}
	}
	return 0
}

// beginsParagraph reports whether a text can be nothing but a paragraph: it begins at
// the margin with a letter, perhaps in quotation marks or emphasized.
func beginsParagraph(text string) bool {
	text = strings.TrimLeft(text, "*_\"“„«‘'(")
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r)
}

// reachesBeyond reports whether a text may contain Markdown that reaches over blank lines, or a
// name that is defined later: fences, HTML, link definitions.
func reachesBeyond(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " >")
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.HasPrefix(line, "<") || strings.Contains(line, "[") {
			return true
		}
	}
	return false
}
