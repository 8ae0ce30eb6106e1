package views

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
)

// The backgrounds that terminals and their well-known schemes have.
var (
	darkGrounds  = []string{"#000000", "#1e1e1e", "#282a36", "#282c34", "#002b36", "#2e3440"}
	lightGrounds = []string{"#ffffff", "#fafafa", "#fdf6e3", "#eff1f5"}
)

func ratio(t *testing.T, a, b string) float64 {
	t.Helper()
	x, known := seenColour(a)
	y, also := seenColour(b)
	assert.Must(t, known && also, "%s or %s is no colour", a, b)
	return contrastRatio(x, y)
}

// TestRatio compares with the values of WCAG 2.
func TestRatio(t *testing.T) {
	for pair, want := range map[[2]string]float64{{"#000000", "#ffffff"}: 21, {"#777777", "#ffffff"}: 4.48, {"#123456", "#123456"}: 1} {
		got := ratio(t, pair[0], pair[1])
		assert.True(t, math.Abs(got-want) <= 0.01, "%v have %.2f, want %.2f", pair, got, want)
	}
}

// Every colour of every palette can be read, in full colours and in 256.
func TestContrast(t *testing.T) {
	for _, c := range []struct {
		name         string
		palette      *palette
		grounds      []string
		words, lines float64
	}{
		{"dark", ThemePalette(ThemeDark, true), darkGrounds, 4.5, 2},
		{"light", ThemePalette(ThemeLight, false), lightGrounds, 4.5, 2},
		{"high contrast on dark", ThemePalette(ThemeHighContrast, false), darkGrounds, 7, 4.5},
		{"high contrast on light", ThemePalette(ThemeHighContrast, true), lightGrounds, 7, 4.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.palette
			for name, colour := range map[string]string{"text": p.text, "faint": p.faint, "character": p.character,
				"player": p.player, "good": p.good, "bad": p.bad, "warn": p.warn, "code": p.code, "rule": p.rule} {
				least := c.words
				if name == "rule" {
					least = c.lines
				}
				for _, ground := range c.grounds {
					for _, seen := range asSeen(colour) {
						got := ratio(t, seen, ground)
						assert.True(t, got >= least, "%s: %s %s (seen as %s) on %s has %.2f, wants %.1f", c.name, name, colour, seen, ground, got, least)
					}
				}
			}
		})
	}
}

// asSeen returns a colour in full and as the nearest of 256; the terminal's own colour is not judged.
func asSeen(colour string) []string {
	if colour == "" {
		return nil
	}
	return []string{colour, strings.ToLower(termenv.ConvertToRGB(termenv.ANSI256.Color(colour)).Hex())}
}

func TestThemes(t *testing.T) {
	for _, c := range []struct {
		theme Theme
		light bool
		want  *palette
	}{
		{"", false, &darkPalette},
		{ThemeAuto, true, &lightPalette},
		{ThemeDark, true, &darkPalette},
		{ThemeLight, false, &lightPalette},
		{ThemeHighContrast, false, &strongDarkPalette},
		{ThemeHighContrast, true, &strongLightPalette},
	} {
		if got := ThemePalette(c.theme, c.light); got != c.want {
			t.Errorf("ThemePalette(%q, light %v) is %+v", c.theme, c.light, *got)
		}
	}
	for _, theme := range Themes() {
		assert.True(t, theme.IsKnown(), "%q is not known", theme)
	}
	assert.True(t, !Theme("pink").IsKnown(), "a theme that does not exist is known")
}

// With sixteen colours too, what means something else looks otherwise, and lines are not louder than words.
func TestSixteenColours(t *testing.T) {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.ANSI)
	for _, theme := range []Theme{ThemeDark, ThemeLight, ThemeHighContrast} {
		for _, light := range []bool{false, true} {
			st := NewStyles(r, theme, light)
			seen := map[string]bool{}
			for _, look := range []lipgloss.Style{st.Character, st.Player, st.Good, st.Bad, st.Code} {
				if drawn := look.Render("x"); seen[drawn] || !strings.Contains(drawn, "\x1b[") {
					t.Errorf("%s: %q occurs twice or lacks a colour", theme, drawn)
				} else {
					seen[drawn] = true
				}
			}
			line := st.Rule.Render("-")
			assert.True(t, strings.Contains(line, "[90m") || strings.Contains(line, "[37m"), "%s: lines are %q", theme, line)
		}
	}
}

