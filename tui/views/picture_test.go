package views

import (
	"fmt"
	"image"
	"image/color"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
)

// quarters is a picture of four colours, its last quarter clear.
func quarters(side int) *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(0, 0, side, side))
	inks := []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {}}
	for y := range side {
		for x := range side {
			picture.SetNRGBA(x, y, inks[2*(2*y/side)+2*x/side])
		}
	}
	return picture
}

func checkSize(t *testing.T, f *Frame) {
	t.Helper()
	assert.Equal(t, len(f.Lines), pictureRows)
	for _, line := range f.Lines {
		assert.Equal(t, ansi.StringWidth(line), pictureColumns, "%q", line)
		assert.Equal(t, ansi.Truncate(line, pictureColumns, ""), line, "a screen that is wide enough cuts")
	}
}

// TestHalfBlocks: each cell shows two pixels in the colours that the terminal has, and clear ones as nothing.
func TestHalfBlocks(t *testing.T) {
	t.Parallel()
	for profile, want := range map[termenv.Profile][2]string{
		termenv.TrueColor: {"\x1b[0;38;2;255;0;0;48;2;255;0;0m▀▀▀▀▀▀▀▀\x1b[0;38;2;0;255;0;48;2;0;255;0m▀▀▀▀▀▀▀▀\x1b[0m", "\x1b[0;38;2;0;0;255;48;2;0;0;255m▀▀▀▀▀▀▀▀\x1b[0m        \x1b[0m"},
		termenv.ANSI256:   {"\x1b[0;38;5;196;48;5;196m▀▀▀▀▀▀▀▀\x1b[0;38;5;46;48;5;46m▀▀▀▀▀▀▀▀\x1b[0m", "\x1b[0;38;5;21;48;5;21m▀▀▀▀▀▀▀▀\x1b[0m        \x1b[0m"},
	} {
		f := drawFrame(quarters(48), PictureTerminal{Way: HalfBlocks}, profile)
		checkSize(t, f)
		assert.Equal(t, f.Lines[0], want[0])
		assert.Equal(t, f.Lines[pictureRows-1], want[1])
		assert.Equal(t, f.Send+f.Forget, "", "half blocks send something")
	}
}

// TestKitty: the picture comes in pieces, asks for no answer, and has placeholders with number, row and column.
func TestKitty(t *testing.T) {
	t.Parallel()
	noisy := image.NewNRGBA(image.Rect(0, 0, 96, 96))
	noise := uint32(1)
	for i := range noisy.Pix {
		noise = noise*1664525 + 1013904223
		noisy.Pix[i] = byte(noise >> 24)
	}
	f := drawFrame(noisy, PictureTerminal{Way: Kitty}, termenv.TrueColor)
	checkSize(t, f)
	pieces := regexp.MustCompile(`\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\`).FindAllStringSubmatch(f.Send, -1)
	whole := ""
	for i, piece := range pieces {
		whole += piece[0]
		last := i == len(pieces)-1
		assert.True(t, len(piece[2]) <= 4096, "piece %d of %d: %d characters", i, len(pieces), len(piece[2]))
		assert.Contains(t, piece[1], "q=2")
		assert.Equal(t, strings.Contains(piece[1], "m=0"), last, "piece %d of %d: %s", i, len(pieces), piece[1])
	}
	assert.True(t, whole == f.Send, "%d pieces are %d of %d bytes", len(pieces), len(whole), len(f.Send))
	assert.True(t, len(pieces) >= 2, "%d pieces", len(pieces))
	for _, option := range []string{"a=T", "U=1", "f=100", "c=16", "r=8"} {
		assert.Contains(t, ","+pieces[0][1]+",", ","+option+",")
	}
	id := regexp.MustCompile(`i=(\d+)`).FindString(pieces[0][1])
	assert.Equal(t, f.Forget, "\x1b_Ga=d,d=I,"+id+",q=2\x1b\\")
	n := 0
	assert.Value(fmt.Sscanf(id, "i=%d", &n))(t)
	for row, line := range f.Lines {
		want := fmt.Sprintf("\x1b[38;2;%d;%d;%dm", n>>16, n>>8&255, n&255)
		for column := range pictureColumns {
			want += string([]rune{0x10EEEE, kitty.Diacritic(row), kitty.Diacritic(column)})
		}
		assert.Equal(t, line, want+"\x1b[39m", "row %d", row)
	}
}

// TestSixel: each row is a strip as high as a cell. If that height is unknown, half blocks are used.
func TestSixel(t *testing.T) {
	t.Parallel()
	sixel := func(side, width, height int) *Frame {
		return drawFrame(quarters(side), PictureTerminal{Way: Sixel, CellSize: func() (int, int) { return width, height }}, termenv.TrueColor)
	}
	f := sixel(48, 9, 20)
	checkSize(t, f)
	form := regexp.MustCompile(`^ {16}\x1b\[16D\x1b7\x1bP0;1;0q"1;1;144;20([#0-9;!$?-~-]*)\x1b\\\x1b8\x1b\[16C$`)
	for row, line := range f.Lines {
		drawn := form.FindStringSubmatch(line)
		assert.Must(t, drawn != nil, "row %d: %q", row, line)
		assert.Equal(t, 1+strings.Count(drawn[1], "-"), 4, "row %d", row)
	}
	first := f.Lines[0]
	for _, part := range []string{";2;100;0;0#", "!72~", "!72?"} {
		assert.Contains(t, first, part)
	}
	assert.NotContains(t, sixel(48, 0, 0).Lines[0], "\x1bP", "a strip of no size")
	assert.True(t, len(strings.Join(sixel(8, 65535, 65535).Lines, "")) <= 1<<20, "a terminal that errs about its cells costs a lot")
}

// TestFindWay: the environment alone determines the way, and programs that do not forward pictures get half blocks.
func TestFindWay(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]PictureWay{
		"":                                      NoPictures,
		"TERM=dumb":                             NoPictures,
		"TERM=linux":                            NoPictures,
		"TERM=xterm-256color":                   HalfBlocks,
		"TERM=xterm-kitty":                      Kitty,
		"TERM=xterm-kitty TMUX=/tmp/x,1,0":      HalfBlocks,
		"TERM=xterm-kitty STY=1.pts":            HalfBlocks,
		"TERM=xterm-kitty ZELLIJ=0":             HalfBlocks,
		"TERM=tmux-256color KITTY_WINDOW_ID=1":  HalfBlocks,
		"TERM=screen TERM_PROGRAM=WezTerm":      HalfBlocks,
		"TERM=xterm-256color KITTY_WINDOW_ID=1": Kitty,
		"TERM=xterm-256color KITTY_WINDOW_ID=1 TERM_PROGRAM=vscode": HalfBlocks,
		"TERM=xterm-ghostty":                       Kitty,
		"TERM=xterm-256color TERM_PROGRAM=ghostty": Kitty,
		"TERM=foot-extra":                          Sixel,
		"TERM=xterm-256color TERM_PROGRAM=WezTerm": Sixel,
	} {
		vars := map[string]string{}
		for _, pair := range strings.Fields(env) {
			name, value, _ := strings.Cut(pair, "=")
			vars[name] = value
		}
		assert.Equal(t, FindPictureWay(func(name string) string { return vars[name] }), want, env)
	}
}
