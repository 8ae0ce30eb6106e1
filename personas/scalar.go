package personas

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// scalarEnd finds the end of a YAML scalar that begins at start, which the
// library does not keep.
func scalarEnd(s string, start int, y *yaml.Node) int {
	switch {
	case start >= len(s):
		return len(s)
	case y.Style&yaml.DoubleQuotedStyle != 0:
		return quotedEnd(s, start, '"')
	case y.Style&yaml.SingleQuotedStyle != 0:
		return quotedEnd(s, start, '\'')
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return matchEnd(s, headerEnd(s, start), y.Value)
	}
	return matchEnd(s, start, y.Value)
}

func quotedEnd(s string, start int, mark byte) int {
	for i := start + 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && mark == '"':
			i++
		case s[i] == mark && mark == '\'' && strings.HasPrefix(s[i+1:], "'"):
			i++
		case s[i] == mark:
			return i + 1
		}
	}
	return len(s)
}

// headerEnd passes the first line of a block scalar: `|2- # comment`.
func headerEnd(s string, start int) int {
	line := s[start:]
	if i := strings.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	if strings.Contains(line, "#") {
		return start + len(line)
	}
	return start + len(strings.TrimRight(line, " \t"))
}

// matchEnd finds the end of a value that occurs in the text verbatim except for line breaks and
// indentation: only those may separate its words.
func matchEnd(s string, start int, value string) int {
	if strings.HasPrefix(s[start:], value) { // Mostly it is one line.
		return start + len(strings.TrimRight(value, " \t\r\n"))
	}
	at, end := start, start
	for _, r := range value {
		if isFoldable(r) {
			continue
		}
		for at < len(s) {
			c, n := utf8.DecodeRuneInString(s[at:])
			if !isFoldable(c) {
				break
			}
			at += n
		}
		at = min(at+utf8.RuneLen(r), len(s))
		end = at
	}
	return end
}

// isFoldable reports whether YAML may change a character when a text is folded or indented.
func isFoldable(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }
