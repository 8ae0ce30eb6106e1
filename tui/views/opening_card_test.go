package views

import (
	"image"
	"image/color"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
)

// TestCard: the card shows character, aim and tries in every width, and no line is too wide.
func TestCard(t *testing.T) {
	st := NewStyles(NewRenderer(io.Discard, false), ThemeNone, false)
	card := OpeningCard{Name: "Biscuit", About: "A library cat. She is lying on the book you need.", Goal: "Get the cat off the book.", Tries: "5: with the last answer that misses it is over.", Score: "3 by the end and you make it.", Help: "F9"}
	for _, width := range []int{38, 66, 100} {
		lines := card.DrawLines(st, width)
		shown := ansi.Strip(strings.Join(lines, "\n"))
		for _, want := range []string{"Biscuit", "Your aim", "Get the cat off the book.", "5: with the last answer that misses", "3 by the end and you make it.", "F9 lists the keys."} {
			assert.Contains(t, strings.Join(strings.Fields(shown), " "), want, "at %d cells it does not say %s", width, shown)
		}
		for _, line := range lines {
			assert.True(t, ansi.StringWidth(line) <= width, "%q is wider than %d", ansi.Strip(line), width)
		}
	}
}

// The card omits unknown data, and shows a face even for a name without letters.
func TestCardLeavesOut(t *testing.T) {
	st := NewStyles(NewRenderer(io.Discard, false), ThemeNone, false)
	for name, face := range map[string]string{"": "?", "42": "?", "élan": "É", "猫": "猫"} {
		shown := ansi.Strip(strings.Join((&OpeningCard{Name: name}).DrawLines(st, 60), "\n"))
		assert.NotContains(t, shown, "aim", name)
		assert.NotContains(t, shown, "Tries", name)
		assert.Contains(t, shown, face, name)
	}
}

// TestCardWithPortrait: a portrait of half blocks, large and small, has each line once with its escapes.
func TestCardWithPortrait(t *testing.T) {
	square := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for y := range 32 {
		for x := range 32 {
			square.SetNRGBA(x, y, color.NRGBA{byte(x / 8 * 60), byte(y / 8 * 60), 90, 255})
		}
	}
	card := OpeningCard{Name: "Biscuit", About: "A library cat. She is lying on the book you need.", Goal: "Get the cat off the book.", Tries: "5: with the last answer that misses it is over.", Help: "F1",
		Portrait: &Portrait{Frame: DrawFrame(square, PictureTerminal{Way: HalfBlocks, ManyColours: true})}}
	st := NewStyles(NewRenderer(io.Discard, false), ThemeNone, false)
	var b strings.Builder
	for _, width := range []int{80, 50} {
		b.WriteString("-- " + strconv.Itoa(width) + " cells\n")
		for _, line := range card.DrawLines(st, width) {
			b.WriteString(strings.TrimRight(ansi.Strip(line), " ") + "\n")
			assert.True(t, ansi.StringWidth(line) <= width, "%q is wider than %d", line, width)
		}
		b.WriteString(strconv.QuoteToGraphic(card.DrawLines(st, width)[0]) + "\n")
	}
	assert.Golden(t, "testdata/portrait.golden", b.String())
}
