package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/cellbuf"
)

// WrapText breaks a text into lines of at most width cells. If possible it breaks at spaces and
// after hyphens, but not within the -- of a flag. A style that spans a break ends before the break
// and begins again after it, because each line is drawn separately.
func WrapText(s string, width int) []string {
	if len(s) <= width && isPrintable(s) {
		return []string{s}
	}
	const hyphen = "\u2011" // non-breaking
	wrapped := cellbuf.Wrap(strings.ReplaceAll(s, "--", hyphen+hyphen), max(width, 1), "")
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(wrapped, hyphen, "-"), "\n") {
		if ansi.StringWidth(line) > width { // Wrap does not break a run of spaces.
			line = ansi.Hardwrap(strings.TrimRight(line, " "), max(width, 1), true)
		}
		lines = append(lines, strings.Split(line, "\n")...)
	}
	return lines
}
