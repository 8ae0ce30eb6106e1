package tui

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/views"
)

func ownThemes() []views.OwnTheme {
	return []views.OwnTheme{
		{Name: "dusk", Colours: map[string]string{"character": "#f5c2e7", "player": "215"}},
		{Name: "fog", Light: true, Colours: map[string]string{"faint": "#eeeeee"}},
		{Name: "broken.yaml", Trouble: "line 2: unknown colour \"fant\" (did you mean faint?)"},
	}
}

func withThemes(t *testing.T, change func(*Options)) *driver {
	d := newDriver(t, func(o *Options) {
		asAlex(o)
		o.Theme, o.Themes, o.Mouse = views.ThemeDark, ownThemes(), true
		if change != nil {
			change(o)
		}
	})
	d.root.env.st.Renderer.SetColorProfile(termenv.TrueColor)
	d.root.applyTheme(d.root.env.opts.Theme)
	return d.settle()
}

// pink is the character's colour in the theme dusk.
const pink = "38;2;245;194;231"

// TestThemesAreShownAtOnce: the list shows each theme at once. Enter keeps it, Esc restores the previous one.
func TestThemesAreShownAtOnce(t *testing.T) {
	d := withThemes(t, nil)
	before := d.root.View()
	d.say("/theme")
	d.shows("Themes", "2 of 8", "› dark", "dusk  your own", "Enter keeps the theme, Up and Down show others, Esc goes back")
	golden(t, "themes-80x24", d.screen())
	d.press("down").settle()
	light := d.root.View()
	d.press("down", "down", "down").settle()
	if dusk := d.root.View(); !strings.Contains(dusk, pink) || strings.Contains(light, pink) {
		t.Errorf("the theme is not shown: %q", dusk[:300])
	}
	d.press("esc").settle().hides("Themes")
	assert.Equal(t, d.root.View(), before, "Esc does not bring the theme back")
	d.say("/theme")
	d.press("down", "down", "down", "down", "enter").settle().shows("the theme is dusk; parley config set chat_theme dusk keeps it")
	assert.Contains(t, d.root.View(), pink, "Enter does not keep it")
	d.say("/theme")
	d.click("fog").shows("faint #eeeeee is hard to read on #ffffff: 1.2 to 1")
	d.hides("Themes")
}

// TestFaultyThemes: invalid themes describe their mistakes, and are neither shown nor stored.
func TestFaultyThemes(t *testing.T) {
	d := withThemes(t, nil)
	d.say("/theme")
	d.press("pgdown", "enter").settle().shows("› broken.yaml", `line 2: unknown colour "fant"`)
	d.press("esc").settle()
	d.say("/theme broken.yaml")
	d.shows("unknown colour")
	d.say("/theme Dusk")
	d.shows("the theme is dusk")
}

// TestPersonasHueAndOwnThemes: only a theme with a colour for the character ignores the persona's hue.
func TestPersonasHueAndOwnThemes(t *testing.T) {
	d := withThemes(t, func(o *Options) { o.Theme = "dusk" })
	assert.Contains(t, d.root.View(), pink, "the persona's hue takes the theme's colour")
	d = withThemes(t, func(o *Options) { o.Theme = "fog" })
	assert.Contains(t, d.root.View(), "1;38;2;95;60;111", "the persona's hue is not followed")
}

func TestBackgroundReaderAsksOnlyWhereItMatters(t *testing.T) {
	for name, o := range map[string]Options{
		"dark": {Theme: views.ThemeDark}, "light": {Light: true}, "none": {Theme: views.ThemeNone}, "no colour": {NoColor: true},
	} {
		t.Run(name, func(t *testing.T) {
			assert.True(t, !o.asksBackground(), "%s: the terminal is asked", name)
		})
	}
	for _, theme := range []views.Theme{"", views.ThemeAuto, views.ThemeHighContrast} {
		o := Options{Theme: theme}
		assert.True(t, o.asksBackground(), "%q does not ask", theme)
	}
}

func TestBackgroundChangesTheTheme(t *testing.T) {
	d := playing(t).say("pass")
	d.root.env.st.Renderer = colourful(views.ThemeAuto, false).Renderer
	d.root.applyTheme(views.ThemeAuto)
	before, dark := d.screen(), d.root.View()
	d.send(backgroundKnownMsg{light: true})
	opts := &d.root.env.opts
	assert.True(t, d.root.View() != dark, "the colours are still those for a dark background")
	assert.Equal(t, *views.ThemePalette(opts.Theme, opts.Light), *views.ThemePalette(views.ThemeLight, false), "palette")
	assert.True(t, opts.Light, "the background is not remembered")
	assert.Equal(t, opts.Theme, views.ThemeAuto, "theme")
	assert.Equal(t, d.screen(), before, "another theme has other words")
}

// colourful is a theme as a terminal of full colours shows it.
func colourful(theme views.Theme, light bool) *views.Styles {
	r := lipgloss.NewRenderer(&bytes.Buffer{})
	r.SetColorProfile(termenv.TrueColor)
	return views.NewStyles(r, theme, light)
}
