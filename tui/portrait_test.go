package tui

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/portrait"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/tuitest"
	"github.com/parley-npc/parley/tui/views"
)

// portraitOf is a data URI of a picture of one colour above another.
func portraitOf(t *testing.T, above, below color.NRGBA) string {
	t.Helper()
	square := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i := range 32 * 32 {
		ink := above
		if i >= 16*32 {
			ink = below
		}
		square.SetNRGBA(i%32, i/32, ink)
	}
	var b bytes.Buffer
	assert.NoError(t, png.Encode(&b, square))
	uri := assert.Value(portrait.EncodeURI(b.Bytes()))(t)
	return uri
}

var red, blue = color.NRGBA{200, 30, 30, 255}, color.NRGBA{30, 30, 200, 255}

// portrayed returns a driver with a terminal that shows pictures in the given way and colours; Mira has a portrait.
func portrayed(t *testing.T, uri string, way views.PictureWay, profile termenv.Profile, change func(*Options)) (*driver, *bytes.Buffer) {
	t.Helper()
	out := &bytes.Buffer{}
	d := newDriver(t, func(o *Options) {
		asAlex(o)
		o.Out, o.Pictures = out, views.PictureTerminal{Way: way, CellSize: func() (int, int) { return 8, 16 }}
		if change != nil {
			change(o)
		}
	})
	d.service.Persona.Portrait = uri
	renderer := lipgloss.NewRenderer(out)
	renderer.SetColorProfile(profile)
	*d.root.env.st = *views.NewStyles(renderer, d.root.env.opts.Theme, false)
	return d, out
}

// TestPortraits: the card shows the portrait in the terminal's way and colours, else the initial.
func TestPortraits(t *testing.T) {
	const initial = "│ M │"
	drawn := portraitOf(t, red, blue)
	tests := map[string]struct {
		uri     string
		way     views.PictureWay
		profile termenv.Profile
		change  func(*Options)
		want    string
	}{
		"Kitty":                {drawn, views.Kitty, termenv.TrueColor, nil, "\U0010EEEE\u0305\u0305"},
		"Kitty in 256 colours": {drawn, views.Kitty, termenv.ANSI256, nil, "48;5;160m▀"},
		"Sixel":                {drawn, views.Sixel, termenv.TrueColor, nil, "\x1bP0;1;0q\"1;1;128;16"},
		"blocks":               {drawn, views.HalfBlocks, termenv.TrueColor, nil, "48;2;200;30;30m▀"},
		"sixteen colours":      {drawn, views.Kitty, termenv.ANSI, nil, initial},
		"no colours":           {drawn, views.Kitty, termenv.Ascii, nil, initial},
		"no way":               {drawn, views.NoPictures, termenv.TrueColor, nil, initial},
		"NO_COLOR":             {drawn, views.Kitty, termenv.TrueColor, func(o *Options) { o.NoColor = true }, initial},
		"not base64":           {"data:image/png;base64,@@", views.Kitty, termenv.TrueColor, nil, initial},
		"a script":             {"data:image/svg+xml;base64,PHN2Zy8+", views.Kitty, termenv.TrueColor, nil, initial},
		"an escape":            {"\x1b]0;x\a", views.Kitty, termenv.TrueColor, nil, initial},
		"cut off":              {drawn[:60], views.Kitty, termenv.TrueColor, nil, initial},
		"an address":           {"https://example.com/x.png", views.Kitty, termenv.TrueColor, nil, initial},
		"longer than 1 MB":     {"data:image/png;base64," + strings.Repeat("A", 1<<20), views.Kitty, termenv.TrueColor, nil, initial},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d, out := portrayed(t, tt.uri, tt.way, tt.profile, tt.change)
			d.settle()
			shown := d.root.View()
			assert.Contains(t, shown, tt.want)
			assert.Equal(t, strings.Contains(shown, initial), tt.want == initial, "%q", shown)
			assert.NotContains(t, shown, "\x1b]")
			assert.Equal(t, strings.Contains(out.String(), "a=T"), name == "Kitty", "sent: %.100q", out)
		})
	}
}

