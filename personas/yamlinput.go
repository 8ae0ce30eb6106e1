package personas

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// yamlInput is a text prepared for the YAML library. The library rejects the directive %YAML 1.2,
// and it breaks lines at U+0085, U+2028 and U+2029. The prepared text has the same length and the
// same lines.
type yamlInput struct {
	text    string
	restore *strings.Replacer // restores the replaced separators; nil if there are none
}

// newYAMLInput fails if the text already contains every possible replacement for a separator.
func newYAMLInput(t *sourceText) (yamlInput, *Diagnostic) {
	in := yamlInput{text: t.src}
	if at := versionDigit(in.text); at >= 0 {
		in.text = in.text[:at] + "1" + in.text[at+1:]
	}
	if !strings.ContainsAny(in.text, yamlBreaks) {
		return in, nil
	}
	var forward, back []string
	used := candidatesUsed(in.text)
	for _, separator := range yamlBreaks {
		if !strings.ContainsRune(in.text, separator) {
			continue
		}
		stand, ok := used.takeFree(utf8.RuneLen(separator))
		if !ok {
			at := strings.IndexRune(in.text, separator)
			return in, &Diagnostic{Position: t.positionOf(span{at, at}), Message: fmt.Sprintf(
				"the separator U+%04X is not supported here; remove it, or write it as \"\\u%04x\"", separator, separator)}
		}
		forward = append(forward, string(separator), string(stand))
		back = append(back, string(stand), string(separator))
	}
	in.text = strings.NewReplacer(forward...).Replace(in.text)
	in.restore = strings.NewReplacer(back...)
	return in, nil
}

// versionDigit returns the offset of the minor version in a directive %YAML 1.x, or -1. Only
// comments, empty lines and other directives may precede the directive.
func versionDigit(text string) int {
	if !strings.Contains(text, "%YAML") {
		return -1
	}
	at := 0
	for line := range strings.Lines(text) {
		if digit := minorVersion(line); digit >= 0 {
			return at + digit
		}
		if blank := strings.TrimSpace(line); blank != "" && blank[0] != '#' && line[0] != '%' {
			return -1
		}
		at += len(line)
	}
	return -1
}

func minorVersion(line string) int {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "%YAML" || len(words) > 2 && words[2][0] != '#' {
		return -1
	}
	digit, isOne := strings.CutPrefix(words[1], "1.")
	if !isOne || len(digit) != 1 || digit[0] < '0' || digit[0] > '9' {
		return -1
	}
	return strings.Index(line, words[1]) + 2
}

// The characters that may replace a separator: unassigned characters of two bytes, and private-use
// characters of three bytes.
const (
	firstShort, lastShort = '\u07b2', '\u07bf'
	firstLong, lastLong   = '\ue000', '\uf8ff'
)

// usedRunes is the set of replacement characters that a text contains, literally or as an escape.
type usedRunes map[rune]bool

func candidatesUsed(text string) usedRunes {
	used := usedRunes{}
	for i, r := range text {
		if r == '\\' {
			r = escapedRune(text[i+1:])
		}
		if r >= firstShort && r <= lastShort || r >= firstLong && r <= lastLong {
			used[r] = true
		}
	}
	return used
}

// escapedRune returns the character of an escape such as u2028 or U00002028, or 0.
func escapedRune(s string) rune {
	digits := 4
	if strings.HasPrefix(s, "U") {
		digits = 8
	} else if !strings.HasPrefix(s, "u") {
		return 0
	}
	if len(s) < digits+1 {
		return 0
	}
	code, err := strconv.ParseUint(s[1:digits+1], 16, 31)
	if err != nil {
		return 0
	}
	return rune(code)
}

// takeFree returns an unused replacement character of size bytes, and marks it as used.
func (used usedRunes) takeFree(size int) (rune, bool) {
	first, last := firstLong, lastLong
	if size == 2 {
		first, last = firstShort, lastShort
	}
	for r := first; r <= last; r++ {
		if !used[r] {
			used[r] = true
			return r, true
		}
	}
	return 0, false
}
