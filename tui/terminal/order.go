package terminal

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// leftToRight is a mark without width that has a direction. At both ends of a
// line it keeps a terminal that reorders right-to-left words from reordering the
// screen's own marks and columns with them.
const leftToRight = "\u200e"

// keepOrder keeps a line of the frame in its order.
func keepOrder(line string) string {
	if !hasRightToLeft(line) || strings.HasPrefix(line, leftToRight) {
		return line
	}
	return leftToRight + line + leftToRight
}

// hasRightToLeft reports whether a line has letters or marks that are written to the left.
func hasRightToLeft(line string) bool {
	for i := 0; i < len(line); i++ {
		if line[i] >= 0xd6 { // Below are Latin, Greek, Cyrillic, Armenian.
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

// isDisputed reports whether terminals disagree about the width of a line: emoji, joiners,
// combining marks, wide characters.
func isDisputed(line string) bool {
	for i := 0; i < len(line); i++ {
		if line[i] >= 0xcc { // Below are Latin letters.
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

// MoveToColumn continues a line at a column, 0 at the left, independent of the terminal's idea of
// its width: it clears the rest of the line and moves the cursor. It pads lines of undisputed width
// with spaces.
func MoveToColumn(line string, column int) string {
	if !isDisputed(line) {
		return PadToWidth(line, column)
	}
	return PadToWidth(line+ansi.EraseLineRight, column) + "\x1b[" + strconv.Itoa(column+1) + "G"
}

// PlaceBeside puts the panel at the right of the conversation.
func PlaceBeside(left, right []string, column int) []string {
	for i := range left {
		if i < len(right) {
			left[i] = MoveToColumn(left[i], column) + right[i]
		}
	}
	return left
}
