package tui

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/views"
)

// A theme's colours reach the screen, and change while it is shown.
func TestThemeChangesInTheScreen(t *testing.T) {
	d := playing(t).say("pass")
	paint := func(theme views.Theme, light bool) string {
		d.root.env.st.Renderer = colourful(theme, light).Renderer
		d.root.env.opts.Light = light
		d.root.applyTheme(theme)
		return d.root.View()
	}
	dark, light := paint(views.ThemeDark, false), paint(views.ThemeLight, true)
	begins := func(look lipgloss.Style) string {
		sequence, _, _ := strings.Cut(look.Render("x"), "x")
		return sequence
	}
	old, now := begins(colourful(views.ThemeDark, false).Faint), begins(colourful(views.ThemeLight, true).Faint)
	assert.Contains(t, dark, old)
	assert.NotContains(t, light, old)
	assert.Contains(t, light, now)
}

// Who has chosen is not asked for the terminal's background.
func TestBackgroundReaderAsksOnlyWhereItMatters(t *testing.T) {
	for name, o := range map[string]Options{
		"dark": {Theme: views.ThemeDark}, "light": {Light: true}, "none": {Theme: views.ThemeNone}, "no colour": {NoColor: true},
	} {
		t.Run(name, func(t *testing.T) {
			assert.True(t, !o.asksBackground(), "%s: the terminal is asked", name)
		})
	}
	for _, theme := range []views.Theme{"", views.ThemeAuto, views.ThemeHighContrast} {
		o := (Options{Theme: theme})
		assert.True(t, o.asksBackground(), "%q does not ask", theme)
	}
}

func TestBackgroundChangesTheTheme(t *testing.T) {
	d := playing(t).say("pass")
	d.root.env.st.Renderer = colourful(views.ThemeAuto, false).Renderer
	d.root.applyTheme(views.ThemeAuto)
	before, dark := d.screen(), d.root.View()
	d.send(backgroundKnownMsg{light: true})
	if d.root.View() == dark || *views.ThemePalette(d.root.env.opts.Theme, d.root.env.opts.Light) != views.LightPalette {
		t.Error("the colours are still those for a dark background")
	}
	assert.True(t, d.root.env.opts.Light && d.root.env.opts.Theme == views.ThemeAuto, "the background is not remembered")
	assert.Equal(t, d.screen(), before, "another theme has other words")
}

// The picker's foot loses no key either.
func TestPickerFoot(t *testing.T) {
	const picker = "Enter talks, F1 keys, Ctrl+D leaves"
	if got := strings.TrimSpace(ansi.Strip(views.FooterLine(views.NewStyles(views.NewRenderer(io.Discard, false), views.ThemeAuto, false), pickerFoot, 40))); got != picker {
		t.Errorf("the picker's: %q, want %q", got, picker)
	}
}

// colourful is a theme as a terminal of full colours shows it.
func colourful(theme views.Theme, light bool) *views.Styles {
	r := lipgloss.NewRenderer(&bytes.Buffer{})
	r.SetColorProfile(termenv.TrueColor)
	return views.NewStyles(r, theme, light)
}
