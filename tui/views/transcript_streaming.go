package views

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// settledPart is the beginning of a growing entry that later words cannot change. It is rendered
// once, so that a frame renders the current paragraph alone.
type settledPart struct {
	lines []string
	upTo  int // length in bytes of the text that lines shows
}

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

// settledLength returns the length in bytes of the complete paragraphs at the beginning of a text.
// Later words cannot change them, because another paragraph follows.
func settledLength(text string) int {
	for at := strings.LastIndex(text, "\n\n"); at > 0; at = strings.LastIndex(text[:at], "\n\n") {
		if beginsParagraph(text[at+2:]) && !reachesBeyond(text[:at]) {
			return at + 2
		}
	}
	return 0
}

// beginsParagraph reports whether a text begins with a letter, after quotation marks and marks of
// emphasis. Nothing else begins a paragraph for certain.
func beginsParagraph(text string) bool {
	text = strings.TrimLeft(text, "*_\"“„«‘'(")
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r)
}

// reachesBeyond reports whether a text may contain Markdown that spans blank lines (code fences,
// HTML) or needs a later link definition.
func reachesBeyond(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " >")
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || strings.HasPrefix(line, "<") || strings.Contains(line, "[") {
			return true
		}
	}
	return false
}
