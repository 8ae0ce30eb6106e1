package transcript

import (
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/views"
)

// Who speaks on is named once; a note, another speaker or broken words begin again.
func TestSpeakerIsNamedOnce(t *testing.T) {
	v := NewView(views.NewStyles(views.NewRenderer(io.Discard, false), views.ThemeNone, false))
	for _, text := range []string{"one", "two"} {
		v.AddEntry(Entry{Kind: PlayerTurn, Name: "Alex", Text: text})
	}
	for _, text := range []string{"three", "four"} {
		v.AddEntry(Entry{Kind: CharacterTurn, Name: "Mira", Text: text})
	}
	v.AddNote("changed", ToneChange)
	v.AddEntry(Entry{Kind: CharacterTurn, Name: "Mira", Text: "five"})
	v.Resize(40, 17)
	want := " Alex|   one||   two|| Mira| ▎ three|| ▎ four|| → changed|| Mira| ▎ five|||"
	var shown []string
	for _, line := range v.DrawLines() {
		shown = append(shown, strings.TrimRight(ansi.Strip(line), " "))
	}
	if got := strings.TrimLeft(strings.Join(shown, "|"), "|") + "|||"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
