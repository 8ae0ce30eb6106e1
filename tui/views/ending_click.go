package views

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// ClickLine goes to the choice that a line of the card shows, and reports whether there is
// one.
func (c *Card) ClickLine(line string) bool {
	text := strings.Trim(ansi.Strip(line), " │›|>")
	text, cut := strings.CutSuffix(text, "…")
	for i, step := range c.steps {
		shown := strings.TrimSpace(stepNumber(i) + step.Words)
		if text != "" && (text == shown || cut && strings.HasPrefix(shown, text)) {
			c.cursor = i
			return true
		}
	}
	return false
}
