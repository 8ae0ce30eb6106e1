package views

import (
	"image"
	"image/color"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
)

// TestHalfBlocks: each cell shows two pixels in the colours that the terminal has, and clear ones as nothing.
func TestHalfBlocks(t *testing.T) {
	t.Parallel()
	const side = 48
	quarters := image.NewNRGBA(image.Rect(0, 0, side, side)) // of four colours, the last quarter clear
	inks := []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {}}
	for y := range side {
		for x := range side {
			quarters.SetNRGBA(x, y, inks[2*(2*y/side)+2*x/side])
		}
	}
	for profile, want := range map[termenv.Profile][2]string{
		termenv.TrueColor: {"\x1b[0;38;2;255;0;0;48;2;255;0;0m▀▀▀▀▀▀▀▀\x1b[0;38;2;0;255;0;48;2;0;255;0m▀▀▀▀▀▀▀▀\x1b[0m", "\x1b[0;38;2;0;0;255;48;2;0;0;255m▀▀▀▀▀▀▀▀\x1b[0m        \x1b[0m"},
		termenv.ANSI256:   {"\x1b[0;38;5;196;48;5;196m▀▀▀▀▀▀▀▀\x1b[0;38;5;46;48;5;46m▀▀▀▀▀▀▀▀\x1b[0m", "\x1b[0;38;5;21;48;5;21m▀▀▀▀▀▀▀▀\x1b[0m        \x1b[0m"},
	} {
		lines := drawBlocks(quarters, profile)
		assert.Equal(t, len(lines), pictureRows)
		for _, line := range lines {
			assert.Equal(t, ansi.StringWidth(line), pictureColumns, "%q", line)
		}
		assert.Equal(t, lines[0], want[0])
		assert.Equal(t, lines[pictureRows-1], want[1])
	}
}
