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
			assert.True(t, bytes.Equal(got, pair[1]), "got %d bytes, want the %d of the picture without metadata\n%q", len(got), len(pair[1]), got)
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
	assert.True(t, bytes.Contains(got, []byte("\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06")), "the orientation is gone: %q", got[:60])
	again, err := StripMetadata(got)
	assert.True(t, err == nil && bytes.Equal(again, got), "not a fixed point: %v", err)
	assert.Value(DecodeImage(got))(t)
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
			assert.True(t, reflect.DeepEqual(picture, assert.Value(DecodeImage(stripped))(t)), "it cannot be decoded any more, or is another picture")
		}
	})
}

// hidden is a text that must not be in a stripped image.
const hidden = "HIDDEN: GPS 48.8584 N, Nikon 1234567, and what else fits here"

// before returns data with more inserted before the first occurrence of a text.
func before(t testing.TB, data []byte, text string, more []byte) []byte {
	t.Helper()
	at := bytes.Index(data, []byte(text))
	assert.Must(t, at >= 0, "no %q", text)
	return insert(data, at, more)
}

// hiddenPNGs returns PNGs with data besides their pixels, all showing the same picture.
func hiddenPNGs(t testing.TB) (plain []byte, all map[string][]byte) {
	plain = encodePNG(t, drawSquare(32))
	add := func(name string, body []byte) []byte { return insert(plain, 33, chunkPNG(name, body)) }
	return plain, map[string][]byte{
		"an unknown chunk":   add("npTc", []byte(hidden)),
		"a word behind IEND": append(bytes.Clone(plain), hidden...),
	}
}

// hiddenJPEGs returns the same for a JPEG that begins with JFIF, which ends at byte 20.
func hiddenJPEGs(plain []byte) map[string][]byte {
	return map[string][]byte{
		"words behind EOI":          append(bytes.Clone(plain), hidden...),
		"words before a segment":    insert(plain, 20, []byte(hidden)),
		"markers that mean nothing": insert(plain, 20, []byte("\xff\xd3\xff\xd3\xff\xff\xff\xd0")),
		"a second JFIF":             insert(plain, 20, segment(0xe0, "JFIF\x00"+hidden)),
	}
}

// hiddenGIFs returns the same for an animation of two pictures that is repeated for ever.
func hiddenGIFs(t testing.TB) (plain []byte, all map[string][]byte) {
	t.Helper()
	frame := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	assert.NoError(t, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 2}}))
	plain = b.Bytes()
	const repeats = "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00"
	block := string(rune(len(hidden))) + hidden
	return plain, map[string][]byte{
		"NETSCAPE2.0 twice":            before(t, plain, "\x21\xf9", []byte(repeats+"\x00")),
		"NETSCAPE2.0 with a word":      before(t, plain, "\x21\xf9", []byte("\x21\xff\x0bNETSCAPE2.0"+block+"\x00")),
		"NETSCAPE2.0 with more blocks": bytes.Replace(plain, []byte(repeats), []byte(repeats+block), 1),
		"graphics of nothing":          insert(plain, len(plain)-1, []byte("\x21\xf9\x04\x00abc\x00")),
		"a text with graphics":         before(t, plain, "\x21\xf9", []byte("\x21\xf9\x04\x00abc\x00\x21\x01\x0c"+hidden[:12]+block+"\x00")),
		"a word behind the trailer":    append(bytes.Clone(plain), hidden...),
	}
}

// TestStripHidden: bytes that programs skip are removed and nothing else, so the plain image remains.
func TestStripHidden(t *testing.T) {
	progressive := assert.Value(os.ReadFile("testdata/progressive.jpg"))(t)
	baseline := insert(encodeJPEG(t, drawSquare(40)), 2, segment(0xe0, "JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x00\x00"))
	check := func(kind string, plain []byte, all map[string][]byte) {
		got, err := StripMetadata(plain)
		assert.True(t, err == nil && bytes.Equal(got, plain), "%s: a plain image changed: %v", kind, err)
		for name, data := range all {
			if _, err := DecodeImage(data); err != nil {
				t.Errorf("%s, %s: it cannot be shown with it: %v", kind, name, err)
			}
			got, err := StripMetadata(data)
			assert.True(t, err == nil && bytes.Equal(got, plain), "%s, %s: %v, %d bytes instead of %d\n%.400q", kind, name, err, len(got), len(plain), got)
		}
	}
	plain, all := hiddenPNGs(t)
	check("PNG", plain, all)
	check("JPEG", baseline, hiddenJPEGs(baseline))
	check("progressive JPEG", progressive, hiddenJPEGs(progressive))
	plain, all = hiddenGIFs(t)
	check("GIF", plain, all)
}

// TestStripAdobe: the segment with the colour transform keeps its 12 bytes.
func TestStripAdobe(t *testing.T) {
	const kept = "Adobe\x00\x64\x00\x00\x00\x00\x01"
	plain := encodeJPEG(t, drawSquare(32))
	got, err := StripMetadata(insert(plain, 2, append(segment(0xee, kept+hidden), segment(0xee, "Adobe"+hidden)...)))
	want := insert(plain, 2, segment(0xee, kept))
	assert.True(t, err == nil && bytes.Equal(got, want), "%v, %.60q, want %.60q", err, got, want)
}

// TestStripKeepsProfiles: a colour profile is unchanged, in one segment of a JPEG or in several.
func TestStripKeepsProfiles(t *testing.T) {
	for _, with := range [][]byte{
		insert(encodePNG(t, drawSquare(32)), 33, chunkPNG("iCCP", []byte("icc\x00\x00profile"))),
		insert(encodeJPEG(t, drawSquare(32)), 2, append(segment(0xe2, "ICC_PROFILE\x00\x01\x02pro"), segment(0xe2, "ICC_PROFILE\x00\x02\x02file")...)),
	} {
		got, err := StripMetadata(with)
		assert.True(t, err == nil && bytes.Equal(got, with), "%v, %.300q, want %.300q", err, got, with)
	}
}

// TestStripOfSameLength: metadata that is replaced by the same number of bytes is removed from a data URI.
func TestStripOfSameLength(t *testing.T) {
	body := exif(6)[4:]
	photo := insert(encodeJPEG(t, drawSquare(32)), 2, segment(0xe1, string(body[:32])))
	copy(photo[2+4+14:], "\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00") // one entry, the orientation
	stripped, err := StripMetadata(photo)
	assert.NoError(t, err)
	assert.Must(t, len(stripped) == len(photo), "%v, %d bytes of %d", err, len(stripped), len(photo))
	assert.Must(t, !bytes.Equal(stripped, photo), "%v, %d bytes of %d", err, len(stripped), len(photo))
	uri, err := StripURI(encodeURI(photo))
	data, _ := ReadURI(uri)
	assert.True(t, err == nil && bytes.Equal(data, stripped), "%v, the URI is as it was", err)
}
