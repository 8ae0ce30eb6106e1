package terminal

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// leftToRight keeps the columns of a line in place if the terminal reorders right-to-left text.
const leftToRight = "\u200e"

func keepOrder(line string) string {
	if !hasRightToLeft(line) || strings.HasPrefix(line, leftToRight) {
		return line
	}
	return leftToRight + line + leftToRight
}

func hasRightToLeft(line string) bool {
	for i := 0; i < len(line); i++ {
		if line[i] >= 0xd6 { // Lower bytes are Latin, Greek, Cyrillic and Armenian.
			return strings.ContainsFunc(line[i:], isRightToLeft)
		}
	}
	return false
}

func isRightToLeft(r rune) bool {
	switch {
	case r < 0x590:
		return false
	case r <= 0x8ff, r >= 0xfb1d && r <= 0xfdff, r >= 0xfe70 && r <= 0xfefc:
		return true
	case r == 0x200f:
		return true
	}
	return r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}

func hasDisputedWidth(line string) bool {
	for i := 0; i < len(line); i++ {
		if line[i] >= 0xcc { // Lower bytes are Latin letters.
			return strings.ContainsFunc(line[i:], isDisputedRune)
		}
	}
	return false
}

func isDisputedRune(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r >= 0x1100 && r < 0x1200, r >= 0x2600 && r < 0x2800, r >= 0x2e80, r == 0x200d:
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me)
}

// MoveToColumn extends a line to a column, counted from 0. Lines with emoji or combining marks get
// cursor sequences, because terminals disagree about the widths.
func MoveToColumn(line string, column int) string {
	if !hasDisputedWidth(line) {
		return PadToWidth(line, column)
	}
	return PadToWidth(line+ansi.EraseLineRight, column) + "\x1b[" + strconv.Itoa(column+1) + "G"
}

// PlaceBeside appends the lines of right to those of left at a column.
func PlaceBeside(left, right []string, column int) []string {
	for i := range left {
		if i < len(right) {
			left[i] = MoveToColumn(left[i], column) + right[i]
		}
	}
	return left
}
