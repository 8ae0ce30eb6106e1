package views

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
)

// TestOwnThemes: an own theme has its colours and those of its base, and is plain without colours.
func TestOwnThemes(t *testing.T) {
	own := []OwnTheme{{Name: "dusk", Light: true, Colours: map[string]string{"text": "#123456", "code": "99"}}, {Name: "fog"}}
	r := NewRenderer(&bytes.Buffer{}, false)
	r.SetColorProfile(termenv.TrueColor)
	s := MakeStyles(r, "dusk", false, own)
	light := MakeStyles(r, ThemeLight, true, own)
	assert.Contains(t, s.Text.Render("x"), "38;2;18;52;86")
	assert.Contains(t, s.Code.Render("x"), "38;5;99")
	assert.True(t, s.Bad.Render("x") == light.Bad.Render("x") && s.shade != nil, "what is not named is not the base's")
	if MakeStyles(r, "fog", true, own).Bad.Render("x") != MakeStyles(r, ThemeDark, true, nil).Bad.Render("x") {
		t.Error("a theme without a base is not for a dark background")
	}
	assert.Equal(t, LightPalette.text, "", "the base has changed")
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
	a, _ := seenColour("#777777")
	b, _ := seenColour("#ffffff")
	got := contrastRatio(a, b)
	assert.True(t, math.Abs(got-ratio("#777777", "#ffffff")) <= 0.01, "the ratio is %.2f", got)
}
