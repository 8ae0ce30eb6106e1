package portrait

import (
	"bytes"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestShrink: an image fits afterwards, keeps proportions and transparency, and is unchanged if it fits already.
func TestShrink(t *testing.T) {
	t.Parallel()
	tall := drawNoise(600, 900, 255)
	for name, test := range map[string]struct {
		data []byte
		side int
		kind string
	}{
		"a small PNG":       {encodePNG(t, drawSquare(48)), 48, ".png"},
		"a small JPEG":      {encodeJPEG(t, drawSquare(48)), 48, ".jpg"},
		"a GIF":             {encodeGIF(t, 16, 3), 16, ".gif"},
		"a tall PNG":        {encodePNG(t, tall), 512, ".jpg"},
		"a tall JPEG":       {encodeJPEG(t, tall), 512, ".jpg"},
		"a transparent PNG": {encodePNG(t, drawNoise(400, 400, 100)), 512, ".png"},
	} {
		small, err := Shrink(test.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		picture, err := DecodeImage(small)
		if err != nil || FileEnding(small) != test.kind {
			t.Errorf("%s: %v, %s", name, err, FileEnding(small))
			continue
		}
		if size := picture.Bounds().Size(); size.Y > test.side || strings.Contains(name, "tall") && size.X != size.Y*600/900 {
			t.Errorf("%s: %v", name, size)
		}
		again, err := Shrink(small)
		assert.True(t, err == nil && bytes.Equal(again, small), "%s: shrinking it twice changes it: %v", name, err)
	}
}

func drawNoise(width, height int, alpha uint8) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	seed := uint32(7)
	for y := range height {
		for x := range width {
			seed = seed*1664525 + 1013904223
			m.SetNRGBA(x, y, color.NRGBA{byte(seed >> 24), byte(seed >> 16), byte(x), alpha})
		}
	}
	return m
}

// TestShrinkBounds: an image that cannot be decoded within the bounds is refused before decoding.
func TestShrinkBounds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"too many pixels": {claimPNG(t, 5000, 5000, 10), "5000 by 5000 pixels"}, "too wide": {claimPNG(t, 1<<15, 1, 10), "32768 by 1 pixels"},
		"nothing": {nil, "it is empty"}, "a text": {[]byte("<svg/>"), "not a PNG, JPEG or GIF"}, "cut off": {encodePNG(t, drawNoise(300, 300, 255))[:5000], "cannot be read as a PNG"},
	} {
		_, err := Shrink(test.data)
		assert.ErrorContains(t, err, test.want, name)
	}
}

// FuzzShrink: Shrink never panics, and shrinking its result again changes nothing.
func FuzzShrink(f *testing.F) {
	f.Add(encodePNG(f, drawSquare(12)))
	f.Add(encodeJPEG(f, drawSquare(12)))
	f.Add(encodeGIF(f, 12, 3))
	f.Fuzz(func(t *testing.T, data []byte) {
		small, err := Shrink(data)
		if err != nil {
			return
		}
		assert.Value(DecodeImage(small))(t)
		again, err := Shrink(small)
		assert.Must(t, err == nil && bytes.Equal(again, small), "%v", err)
	})
}
