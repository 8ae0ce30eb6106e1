package views

import (
	"image"
	"image/color"
	"strings"

	"github.com/muesli/termenv"
)

// The size of a picture in cells. A cell is twice as high as wide.
const pictureColumns, pictureRows = 16, 8

// mostPixels is the maximum side length of a picture before it is drawn, in pixels.
const mostPixels = 256

// drawBlocks draws a square picture as half blocks, in the colours of a terminal. Each cell shows
// two pixels.
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
			p := square.NRGBAAt(px, py)
			r, g, b, a, n = r+int(p.R)*int(p.A), g+int(p.G)*int(p.A), b+int(p.B)*int(p.A), a+int(p.A), n+1
		}
	}
	if a < 128*n { // mostly transparent
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
