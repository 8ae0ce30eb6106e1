package views

import (
	"fmt"
	"image"
	"image/color"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

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

func checkSizes(t *testing.T, f *Frame) {
	t.Helper()
	for lines, columns := range map[*[]string]int{&f.Large: LargeColumns, &f.Small: SmallColumns} {
		assert.Equal(t, len(*lines), columns/2, "lines %d", columns)
		for _, line := range *lines {
			assert.Equal(t, ansi.StringWidth(line), columns, "%q wide", line)
			assert.Equal(t, ansi.Truncate(line, columns, ""), line, "a screen that is wide enough cuts")
		}
	}
}

// TestHalfBlocks: each cell shows two pixels in the colours that the terminal has, and clear ones as nothing.
func TestHalfBlocks(t *testing.T) {
	t.Parallel()
	for _, many := range []bool{true, false} {
		f := DrawFrame(quarters(48), PictureTerminal{Way: HalfBlocks, ManyColours: many})
		checkSizes(t, f)
		top, bottom := f.Small[0], f.Small[SmallRows-1]
		wantTop, wantBottom := "\x1b[0;38;2;255;0;0;48;2;255;0;0m▀▀▀▀\x1b[0;38;2;0;255;0;48;2;0;255;0m▀▀▀▀\x1b[0m", "\x1b[0;38;2;0;0;255;48;2;0;0;255m▀▀▀▀\x1b[0m    \x1b[0m"
		if !many {
			wantTop, wantBottom = "\x1b[0;38;5;196;48;5;196m▀▀▀▀\x1b[0;38;5;46;48;5;46m▀▀▀▀\x1b[0m", "\x1b[0;38;5;21;48;5;21m▀▀▀▀\x1b[0m    \x1b[0m"
		}
		assert.Equal(t, top, wantTop, "%t", many)
		assert.Equal(t, bottom, wantBottom, "%t", many)
		assert.Equal(t, f.Send, "", "half blocks send something")
		assert.Equal(t, f.Forget, "", "half blocks send something")
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
	f := DrawFrame(noisy, PictureTerminal{Way: Kitty, ManyColours: true})
	checkSizes(t, f)
	pieces := regexp.MustCompile(`\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\`).FindAllStringSubmatch(f.Send, -1)
	whole := ""
	for i, piece := range pieces {
		whole += piece[0]
		last := i == len(pieces)-1
		if len(piece[2]) > longestChunk || !strings.Contains(piece[1], "q=2") || strings.Contains(piece[1], "m=0") != last {
			t.Errorf("piece %d of %d: %s, %d characters", i, len(pieces), piece[1], len(piece[2]))
		}
	}
	assert.True(t, whole == f.Send && len(pieces) >= 2,
		"%d pieces are %d of %d bytes", len(pieces), len(whole), len(f.Send))
	var id int
	if _, err := fmt.Sscanf(pieces[0][1], "a=T,U=1,f=100,t=d,i=%d,c=16,r=8,q=2,m=1", &id); err != nil || id == 0 {
		t.Fatalf("%s: %v", pieces[0][1], err)
	}
	assert.Equal(t, f.Forget, fmt.Sprintf("\x1b_Ga=d,d=I,i=%d,q=2\x1b\\", id))
	for row, line := range f.Large {
		want := fmt.Sprintf("\x1b[38;2;%d;%d;%dm", id>>16, id>>8&255, id&255)
		for column := range LargeColumns {
			want += string([]rune{0x10EEEE, kittyMarks[row], kittyMarks[column]})
		}
		assert.Equal(t, line, want+"\x1b[39m", "row %d", row)
	}
}

// TestSixel: each row is a strip as high as a cell. If that height is unknown, half blocks are used.
func TestSixel(t *testing.T) {
	t.Parallel()
	f := DrawFrame(quarters(48), PictureTerminal{Way: Sixel, CellSize: func() (int, int) { return 9, 20 }})
	checkSizes(t, f)
	form := regexp.MustCompile(`^ {16}\x1b\[16D\x1b7\x1bP0;1;0q"1;1;144;20([#0-9;!$?-~-]*)\x1b\\\x1b8\x1b\[16C$`)
	for row, line := range f.Large {
		drawn := form.FindStringSubmatch(line)
		assert.Must(t, drawn != nil, "row %d: %q", row, line)
		assert.Equal(t, 1+strings.Count(drawn[1], "-"), 4, "row %d", row)
	}
	first := f.Large[0]
	assert.True(t, strings.Contains(first, ";2;100;0;0#") && strings.Contains(first, "!72~") && strings.Contains(first, "!72?"), "%q", first)
	for _, size := range []func() (int, int){nil, func() (int, int) { return 0, 0 }} {
		assert.NotContains(t, DrawFrame(quarters(48), PictureTerminal{Way: Sixel, CellSize: size}).Large[0], "\x1bP", "a strip of no size")
	}
	huge := DrawFrame(quarters(8), PictureTerminal{Way: Sixel, CellSize: func() (int, int) { return 65535, 65535 }})
	assert.True(t, len(strings.Join(huge.Large, "")) <= 1<<20, "a terminal that errs about its cells costs a lot")
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
	assert.True(t, DrawFrame(quarters(8), PictureTerminal{Way: NoPictures}) == nil,
		"there is a picture where there is no way")
}
