package llmtest

import "strings"

// NormalizeWidth does to a text what normalization of Unicode (NFKC) does to the forms of
// brackets, bars and letters in full width.
func NormalizeWidth(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xFF01 && r <= 0xFF5E:
			return r - 0xFEE0
		case r == '﹤':
			return '<'
		case r == '﹥':
			return '>'
		}
		return r
	}, text)
}