// TestPortraitIsForgotten: the picture is deleted after the persona, and sent again after another program.
func TestPortraitIsForgotten(t *testing.T) {
	d, out := portrayed(t, portraitOf(t, red, blue), views.Kitty, termenv.TrueColor, nil)
	d.settle()
	sent := out.String()
	forget := "\x1b_Ga=d,d=I," + regexp.MustCompile(`i=\d+`).FindString(sent) + ",q=2\x1b\\"
	assert.Must(t, sent != "" && !strings.Contains(sent, forget), "%q", sent)
	out.Reset()
	d.send(tea.ResumeMsg{})
	d.settle()
	assert.Equal(t, out.String(), sent, "after the shell it is sent as")
	out.Reset()
	d.root.env.portraits.QuitCleanly()
	assert.Equal(t, out.String(), forget, "at the end")
	out.Reset()
	d.service.Persona.Persona.ID, d.service.Persona.Portrait = "another", portraitOf(t, blue, red)
	d.send(personaChosenMsg{"mira"})
	d.settle()
	got := out.String()
	assert.True(t, strings.HasPrefix(got, forget), "the old picture stays: %.200q\n%s", got, d.screen())
	assert.True(t, strings.Contains(got, "a=T"), "the new picture is missing: %.200q", got)
}

// TestPortraitsInEveryWidth: the card fits, with a picture or without.
func TestPortraitsInEveryWidth(t *testing.T) {
	d, _ := portrayed(t, portraitOf(t, red, blue), views.HalfBlocks, termenv.TrueColor, nil)
	d.settle()
	for width, drawn := range map[int]bool{40: false, 45: false, 46: true, 63: true, 64: true, 120: true} {
		d.Resize(width, 30)
		shown := ansi.Strip(d.root.View())
		assert.Equal(t, strings.Contains(shown, strings.Repeat("▀", 16)+"  "), drawn, "at %d cells:\n%s", width, shown)
		assert.Contains(t, shown, "Mira")
		for _, line := range strings.Split(shown, "\n") {
			assert.True(t, ansi.StringWidth(line) <= width, "at %d: %q", width, line)
		}
	}
}

// TestPortraitFollowsTheTheme: without colours the initial is shown, and with colours the picture again.
func TestPortraitFollowsTheTheme(t *testing.T) {
	d, _ := portrayed(t, portraitOf(t, red, blue), views.HalfBlocks, termenv.TrueColor, nil)
	d.settle()
	for i, theme := range []views.Theme{views.ThemeNone, views.ThemeAuto} {
		d.send(themeChosenMsg{theme})
		if got := strings.Contains(d.root.View(), "▀▀▀"); got != (i == 1) {
			t.Errorf("%s: %s", theme, fmt.Sprintf("%q", d.root.View()))
		}
	}
}

// TestOpeningIsWaitedFor: until the first words arrive, the card is shown and the seconds of this wait.
func TestOpeningIsWaitedFor(t *testing.T) {
	d, _ := portrayed(t, portraitOf(t, red, blue), views.HalfBlocks, termenv.TrueColor, nil)
	join := newJoinScreen(d.root.env)
	join.Resize(80, 24)
	join.OpenPersona("mira")
	user, err := d.root.env.requester.OpenPersona(t.Context(), "mira", conversation.SavedSession{PlayerName: "Alex", PlayerGender: "female"}, true)
	assert.NoError(t, err)
	join.showForm(user)
	for range 3 {
		join.tick(2)
	}
	join.tick(0)
	shown := ansi.Strip(strings.Join(join.DrawLines(), "\n"))
	for _, want := range []string{"Guards the gate", "Mira is about to speak … 3 seconds"} {
		assert.Contains(t, shown, want)
	}
	join.showFailure(tuitest.ErrLost)()
	join.tick(2)
	assert.Equal(t, join.waitSeconds, 3, "a wait that is over goes on")
}
