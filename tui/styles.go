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

	// renderer knows the colours of the output; another theme is made with it.
	renderer *lipgloss.Renderer
}

// newStyles makes the looks of a theme for an output. Without colours (theme
// none, or an output that has none) bold, faint, italic and reverse remain.
func newStyles(out io.Writer, t Theme, light bool) *styles {
	r := lipgloss.NewRenderer(out)
	r.SetHasDarkBackground(!light) // Nobody is asked.
	return newThemeStyles(r, t, light)
}

func newThemeStyles(r *lipgloss.Renderer, t Theme, light bool) *styles {
	if t == ThemeNone || r.ColorProfile() == termenv.Ascii {
		return plainStyles(r)
	}
	p := themePalette(t, light)
	if r.ColorProfile() == termenv.ANSI {
		p = sixteenPalette(t, light)
	}
	ink := func(colour string) lipgloss.Style {
		if colour == "" {
			return r.NewStyle()
		}
		return r.NewStyle().Foreground(lipgloss.Color(colour))
	}
	return &styles{
		text: ink(p.text), title: ink(p.text).Bold(true),
		faint: ink(p.faint), rule: ink(p.rule), note: ink(p.faint),
		character: ink(p.character).Bold(true), player: ink(p.player).Bold(true),
		good: ink(p.good).Bold(true), bad: ink(p.bad).Bold(true),
		chosen: ink(p.character).Bold(true), code: ink(p.code),
		renderer: r,
	}
}

func plainStyles(output *lipgloss.Renderer) *styles {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetHasDarkBackground(true)
	r.SetColorProfile(termenv.ANSI)
	text, strong, faint := r.NewStyle(), r.NewStyle().Bold(true), r.NewStyle().Faint(true)
	return &styles{
		text: text, title: strong, faint: faint, rule: faint, note: faint,
		character: strong, player: strong, good: strong, bad: strong, chosen: strong, code: text,
		renderer: output,
	}
}
