package terminal

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// leftToRight is the left-to-right mark, an invisible character. If a terminal reorders
// right-to-left text, marks at both ends of a line keep the columns of the line in place.
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

// isDisputed reports whether terminals may disagree about the width of a line, because the line has
// emoji, joiners, combining marks or wide characters.
func isDisputed(line string) bool {
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

// MoveToColumn extends a line to a column, counted from 0. It pads the line with spaces or, if the
// width of the line is disputed, appends sequences that clear the rest of the line and move the
// cursor to the column. These sequences work for any width that the terminal assumes.
func MoveToColumn(line string, column int) string {
	if !isDisputed(line) {
		return PadToWidth(line, column)
	}
	return PadToWidth(line+ansi.EraseLineRight, column) + "\x1b[" + strconv.Itoa(column+1) + "G"
}

// PlaceBeside puts the lines of right beside those of left, at a column.
func PlaceBeside(left, right []string, column int) []string {
	for i := range left {
		if i < len(right) {
			left[i] = MoveToColumn(left[i], column) + right[i]
		}
	}
	return left
}
