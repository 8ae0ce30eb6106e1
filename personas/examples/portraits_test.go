package examples

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// drawnPortraits are the left halves of the samples' portraits, which are this project's own work
// under its licence. The right halves mirror them. A letter is a pixel.
var drawnPortraits = map[string]string{"starter": `
,,,,,,,,
,o,,,,,,
ogo,,,,,
ogpo,ooo
ogppogdg
ogggggdg
oggggggg
gggggggg
ggkkkkgg
dgknekgl
gggkkggl
dggggglw
gdgggwwp
,ogggwwk
,,oggwww
rrrrrrrr
`}

// inks are the colours of the letters.
var inks = map[byte]color.RGBA{
	',': {38, 70, 83, 255}, 'o': {122, 62, 29, 255}, 'g': {226, 140, 62, 255}, 'd': {184, 97, 40, 255}, 'l': {243, 188, 124, 255},
	'w': {253, 238, 216, 255}, 'k': {43, 28, 22, 255}, 'e': {178, 214, 106, 255}, 'n': {222, 240, 160, 255}, 'p': {233, 143, 143, 255}, 'r': {161, 58, 62, 255},
}

// pixelSide is the width and height of a letter in pixels of the file.
const pixelSide = 8

func drawPortrait(t *testing.T, half string) *image.Paletted {
	t.Helper()
	rows := strings.Fields(half)
	side := len(rows) * pixelSide
	palette := color.Palette{}
	for _, letter := range []byte(",ogdlwkenpr") {
		palette = append(palette, inks[letter])
	}
	picture := image.NewPaletted(image.Rect(0, 0, side, side), palette)
	for y := range side {
		row := rows[y/pixelSide]
		assert.Must(t, 2*len(row) == len(rows), "%q has %d letters for %d rows", row, len(row), len(rows))
		for x := range side {
			at := x / pixelSide
			if at >= len(row) {
				at = len(rows) - 1 - at
			}
			picture.Set(x, y, inks[row[at]])
		}
	}
	return picture
}

// TestPortraits: the portrait files of the samples equal the drawings in this file.
func TestPortraits(t *testing.T) {
	for name, half := range drawnPortraits {
		want := drawPortrait(t, half)
		if assert.Updating() {
			var b bytes.Buffer
			assert.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, want))
			assert.NoError(t, os.WriteFile(name+".png", b.Bytes(), 0o600))
		}
		data := assert.Value(os.ReadFile(name + ".png"))(t)
		assert.True(t, len(data) <= 4096, "%s.png has %d bytes", name, len(data))
		got, err := png.Decode(bytes.NewReader(data))
		assert.Must(t, err == nil && got.Bounds() == want.Bounds(), "%s.png: %v", name, err)
		for i := range want.Pix {
			x, y := i%want.Stride, i/want.Stride
			if color.RGBAModel.Convert(got.At(x, y)) != color.RGBAModel.Convert(want.At(x, y)) {
				t.Fatalf("%s.png is stale at %d, %d: go test ./personas/examples -run TestPortraits -update", name, x, y)
			}
		}
		assert.True(t, bytes.Equal(ReadPortrait(name), data), "%s has no portrait", name)
	}
}
