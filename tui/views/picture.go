package views

import (
	"fmt"
	"image"
	"image/color"
	"strings"
)

// PictureWay is how a terminal shows pictures.
type PictureWay uint8

// Values of PictureWay. NoPictures is for terminals with too few colours and for players who have
// switched colours off.
const (
	NoPictures PictureWay = iota
	HalfBlocks
	Sixel
	Kitty
)

// PictureTerminal describes how a terminal shows pictures.
type PictureTerminal struct {
	Way PictureWay
	// ManyColours means that the terminal has 24-bit colours. Otherwise it has 256 colours.
	ManyColours bool
	// CellSize returns the size of a cell in pixels, or 0, 0 if it is unknown. Only Sixel needs it.
	// It may be nil.
	CellSize func() (width, height int)
}

// FindPictureWay returns how a terminal shows pictures, according to environment variables. In
// tmux, screen and zellij it returns HalfBlocks, because these programs do not pass on pictures.
func FindPictureWay(lookUp func(string) string) PictureWay {
	term, program := lookUp("TERM"), lookUp("TERM_PROGRAM")
	multiplexed := lookUp("TMUX") != "" || lookUp("STY") != "" || lookUp("ZELLIJ") != "" || strings.HasPrefix(term, "tmux") || strings.HasPrefix(term, "screen")
	switch {
	case term == "" || term == "dumb" || term == "linux":
		return NoPictures
	case multiplexed:
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

// The sizes of a picture in cells. A cell is twice as high as wide.
const (
	LargeColumns, LargeRows = 16, 8
	SmallColumns, SmallRows = 8, 4
	// MostPixels is the maximum side length of a picture, in pixels.
	MostPixels = 256
)

// Frame is a picture drawn for a terminal in two sizes. The lines of Large have a width of
// LargeColumns, and the lines of Small a width of SmallColumns. The caller must write Send to the
// terminal before it shows Large, and Forget when it no longer shows Large. Both may be "".
type Frame struct {
	Large, Small []string
	Send, Forget string
}

// DrawFrame draws a square picture for a terminal. It returns nil for NoPictures.
func DrawFrame(square *image.NRGBA, at PictureTerminal) *Frame {
	if at.Way == NoPictures {
		return nil
	}
	f := &Frame{Large: blockLines(square, LargeColumns, at.ManyColours), Small: blockLines(square, SmallColumns, at.ManyColours)}
	switch at.Way {
	case Kitty:
		f.useKitty(square)
	case Sixel:
		if at.CellSize == nil {
			break
		}
		if width, height := at.CellSize(); width > 0 && height > 0 {
			f.Large, f.Small = sixelLines(square, LargeColumns, width, height), sixelLines(square, SmallColumns, width, height)
		}
	}
	return f
}

func blockLines(square *image.NRGBA, columns int, manyColours bool) []string {
	lines := make([]string, columns/2)
	for row := range lines {
		var b strings.Builder
		last := ""
		for column := range columns {
			look, sign := cellLook(pixelAt(square, columns, column, 2*row), pixelAt(square, columns, column, 2*row+1), manyColours)
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

func pixelAt(square *image.NRGBA, columns, x, y int) color.NRGBA {
	side := square.Bounds().Dx()
	from := image.Pt(x*side/columns, y*side/columns)
	to := image.Pt(max((x+1)*side/columns, from.X+1), max((y+1)*side/columns, from.Y+1))
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

func cellLook(above, below color.NRGBA, manyColours bool) (look, sign string) {
	switch {
	case above.A == 0 && below.A == 0:
		return "", " "
	case above.A == 0:
		return ";38;" + colourCode(below, manyColours), "▄"
	case below.A == 0:
		return ";38;" + colourCode(above, manyColours), "▀"
	}
	return ";38;" + colourCode(above, manyColours) + ";48;" + colourCode(below, manyColours), "▀"
}

func colourCode(c color.NRGBA, manyColours bool) string {
	if manyColours {
		return fmt.Sprintf("2;%d;%d;%d", c.R, c.G, c.B)
	}
	return fmt.Sprintf("5;%d", nearestOf256(c))
}

func nearestOf256(c color.NRGBA) int {
	steps := [6]int{0, 95, 135, 175, 215, 255}
	nearestStep := func(v byte) int {
		best := 0
		for i, step := range steps {
			if abs(step-int(v)) < abs(steps[best]-int(v)) {
				best = i
			}
		}
		return best
	}
	r, g, b := nearestStep(c.R), nearestStep(c.G), nearestStep(c.B)
	grey := min(max((int(c.R)+int(c.G)+int(c.B))/3-3, 0)/10, 23)
	distance := func(x, y, z int) int {
		return (x-int(c.R))*(x-int(c.R)) + (y-int(c.G))*(y-int(c.G)) + (z-int(c.B))*(z-int(c.B))
	}
	if level := 8 + 10*grey; distance(level, level, level) < distance(steps[r], steps[g], steps[b]) {
		return 232 + grey
	}
	return 16 + 36*r + 6*g + b
}

func abs(n int) int { return max(n, -n) }