// Every hue of a character can be read in every theme, in full colours and in 256.
func TestHues(t *testing.T) {
	for _, c := range []struct {
		theme   Theme
		light   bool
		grounds []string
		least   float64
	}{
		{ThemeDark, false, darkGrounds, 4.5}, {ThemeLight, true, lightGrounds, 4.5},
	} {
		for hue := range 360 {
			colour := string(themeShade(c.theme, c.light).colour(hue))
			for _, ground := range c.grounds {
				for _, seen := range asSeen(colour) {
					got := ratio(t, seen, ground)
					assert.True(t, got >= c.least, "%s, light %v: hue %d (%s) on %s has %.2f, wants %.1f", c.theme, c.light, hue, seen, ground, got, c.least)
				}
			}
		}
	}
}

// Two characters of different hues look different, with colours.
func TestSetHue(t *testing.T) {
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.TrueColor)
	st := NewStyles(r, ThemeDark, false)
	st.SetHue(30)
	ginger := st.Character.Render("x")
	if st.SetHue(210); st.Character.Render("x") == ginger {
		t.Error("hues 30 and 210 look the same")
	}
}

// TestOwnThemes: an own theme has its colours and those of its base, and is plain without colours.
func TestOwnThemes(t *testing.T) {
	own := []OwnTheme{{Name: "dusk", Light: true, Colours: map[string]string{"text": "#123456", "code": "99"}}, {Name: "fog"}}
	r := NewRenderer(&bytes.Buffer{}, false)
	r.SetColorProfile(termenv.TrueColor)
	s := MakeStyles(r, "dusk", false, own)
	light := MakeStyles(r, ThemeLight, true, own)
	assert.Contains(t, s.Text.Render("x"), "38;2;18;52;86")
	assert.Contains(t, s.Code.Render("x"), "38;5;99")
	assert.Equal(t, s.Bad.Render("x"), light.Bad.Render("x"), "what is not named is not the base's")
	assert.True(t, s.shade != nil, "the hue has no effect")
	if MakeStyles(r, "fog", true, own).Bad.Render("x") != MakeStyles(r, ThemeDark, true, nil).Bad.Render("x") {
		t.Error("a theme without a base is not for a dark background")
	}
	assert.Equal(t, lightPalette.text, "", "the base has changed")
	r.SetColorProfile(termenv.Ascii)
	assert.NotContains(t, MakeStyles(r, "dusk", false, own).Text.Render("x"), "38;", "without colours it")
}

// TestOwnContrast: colours that are hard to read are reported, and the terminal's own colours are not judged.
func TestOwnContrast(t *testing.T) {
	for _, c := range []struct {
		theme OwnTheme
		told  string
	}{
		{OwnTheme{Colours: map[string]string{"text": "#777777"}, Background: "#ffffff"}, "text #777777 is hard to read on #ffffff: 4.5 to 1"},
		{OwnTheme{Colours: map[string]string{"text": "#767676"}, Background: "#ffffff"}, ""},
		{OwnTheme{Colours: map[string]string{"faint": "#333333"}}, "faint #333333 is hard to read on #000000"},
		{OwnTheme{Colours: map[string]string{"faint": "#333333"}, Light: true}, ""},
		{OwnTheme{Colours: map[string]string{"player": "16"}}, "player 16 is hard to read"},
		{OwnTheme{Colours: map[string]string{"player": "0", "rule": "#000000"}}, ""},
		{OwnTheme{Colours: map[string]string{"player": "#000000"}, Background: "0"}, ""},
	} {
		if got := strings.Join(c.theme.ListWarnings(), "; "); got != c.told && (c.told == "" || !strings.HasPrefix(got, c.told)) {
			t.Errorf("%+v: %q, wants %q", c.theme, got, c.told)
		}
	}
}
