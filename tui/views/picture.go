package views

import (
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/muesli/termenv"
)

// PictureWay is a method of showing pictures.
type PictureWay uint8

// Methods of showing pictures. NoPictures is for terminals without enough colours.
const (
	NoPictures PictureWay = iota
	HalfBlocks
	Sixel
	Kitty
)

// PictureTerminal describes the terminal's support for pictures.
type PictureTerminal struct {
	Way PictureWay
	// CellSize returns the size of a cell in pixels, or 0, 0 if unknown. Only Sixel uses CellSize.
	// CellSize may be nil.
	CellSize func() (width, height int)
}

// FindPictureWay derives the method from environment variables. Multiplexers do not pass on
// pictures and get HalfBlocks.
func FindPictureWay(lookUp func(string) string) PictureWay {
	term, program := lookUp("TERM"), lookUp("TERM_PROGRAM")
	switch {
	case term == "" || term == "dumb" || term == "linux":
		return NoPictures
	case lookUp("TMUX") != "" || lookUp("STY") != "" || lookUp("ZELLIJ") != "":
		return HalfBlocks
	case strings.HasPrefix(term, "tmux") || strings.HasPrefix(term, "screen"):
		return HalfBlocks
	case term == "xterm-kitty" || term == "xterm-ghostty" || program == "ghostty":
		return Kitty
	case lookUp("KITTY_WINDOW_ID") != "" && program == "" && strings.HasPrefix(term, "xterm"):
		return Kitty
	case strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "mlterm") || strings.HasPrefix(term, "contour"):
		return Sixel
	case program == "WezTerm" || program == "mintty" || program == "iTerm.app":
		return Sixel
	}
	return HalfBlocks
}

// Cells of a picture. A cell is twice as high as wide.
const pictureColumns, pictureRows = 16, 8

const maxPictureSide = 256

// Frame is a picture for a terminal. The caller writes Send before the first use of Lines, and
// Forget after the last use.
type Frame struct {
	Lines        []string
	Send, Forget string
}

func drawFrame(square *image.NRGBA, terminal PictureTerminal, profile termenv.Profile) *Frame {
	switch {
	case terminal.Way == Kitty && profile == termenv.TrueColor: // The placeholders need 24-bit colours.
		if f, err := drawKitty(square); err == nil {
			return f
		}
	case terminal.Way == Sixel && terminal.CellSize != nil:
		if width, height := terminal.CellSize(); width > 0 && height > 0 {
			return &Frame{Lines: sixelLines(square, pictureColumns, width, height)}
		}
	}
	return &Frame{Lines: drawBlocks(square, profile)}
}

// drawKitty uses Unicode placeholders, because the screen can scroll and cut text.
func drawKitty(square *image.NRGBA) (*Frame, error) {
	hash := fnv.New32a()
	hash.Write(square.Pix)
	id := int(hash.Sum32()&0xffffff | 1)
	var send strings.Builder
	err := kitty.EncodeGraphics(&send, square, &kitty.Options{
		Action: kitty.TransmitAndPut, VirtualPlacement: true, Format: kitty.PNG, Transmission: kitty.Direct,
		ID: id, Columns: pictureColumns, Rows: pictureRows, Quite: 2, Chunk: true,
	})
	f := &Frame{Send: send.String(), Forget: ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprintf("i=%d", id), "q=2")}
	for row := range pictureRows {
		line := fmt.Sprintf("\x1b[38;2;%d;%d;%dm", id>>16, id>>8&0xff, id&0xff)
		for column := range pictureColumns {
			line += string([]rune{kitty.Placeholder, kitty.Diacritic(row), kitty.Diacritic(column)})
		}
		f.Lines = append(f.Lines, line+"\x1b[39m")
	}
	return f, err
}

func drawBlocks(square *image.NRGBA, profile termenv.Profile) []string {
	lines := make([]string, pictureRows)
	for row := range lines {
		var b strings.Builder
		last := ""
		for column := range pictureColumns {
			look, sign := cellLook(pixelAt(square, column, 2*row), pixelAt(square, column, 2*row+1), profile)
			if look != last {
				b.WriteString("\x1b[0" + look + "m")
				last = look
			}
			b.WriteString(sign)
		}
		lines[row] = b.String() + "\x1b[0m"
	}
	return lines
}

func pixelAt(square *image.NRGBA, x, y int) color.NRGBA {
	side := square.Bounds().Dx()
	from := image.Pt(x*side/pictureColumns, y*side/pictureColumns)
	to := image.Pt(max((x+1)*side/pictureColumns, from.X+1), max((y+1)*side/pictureColumns, from.Y+1))
	var r, g, b, a, n int
	for py := from.Y; py < to.Y; py++ {
		for px := from.X; px < to.X; px++ {
			pixel := square.NRGBAAt(px, py)
			alpha := int(pixel.A)
			r += int(pixel.R) * alpha
			g += int(pixel.G) * alpha
			b += int(pixel.B) * alpha
			a += alpha
			n++
		}
	}
	if a < 128*n {
		return color.NRGBA{}
	}
	return color.NRGBA{R: byte(r / a), G: byte(g / a), B: byte(b / a), A: 255} //nolint:gosec // means of bytes
}

func cellLook(above, below color.NRGBA, profile termenv.Profile) (look, sign string) {
	ink := func(c color.NRGBA, background bool) string { return ";" + profile.FromColor(c).Sequence(background) }
	switch {
	case above.A == 0 && below.A == 0:
		return "", " "
	case above.A == 0:
		return ink(below, false), "▄"
	case below.A == 0:
		return ink(above, false), "▀"
	}
	return ink(above, false) + ink(below, true), "▀"
}
