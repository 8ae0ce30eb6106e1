package program

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const resetStyle = "\x1b[m"

// longestStyle bounds cell.style in bytes. A line with a longer style is not split into cells.
const longestStyle = 256

type cell struct {
	character rune
	style     string
}

var blank = cell{character: ' '}

// readCells returns the cells of a line without trailing blanks. plain is false if terminals may
// disagree about the columns. A width of 0 is unlimited.
func readCells(line string, width int) (cells []cell, plain bool) {
	style := ""
	for len(line) > 0 {
		if line[0] == '\x1b' {
			sequence := cutStyle(line)
			style = addStyle(style, sequence)
			if sequence == "" || len(style) > longestStyle {
				return nil, false
			}
			line = line[len(sequence):]
			continue
		}
		character, size := utf8.DecodeRuneInString(line)
		if !isUndisputed(character) {
			return nil, false
		}
		cells, line = append(cells, cell{character, style}), line[size:]
	}
	if width > 0 && len(cells) > width {
		cells = cells[:width]
	}
	for len(cells) > 0 && cells[len(cells)-1] == blank {
		cells = cells[:len(cells)-1]
	}
	return cells, true
}

func addStyle(style, sequence string) string {
	switch {
	case sequence == resetStyle, sequence == "\x1b[0m":
		return ""
	case strings.HasPrefix(sequence, "\x1b[0;"):
		return sequence
	}
	return style + sequence
}

func cutStyle(text string) string {
	rest, ok := strings.CutPrefix(text, "\x1b[")
	if !ok {
		return ""
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > ';' })
	if end < 0 || rest[end] != 'm' {
		return ""
	}
	return text[:len(text)-len(rest)+end+1]
}

// undisputed contains ranges of characters that every terminal draws in one cell.
var undisputed = [][2]rune{
	{' ', '~'},
	{0xa1, 0xac}, {0xae, 0x2ff}, // Latin, without the soft hyphen
	{0x370, 0x482}, {0x48a, 0x587}, // Greek, Cyrillic, Armenian
	{0x1e00, 0x1fff},                                     // Latin and Greek with marks
	{0x2010, 0x2027}, {0x2030, 0x205e}, {0x20a0, 0x20bf}, // dashes, quotes, currencies
	{0x2190, 0x22ff}, {0x2500, 0x25ff}, // arrows, mathematics, frames, blocks, shapes
}

func isUndisputed(r rune) bool {
	if r >= ' ' && r <= '~' {
		return true
	}
	for _, u := range undisputed {
		if r >= u[0] && r <= u[1] {
			return ansi.StringWidth(string(r)) == 1
		}
	}
	return false
}

type span struct{ from, to int }

const maxRewrittenGap = 5

func findSpans(before, after []cell) []span {
	var spans []span
	for i, c := range after {
		old := blank
		if i < len(before) {
			old = before[i]
		}
		if c == old {
			continue
		}
		if last := len(spans) - 1; last >= 0 && i-spans[last].to <= maxRewrittenGap {
			spans[last].to = i + 1
			continue
		}
		spans = append(spans, span{i, i + 1})
	}
	return spans
}
