package portrait

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

func drawSquare(side int) *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			picture.SetNRGBA(x, y, color.NRGBA{uint8(x * 255 / side), uint8(y * 255 / side), 128, 255})
		}
	}
	return picture
}

func encodePNG(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	assert.NoError(t, png.Encode(&b, picture))
	return b.Bytes()
}

func encodeJPEG(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	assert.NoError(t, jpeg.Encode(&b, picture, nil))
	return b.Bytes()
}

func encodeGIF(t testing.TB, side, frames int) []byte {
	t.Helper()
	all := &gif.GIF{}
	for range frames {
		all.Image = append(all.Image, image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.Black, color.White}))
		all.Delay = append(all.Delay, 1)
	}
	var b bytes.Buffer
	assert.NoError(t, gif.EncodeAll(&b, all))
	return b.Bytes()
}

func chunkPNG(name string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, name...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// claimPNG returns a PNG that claims a size, with pixel data that inflates to the given number of zeros.
func claimPNG(t testing.TB, width, height uint32, zeros int64) []byte {
	t.Helper()
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	var body bytes.Buffer
	z, _ := zlib.NewWriterLevel(&body, zlib.BestCompression)
	assert.Value(z.Write(make([]byte, zeros)))(t)
	assert.NoError(t, z.Close())
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunkPNG("IHDR", append(head, 16, 6, 0, 0, 0))...)
	return append(append(out, chunkPNG("IDAT", body.Bytes())...), chunkPNG("IEND", nil)...)
}

// TestHostileImages: an image with false claims is refused, or decoding it is cheap.
func TestHostileImages(t *testing.T) {
	sound := encodePNG(t, drawSquare(48))
	progressive := append([]byte(nil), encodeJPEG(t, drawSquare(64))...)
	progressive = append(progressive, bytes.Repeat([]byte("\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00"), maxScans)...)
	longest := claimPNG(t, MaxSide, MaxPixels/MaxSide, 10)
	tests := map[string]struct {
		data []byte
		want string // "" is decoded
	}{
		"a header of 65535 by 65535":     {claimPNG(t, 65535, 65535, 10), "65535 by 65535 pixels"},
		"more than int holds":            {claimPNG(t, 0x7fffffff, 0x7fffffff, 10), "it"},
		"one pixel too wide":             {claimPNG(t, MaxSide+1, 1, 10), "4097 by 1 pixels"},
		"too many pixels":                {claimPNG(t, MaxSide, MaxPixels/MaxSide+1, 10), "altogether"},
		"the greatest, without pixels":   {longest, "not enough pixel data"},
		"the greatest, zeros":            {claimPNG(t, 2048, 1024, 2048*1024*8+1024), ""},
		"a bomb behind one pixel":        {claimPNG(t, 1, 1, 40<<20), "cannot be read as a PNG"},
		"a bomb in a greatest one":       {claimPNG(t, 64, 64, 40<<20), "cannot be read as a PNG"},
		"cut in the header":              {sound[:20], "it is cut off"},
		"cut in the pixels":              {sound[:len(sound)/2], "not enough pixel data"},
		"cut JPEG":                       {encodeJPEG(t, drawSquare(64))[:300], "it is cut off"},
		"JPEG of a thousand scans":       {progressive, "more than 100 scans"},
		"an animation":                   {encodeGIF(t, 16, 900), ""},
		"a script that is called PNG":    {[]byte("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"), "not a PNG, JPEG or GIF"},
		"WebP":                           {[]byte("RIFF\x24\x00\x00\x00WEBPVP8 "), "not a PNG, JPEG or GIF"},
		"a picture and a page behind it": {append(bytes.Clone(sound), "<script>alert(1)</script>PK\x03\x04"...), ""},
		"nothing":                        {nil, "it is empty"},
		"a byte too many":                {append(bytes.Clone(sound), make([]byte, MaxBytes+1-len(sound))...), fmt.Sprintf("has %d bytes, at most %d", MaxBytes+1, MaxBytes)},
		"as many as may be":              {append(bytes.Clone(sound), make([]byte, MaxBytes-len(sound))...), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var err error
			used := assert.Allocated(func() {
				var picture image.Image
				if picture, err = DecodeImage(tt.data); picture != nil {
					ScaleSquare(picture, 256)
				}
			})
			assert.True(t, used <= 64<<20, "it takes %d MiB", used>>20)
			assert.True(t, (tt.want != "" || err == nil) && (tt.want == "" || err != nil && strings.Contains(err.Error(), tt.want)), "%v, want %q", err, tt.want)
		})
	}
}

