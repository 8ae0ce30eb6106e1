package graph

import (
	"strings"
	"unicode"
)

// wideRunes are the characters that occupy two cells of a terminal.
var wideRunes = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x231a, 0x231b, 1}, {0x2e80, 0x303e, 1}, {0x3041, 0xa4cf, 1}, {0xa960, 0xa97c, 1},
		{0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{{0x16fe0, 0x18aff, 1}, {0x1b000, 0x1b2fb, 1}, {0x1f300, 0x1faff, 1}, {0x20000, 0x3fffd, 1}},
}

func cellWidth(s string) float64 {
	n := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r), unicode.Is(unicode.Cf, r):
		case unicode.Is(wideRunes, r):
			n += 2
		default:
			n++
		}
	}
	return float64(n)
}

func padText(s string, width int) string {
	s = clip(s, float64(width), cellWidth)
	return s + strings.Repeat(" ", max(width-int(cellWidth(s)), 0))
}
