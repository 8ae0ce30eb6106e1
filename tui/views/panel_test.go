package views

import (
	"image"
	"image/color"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
)

// What is found far inside of a long text is in sight.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("word ", 100) + "needle " + strings.Repeat("after ", 100)
	got := cutExcerpt(long, []string{"needle"}, 40)
	assert.True(t, strings.HasPrefix(got, "…"), "%.60q", got)
	assert.Contains(t, got[:40], "needle")
	for _, text := range []string{"short needle", "", "ÄÖÜ needle", strings.Repeat("İ", 300) + "needle"} {
		_ = cutExcerpt(text, []string{"needle", "absent"}, 10)
	}
	assert.Equal(t, cutExcerpt(long, nil, 40), long, "without words")
}

// A style that spans a line end is closed and opened again on each line.
func TestWrapClosesStyles(t *testing.T) {
	bold := NewStyles(NewRenderer(io.Discard, false), ThemeAuto, false).Title.Render("aaa bbb ccc")
	for _, line := range terminal.WrapText("x "+bold+" y", 5) {
		assert.Equal(t, strings.Count(line, "\x1b[1m"), strings.Count(line, "\x1b[m")+strings.Count(line, "\x1b[0m"), "%q", line)
	}
	assert.Contains(t, terminal.WrapText("x "+bold+" y", 5)[1], "\x1b[1m", "the second line")
}

// TestFooter: a footer that does not fit loses words but keeps all keys, as the picker's at 40 cells.
func TestFooter(t *testing.T) {
	const foot = "Enter continues, letters search, Up and Down scroll, Ctrl+N new, Esc goes back"
	for _, c := range []struct {
		width int
		want  string
	}{
		{90, foot},
		{74, "Enter continues, Up and Down scroll, Ctrl+N new, Esc goes back"},
		{60, "Enter continues, Up and Down scroll, Ctrl+N new, Esc"},
		{44, "Enter continues, Up and Down, Ctrl+N, Esc"},
		{36, "Enter, Up and Down, Ctrl+N, Esc"},
		{20, "Enter, Up and Dow…"},
	} {
		got := strings.TrimSpace(ansi.Strip(FooterLine(NewStyles(NewRenderer(io.Discard, false), ThemeAuto, false), foot, c.width)))
		assert.Equal(t, got, c.want, "at %d cells", c.width)
	}
}

// TestCard: the card shows character, aim and tries in every width, and no line is too wide.
func TestCard(t *testing.T) {
	st := NewStyles(NewRenderer(io.Discard, false), ThemeNone, false)
	card := OpeningCard{
		Name: "Biscuit", About: "A library cat. She is lying on the book you need.", Goal: "Get the cat off the book.",
		Tries: "5: with the last answer that misses it is over.", Score: "3 by the end and you make it.", Help: "F9",
	}
	for _, width := range []int{38, 66, 100} {
		lines := card.DrawLines(st, width)
		shown := ansi.Strip(strings.Join(lines, "\n"))
		for _, want := range []string{
			"Biscuit", "Your aim", "Get the cat off the book.", "5: with the last answer that misses",
			"3 by the end and you make it.", "F9 lists the keys.",
		} {
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

// TestCardWithPortrait: a portrait of half blocks has each line once with its escapes.
func TestCardWithPortrait(t *testing.T) {
	square := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for y := range 32 {
		for x := range 32 {
			square.SetNRGBA(x, y, color.NRGBA{byte(x / 8 * 60), byte(y / 8 * 60), 90, 255})
		}
	}
	card := OpeningCard{Name: "Biscuit", About: "A library cat. She is lying on the book you need.",
		Goal: "Get the cat off the book.", Tries: "5: with the last answer that misses it is over.", Help: "F1",
		Portrait: &Portrait{Frame: drawFrame(square, PictureTerminal{Way: HalfBlocks}, termenv.TrueColor)}}
	st := NewStyles(NewRenderer(io.Discard, false), ThemeNone, false)
	var b strings.Builder
	for _, width := range []int{80} {
		b.WriteString("-- " + strconv.Itoa(width) + " cells\n")
		for _, line := range card.DrawLines(st, width) {
			b.WriteString(strings.TrimRight(ansi.Strip(line), " ") + "\n")
			assert.True(t, ansi.StringWidth(line) <= width, "%q is wider than %d", line, width)
		}
		b.WriteString(strconv.QuoteToGraphic(card.DrawLines(st, width)[0]) + "\n")
	}
	assert.Golden(t, "testdata/portrait.golden", b.String())
}