// TestURIs: an encoded image is read back byte for byte; the error for other input describes the problem.
func TestURIs(t *testing.T) {
	t.Parallel()
	for media, data := range map[string][]byte{"png": encodePNG(t, drawSquare(48)), "jpeg": encodeJPEG(t, drawSquare(48)), "gif": encodeGIF(t, 8, 2)} {
		uri, err := EncodeURI(data)
		assert.Must(t, err == nil && strings.HasPrefix(uri, "data:image/"+media+";base64,"), "%s: %.40s, %v", media, uri, err)
		back, err := ReadURI(uri)
		assert.NoError(t, err, media)
		assert.True(t, bytes.Equal(back, data), "%s: %v", media, err)
		assert.True(t, FileEnding(back) != "", "%s: %v", media, err)
		assert.True(t, DescribeURI(uri) != "", "%s: %v", media, err)
		assert.True(t, IsURI(uri), "a path is taken for a picture")
		assert.True(t, !IsURI("face.png") && !IsURI(""), "a path is taken for a picture")
	}
	jpegText := base64.StdEncoding.EncodeToString(encodeJPEG(t, drawSquare(8)))
	for uri, want := range map[string]string{
		"face.png":                                  "must contain the picture itself",
		"https://example.com/face.png":              "must contain the picture itself",
		"data:image/png,abc":                        "must contain the picture itself",
		"data:image/png;base64,@@@":                 "not valid base64",
		"data:image/png;base64,":                    "not a PNG, JPEG or GIF",
		"data:image/svg+xml;base64,PHN2Zz4=":        "not a PNG, JPEG or GIF",
		"data:image/png;base64," + jpegText:         "must start with data:image/jpeg",
		"data:text/html;base64," + jpegText:         "must start with data:image/jpeg",
		strings.Repeat("x", personas.MaxPortrait+1): "has 65537 characters, at most 65536",
	} {
		_, err := DecodeURI(uri)
		assert.ErrorContains(t, err, want, "%.40s", uri)
	}
}

// TestLargestFits: an image of MaxBytes fits into a document, in any format, and one of a byte more does not.
func TestLargestFits(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{encodePNG(t, drawSquare(48)), encodeJPEG(t, drawSquare(48)), encodeGIF(t, 8, 2)} {
		data = append(data, make([]byte, MaxBytes-len(data))...)
		uri, err := EncodeURI(data)
		assert.Must(t, err == nil && len(uri) <= personas.MaxPortrait, "%d characters: %v", len(uri), err)
		assert.Value(DecodeURI(uri))(t)
		_, err = EncodeURI(append(data, 0))
		assert.True(t, err != nil, "one byte more is accepted")
	}
}

// TestScaleSquare: the middle is kept, nothing is enlarged, and transparent pixels stay transparent.
func TestScaleSquare(t *testing.T) {
	t.Parallel()
	wide := image.NewNRGBA(image.Rect(10, 20, 310, 120))
	for x := 110; x < 210; x++ {
		for y := 20; y < 120; y++ {
			wide.SetNRGBA(x, y, color.NRGBA{200, 10, 10, 255})
		}
	}
	small := ScaleSquare(wide, 16)
	for _, at := range []image.Point{{0, 0}, {15, 15}, {8, 8}} {
		assert.Equal(t, small.NRGBAAt(at.X, at.Y), color.NRGBA{200, 10, 10, 255}, at)
	}
	assert.Equal(t, ScaleSquare(wide, 1000).Bounds().Dx(), 100, "it became")
	assert.Equal(t, ScaleSquare(image.NewNRGBA(image.Rect(0, 0, 4, 4)), 2).NRGBAAt(0, 0).A, 0, "clear became")
}

func FuzzDecode(f *testing.F) {
	f.Add(encodePNG(f, drawSquare(12)))
	f.Add(encodeJPEG(f, drawSquare(12)))
	f.Add(encodeGIF(f, 12, 3))
	f.Add(claimPNG(f, 65535, 65535, 10))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\xff\xff\xff\x02\x01\x2c\x00;"))
	f.Fuzz(func(t *testing.T, data []byte) {
		picture, err := DecodeImage(data)
		if err != nil {
			return
		}
		size := picture.Bounds().Size()
		assert.Must(t, size.X*size.Y <= MaxPixels && size.X <= MaxSide && size.Y <= MaxSide, "%v pixels", size)
		ScaleSquare(picture, 16)
	})
}

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
		size := picture.Bounds().Size()
		assert.True(t, size.Y <= test.side && (!strings.Contains(name, "tall") || size.X == size.Y*600/900), "%s: %v", name, size)
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
