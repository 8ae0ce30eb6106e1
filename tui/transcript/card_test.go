package transcript

import (
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/views"
)

// TestCard: the card shows character, aim and tries in every width, and no line is too wide.
func TestCard(t *testing.T) {
	st := views.NewStyles(views.NewRenderer(io.Discard, false), views.ThemeNone, false)
	card := OpeningCard{Name: "Biscuit", About: "A library cat. She is lying on the book you need.", Goal: "Get the cat off the book.", Tries: "5: with the last answer that misses it is over.", Score: "3 by the end and you make it.", Help: "F9"}
	for _, width := range []int{38, 66, 100} {
		lines := card.DrawLines(st, width)
		shown := ansi.Strip(strings.Join(lines, "\n"))
		for _, want := range []string{"Biscuit", "Your aim", "Get the cat off the book.", "5: with the last answer that misses", "3 by the end and you make it.", "F9 lists the keys."} {
			if !strings.Contains(strings.Join(strings.Fields(shown), " "), want) {
				t.Errorf("at %d cells it does not say %q:\n%s", width, want, shown)
			}
		}
		for _, line := range lines {
			if ansi.StringWidth(line) > width {
				t.Errorf("%q is wider than %d", ansi.Strip(line), width)
			}
		}
	}
}

// What is not known is not spoken of, and a name without a letter has a face too.
func TestCardLeavesOut(t *testing.T) {
	st := views.NewStyles(views.NewRenderer(io.Discard, false), views.ThemeNone, false)
	for name, face := range map[string]string{"": "?", "42": "?", "élan": "É", "猫": "猫"} {
		shown := ansi.Strip(strings.Join((&OpeningCard{Name: name}).DrawLines(st, 60), "\n"))
		if strings.Contains(shown, "aim") || strings.Contains(shown, "Tries") || !strings.Contains(shown, face) {
			t.Errorf("%q: %s", name, shown)
		}
	}
}
