package graph

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

const longest = 120

// plainLine converts a text to one line of at most 120 characters. Characters that cannot be drawn
// or change the text direction become the replacement character.
func plainLine(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > longest {
			b.WriteRune('…')
			break
		}
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case !isDrawable(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func isDrawable(r rune) bool {
	if r == 0x200c || r == 0x200d {
		return true
	}
	return unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r)
}

// wrapText breaks a text into lines of at most the given width. If the text needs more lines, the
// last line ends in an ellipsis.
func wrapText(s string, width float64, lines int, measure func(string) float64) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		for _, piece := range cutWord(word, width, measure) {
			switch next := strings.TrimSpace(line + " " + piece); {
			case line == "" || measure(next) <= width:
				line = next
			default:
				out, line = append(out, line), piece
			}
		}
	}
	out = append(out, line)
	if len(out) > lines {
		out = out[:lines]
		out[lines-1] = clip(out[lines-1]+"…", width, measure)
	}
	return out
}

func cutWord(word string, width float64, measure func(string) float64) []string {
	var pieces []string
	for measure(word) > width {
		head := fittingBytes(word, width, measure)
		pieces, word = append(pieces, word[:head]), word[head:]
	}
	return append(pieces, word)
}

// fittingBytes returns the length in bytes of the longest beginning of s that fits into the width.
// The beginning has at least one character.
func fittingBytes(s string, width float64, measure func(string) float64) int {
	end := 0
	for i, r := range s {
		if i > 0 && measure(s[:i+utf8.RuneLen(r)]) > width {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return end
}

func clip(s string, width float64, measure func(string) float64) string {
	if measure(s) <= width {
		return s
	}
	runes := []rune(strings.TrimSuffix(s, "…"))
	tooWide := func(n int) bool { return measure(string(runes[:n])+"…") > width }
	most := 16
	for most < len(runes) && !tooWide(most) {
		most *= 2
	}
	most = min(most, len(runes))
	fits := max(sort.Search(most+1, tooWide)-1, 0)
	return string(runes[:fits]) + "…"
}
