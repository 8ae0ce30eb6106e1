package llmtest

import "strings"

// NormalizeWidth converts full-width brackets, bars and letters as Unicode normalization (NFKC)
// does.
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
