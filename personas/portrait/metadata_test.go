package portrait

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"os"
	"reflect"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

const secret = "GPS 48.8584 N, Nikon 1234567"

// insert returns data with more bytes at an offset.
func insert(data []byte, at int, more []byte) []byte {
	return append(append(bytes.Clone(data[:at]), more...), data[at:]...)
}

func segment(marker byte, body string) []byte {
	n := len(body) + 2
	return append([]byte{0xff, marker, byte(n >> 8), byte(n)}, body...)
}

// exif returns an EXIF segment with an orientation and a text.
func exif(orientation byte) []byte {
	return segment(0xe1, "Exif\x00\x00II\x2a\x00\x08\x00\x00\x00\x02\x00"+
		"\x0f\x01\x02\x00\x1c\x00\x00\x00\x26\x00\x00\x00"+
		"\x12\x01\x03\x00\x01\x00\x00\x00"+string(orientation)+"\x00\x00\x00"+
		"\x00\x00\x00\x00"+secret)
}

// pictures are images with metadata of every kind, and the same ones without.
func pictures(t testing.TB) map[string][2][]byte {
	plainPNG, plainJPEG, plainGIF := encodePNG(t, drawSquare(32)), encodeJPEG(t, drawSquare(32)), encodeGIF(t, 8, 2)
	png := plainPNG
	for _, chunk := range [][]byte{
		chunkPNG("eXIf", []byte(secret)), chunkPNG("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+secret)),
		chunkPNG("zTXt", []byte("chara\x00\x00"+secret)), chunkPNG("tEXt", []byte("Comment\x00"+secret)), chunkPNG("tIME", []byte("1234567")),
	} {
		png = insert(png, 33, chunk)
	}
	png = append(insert(png, len(png)-12, chunkPNG("tEXt", []byte("a\x00"+secret))), secret...)
	jpeg := plainJPEG
	for _, part := range [][]byte{
		segment(0xfe, secret), segment(0xed, "Photoshop 3.0\x00"+secret), segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret),
		segment(0xe2, "MPF\x00"+secret), exif(1), segment(0xe0, "JFXX\x00\x10"+secret),
	} {
		jpeg = insert(jpeg, 2, part)
	}
	jpeg = append(insert(jpeg, len(jpeg)-2, segment(0xfe, secret)), secret...)
	start := 13 + colourTable(plainGIF[10])
	moving := insert(plainGIF, start, append([]byte{0x21, 0xfe, byte(len(secret))}, secret+"\x00"...))
	moving = insert(moving, start, append([]byte{0x21, 0xff, 11}, "XMP DataXMP\x04"+secret[:4]+"\x00"...))
	return map[string][2][]byte{"png": {png, plainPNG}, "jpeg": {jpeg, plainJPEG}, "gif": {append(moving, secret...), plainGIF}}
}

func TestStripMetadata(t *testing.T) {
	for name, pair := range pictures(t) {
		t.Run(name, func(t *testing.T) {
			if _, err := DecodeImage(pair[0]); err != nil {
				t.Fatalf("the picture with metadata: %v", err)
			}
			got := assert.Value(StripMetadata(pair[0]))(t)
			if !bytes.Equal(got, pair[1]) {
				t.Errorf("got %d bytes, want the %d of the picture without metadata\n%q", len(got), len(pair[1]), got)
			}
			again, err := StripMetadata(got)
			assert.True(t, err == nil && bytes.Equal(again, got), "not a fixed point: %v", err)
			uri, err := EncodeURI(pair[0])
			assert.NoError(t, err)
			assert.NotContains(t, uri, base64.StdEncoding.EncodeToString([]byte(secret))[4:20], "EncodeURI: %v, with metadata", err)
			data, _ := ReadURI(uri)
			assert.True(t, bytes.Equal(data, pair[1]), "EncodeURI keeps metadata")
			assert.True(t, SamePicture(pair[0], pair[1]) && !SamePicture(pair[0], []byte("GIF89a")), "SamePicture is wrong")
		})
	}
}

// TestStripMetadataKeepsOrientation: a rotated JPEG keeps its orientation, and the rest of its EXIF is removed.
func TestStripMetadataKeepsOrientation(t *testing.T) {
	turned := insert(encodeJPEG(t, drawSquare(32)), 2, exif(6))
	got := assert.Value(StripMetadata(turned))(t)
	assert.True(t, !bytes.Contains(got, []byte("Nikon")), "the text of the EXIF is left")
	if !bytes.Contains(got, []byte("\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06")) {
		t.Errorf("the orientation is gone: %q", got[:60])
	}
	again, err := StripMetadata(got)
	assert.True(t, err == nil && bytes.Equal(again, got), "not a fixed point: %v", err)
	assert.Value(DecodeImage(got))(t)
}

func TestStripMetadataOfFrames(t *testing.T) {
	frame := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame, frame, frame}, Delay: []int{1, 2, 3}, LoopCount: 5})
	assert.NoError(t, err)
	got, err := StripMetadata(b.Bytes())
	assert.True(t, err == nil && bytes.Equal(got, b.Bytes()), "an animation without metadata changed: %v", err)
}

// FuzzStripMetadata: an image that can be decoded is the same picture afterwards, and hardly longer.
func FuzzStripMetadata(f *testing.F) {
	progressive := assert.Value(os.ReadFile("testdata/progressive.jpg"))(f)
	f.Add(progressive)
	for _, pair := range pictures(f) {
		f.Add(pair[0])
		f.Add(pair[0][:len(pair[0])/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		stripped, err := StripMetadata(data)
		if err != nil {
			return
		}
		assert.True(t, len(stripped) <= len(data)+40, "%d bytes became %d", len(data), len(stripped))
		again, err := StripMetadata(stripped)
		assert.True(t, err == nil && bytes.Equal(again, stripped), "not a fixed point: %v", err)
		if picture, err := DecodeImage(data); err == nil {
			same := assert.Value(DecodeImage(stripped))(t)
			assert.True(t, reflect.DeepEqual(picture, same), "it cannot be decoded any more, or is another picture")
		}
	})
}
