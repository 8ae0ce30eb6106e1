package views

import (
	"fmt"
	"image"
	"image/color"
	colorpalette "image/color/palette"
	"image/draw"
	"slices"
	"strings"
)

// maxCell bounds the side of a cell in pixels, because a terminal may report a wrong size.
const maxCell = 64

// sixelLines cuts the picture into a strip for each row of cells, because the screen redraws single
// lines.
func sixelLines(square *image.NRGBA, columns, cellWidth, cellHeight int) []string {
	cellWidth, cellHeight = min(cellWidth, maxCell), min(cellHeight, maxCell)
	stretched := stretch(square, columns*cellWidth, columns/2*cellHeight)
	lines := make([]string, columns/2)
	for row := range lines {
		strip := stretched.SubImage(image.Rect(0, row*cellHeight, columns*cellWidth, (row+1)*cellHeight)).(*image.Paletted)
		lines[row] = strings.Repeat(" ", columns) +
			fmt.Sprintf("\x1b[%dD\x1b7", columns) + encodeSixel(strip) + fmt.Sprintf("\x1b8\x1b[%dC", columns)
	}
	return lines
}

func stretch(square *image.NRGBA, width, height int) *image.Paletted {
	side := square.Bounds().Dx()
	sized := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			sized.SetNRGBA(x, y, square.NRGBAAt(x*side/width, y*side/height))
		}
	}
	colours := append(slices.Clone(colorpalette.WebSafe), color.Transparent)
	reduced := image.NewPaletted(sized.Bounds(), colours)
	draw.FloydSteinberg.Draw(reduced, reduced.Bounds(), sized, image.Point{})
	return reduced
}

func encodeSixel(picture *image.Paletted) string {
	bounds := picture.Bounds()
	var b strings.Builder
	fmt.Fprintf(&b, "\x1bP0;1;0q\"1;1;%d;%d", bounds.Dx(), bounds.Dy())
	named := map[uint8]bool{}
	for top := bounds.Min.Y; top < bounds.Max.Y; top += 6 {
		if top > bounds.Min.Y {
			b.WriteByte('-')
		}
		writeBand(&b, picture, top, named)
	}
	return b.String() + "\x1b\\"
}

func writeBand(b *strings.Builder, picture *image.Paletted, top int, named map[uint8]bool) {
	bounds := picture.Bounds()
	bottom := min(top+6, bounds.Max.Y)
	rows := map[uint8][]byte{}
	for x := bounds.Min.X; x < bounds.Max.X; x++ {
		for y := top; y < bottom; y++ {
			ink := picture.ColorIndexAt(x, y)
			if rows[ink] == nil {
				rows[ink] = make([]byte, bounds.Dx())
			}
			rows[ink][x-bounds.Min.X] |= 1 << (y - top)
		}
	}
	for ink := range len(picture.Palette) - 1 {
		bits := rows[uint8(ink)]
		if bits == nil {
			continue
		}
		fmt.Fprintf(b, "#%d", ink)
		if !named[uint8(ink)] { // The first use defines the colour in percent.
			named[uint8(ink)] = true
			red, green, blue, _ := picture.Palette[ink].RGBA()
			fmt.Fprintf(b, ";2;%d;%d;%d#%d", red*100/0xffff, green*100/0xffff, blue*100/0xffff, ink)
		}
		writeRuns(b, bits)
		b.WriteByte('$')
	}
}

func writeRuns(b *strings.Builder, bits []byte) {
	for from := 0; from < len(bits); {
		to := from
		for to < len(bits) && bits[to] == bits[from] {
			to++
		}
		sign := 63 + bits[from]
		if to-from > 3 {
			fmt.Fprintf(b, "!%d%c", to-from, sign)
		} else {
			b.WriteString(strings.Repeat(string(rune(sign)), to-from))
		}
		from = to
	}
}
