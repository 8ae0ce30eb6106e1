package terminal

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// WrapText breaks a text into lines of at most width cells. If possible it breaks at spaces, after
// hyphens and between wide characters. It never breaks a grapheme cluster. A style that spans a
// break ends before the break and begins again after it, because each line is drawn separately.
func WrapText(s string, width int) []string {
	w := wrapper{width: max(width, 1)}
	for line := range strings.SplitSeq(s, "\n") {
		w.wrapParagraph(line)
	}
	if strings.Contains(s, "\x1b") {
		closeStyles(w.lines)
	}
	return w.lines
}

// wrapper fills lines with words. A word includes the style sequences before its characters.
type wrapper struct {
	width int
	lines []string
	line  strings.Builder
	cells int    // of line
	space int    // spaces to be added to line before word
	word  []byte // the incomplete word
	long  int    // cells of word
}

func (w *wrapper) wrapParagraph(s string) {
	if len(s) <= w.width && isPrintable(s) {
		w.lines = append(w.lines, s)
		return
	}
	for s != "" {
		s = s[w.takePiece(s):]
	}
	w.endWord()
	if w.cells+w.space <= w.width {
		w.line.WriteString(strings.Repeat(" ", w.space))
	}
	w.endLine()
}

func (w *wrapper) takePiece(s string) int {
	switch s[0] {
	case '\x1b':
		end := strings.IndexByte(s, 'm') + 1
		if end == 0 {
			end = 1
		}
		w.word = append(w.word, s[:end]...)
		return end
	case ' ':
		w.endWord()
		w.space++
		return 1
	}
	character, cells := s[:1], 1
	if len(s) > 1 && s[1] >= 0x80 || s[0] >= 0x80 {
		character, _ = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		cells = ansi.StringWidth(character) // lines are measured with StringWidth, which may differ from the cluster's width
	}
	if cells > 1 || w.long+cells > w.width {
		w.endWord()
	}
	w.word = append(w.word, character...)
	w.long += cells
	if cells > 1 || character == "-" && len(bytes.TrimLeft(w.word, "-")) > 0 { // not within the -- of a flag
		w.endWord()
	}
	return len(character)
}

func (w *wrapper) endWord() {
	if len(w.word) == 0 {
		return
	}
	if w.cells+w.space+w.long > w.width && w.cells > 0 {
		w.endLine()
	}
	w.space = min(w.space, max(w.width-w.long, 0))
	w.line.WriteString(strings.Repeat(" ", w.space))
	w.line.Write(w.word)
	w.cells += w.space + w.long
	w.word, w.long, w.space = w.word[:0], 0, 0
}

func (w *wrapper) endLine() {
	w.lines = append(w.lines, w.line.String())
	w.line.Reset()
	w.cells, w.space = 0, 0
}

// closeStyles ends open styles at the end of each line and begins them again on the next line. All
// sequences in the lines must be SGR.
func closeStyles(lines []string) {
	open := ""
	for i, line := range lines {
		begun := open
		for rest := line; ; {
			_, after, found := strings.Cut(rest, "\x1b")
			seq, after, ended := strings.Cut(after, "m")
			if !found || !ended {
				break
			}
			rest = after
			if open += "\x1b" + seq + "m"; seq == "[0" || seq == "[" {
				open = ""
			}
		}
		lines[i] = begun + line
		if open != "" {
			lines[i] += "\x1b[0m"
		}
	}
}
