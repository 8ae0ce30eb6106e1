package views

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// settledPart is the part of a growing entry that later words cannot change. It is rendered only
// once, so that drawing a frame takes time only for the current paragraph.
type settledPart struct {
	lines []string
	upTo  int // the number of bytes of the text in lines
}

// renderStreaming returns the lines of the growing entry: the settled lines and the
// rest of its text.
func (v *Transcript) renderStreaming() []string {
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

// BreakOpening ends an opening that is still streaming, and removes the title of its chapter. If
// stays is true, the words stay visible, marked as not kept. Otherwise they are removed too.
func BreakOpening(v *Transcript, stays bool) {
	if at := v.Streaming - 2; at >= 0 && v.Entries[at].Kind == ChapterEntry {
		v.removeEntry(at)
	}
	if v.Streaming > 0 && !stays {
		v.Entries[v.Streaming-1].Text = ""
	}
	v.BreakOff()
}

// settledLength returns the number of bytes at the beginning of a text that later words cannot
// change. They are complete paragraphs before a blank line that is followed by another paragraph.
func settledLength(text string) int {
	for at := strings.LastIndex(text, "\n\n"); at > 0; at = strings.LastIndex(text[:at], "\n\n") {
		if beginsParagraph(text[at+2:]) && !reachesBeyond(text[:at]) {
			return at + 2
		}
	}
	return 0
}

// beginsParagraph reports whether a text certainly begins with a paragraph. Its first character
// must be a letter, except for quotation marks and marks of emphasis.
func beginsParagraph(text string) bool {
	text = strings.TrimLeft(text, "*_\"“„«‘'(")
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r)
}

// reachesBeyond reports whether a text may contain Markdown that spans blank lines (code fences,
// HTML) or depends on a later link definition.
func reachesBeyond(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " >")
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.HasPrefix(line, "<") || strings.Contains(line, "[") {
			return true
		}
	}
	return false
}
