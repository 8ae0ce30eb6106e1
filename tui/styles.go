package tui

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// styles is every look of the full screen. They are made for one output, so no
// library-wide renderer is asked and the terminal is never questioned.
type styles struct {
	text, title, faint, rule, note lipgloss.Style
	character, player              lipgloss.Style
	good, bad, chosen, code        lipgloss.Style
}

// newStyles makes the looks for an output. Without colours (asked for, or an
// output that has none) bold, faint, italic and reverse remain.
func newStyles(out io.Writer, light, noColor bool) *styles {
	r := lipgloss.NewRenderer(out)
	r.SetHasDarkBackground(!light)
	noColor = noColor || r.ColorProfile() == termenv.Ascii
	if noColor {
		r.SetColorProfile(termenv.ANSI)
	}
	paint := func(dark, light string) lipgloss.Style {
		if noColor {
			return r.NewStyle()
		}
		return r.NewStyle().Foreground(lipgloss.AdaptiveColor{Dark: dark, Light: light})
	}
	faint := paint("#8b919c", "#646a73")
	if noColor {
		faint = r.NewStyle().Faint(true)
	}
	return &styles{
		text: r.NewStyle(), title: r.NewStyle().Bold(true), faint: faint, rule: faint, note: faint,
		character: paint("#7fc8c2", "#00686b").Bold(true),
		player:    paint("#e0b872", "#7d5200").Bold(true),
		good:      paint("#94c77d", "#2f6d1d").Bold(true),
		bad:       paint("#ec8a86", "#a82323").Bold(true),
		chosen:    paint("#7fc8c2", "#00686b").Bold(true),
		code:      paint("#d7a9c9", "#83386b"),
	}
}
