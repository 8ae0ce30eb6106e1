package tui

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/views"
)

// ownThemes returns a sound theme, one that is hard to read, and an invalid one.
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
	d.shows("Themes, 2 of 8", "› dark", "Halt, Alex", "dusk           your own", "Enter keeps it, Up and Down show others, Esc goes back")
	golden(t, "themes-80x24", d.screen())
	d.press("down").settle()
	light := d.root.View()
	d.press("down", "down", "down").settle()
	if dusk := d.root.View(); !strings.Contains(dusk, pink) || strings.Contains(light, pink) {
		t.Errorf("the theme is not shown: %q", dusk[:300])
	}
	d.press("esc").settle().hides("Themes,")
	assert.Equal(t, d.root.View(), before, "Esc does not bring the theme back")
	d.say("/theme")
	d.press("down", "down", "down", "down", "enter").settle().shows("the theme is dusk; parley config set chat_theme dusk keeps it")
	assert.Contains(t, d.root.View(), pink, "Enter does not keep it")
	d.say("/theme")
	d.click("fog").click("fog").shows("faint #eeeeee is hard to read on #ffffff: 1.2 to 1")
	d.hides("Themes,")
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
	d.press("/theme d").shows("dark", "dusk")
	o := (&Options{Theme: "broken.yaml", Themes: ownThemes()})
	if o.hasTheme("broken.yaml") || !o.hasTheme("dusk") || o.hasTheme("mauve") {
		t.Error("a theme that cannot be used is taken at the start")
	}
}

// TestPersonasHueAndOwnThemes: only a theme with a colour for the character ignores the persona's hue.
func TestPersonasHueAndOwnThemes(t *testing.T) {
	d := withThemes(t, func(o *Options) { o.Theme = "dusk" })
	assert.Contains(t, d.root.View(), pink, "the persona's hue takes the theme's colour")
	d = withThemes(t, func(o *Options) { o.Theme = "fog" })
	assert.Contains(t, d.root.View(), "1;38;2;95;60;111", "the persona's hue is not followed")
}

// TestThemesLeaveThePanelAsItIs: the list covers conversation and panel, which keep their layout.
func TestThemesLeaveThePanelAsItIs(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {120, 24}, {200, 50}} {
		d := playing(t).say("pass")
		d.Resize(size[0], size[1])
		before := strings.Split(d.screen(), "\n")
		d.press("/theme", "enter").settle()
		for i, line := range strings.Split(d.screen(), "\n")[:size[1]/2] {
			was, is := before[i][strings.LastIndex(before[i], "│")+1:], line[strings.LastIndex(line, "│")+1:]
			assert.Equal(t, is, was, "%v: line %d of the panel", size, i)
		}
	}
}
