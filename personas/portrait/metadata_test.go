package portrait

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"reflect"
	"strings"
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
			assert.True(t, reflect.DeepEqual(picture, assert.Value(DecodeImage(stripped))(t)), "it cannot be decoded any more, or is another picture")
		}
	})
}

// hidden is a text that must not be in a stripped image.
const hidden = "HIDDEN: GPS 48.8584 N, Nikon 1234567, and what else fits here"

// profile returns a colour profile with a valid structure, and with bytes after its end.
func profile(behind string) []byte {
	p := make([]byte, 132+12+8)
	binary.BigEndian.PutUint32(p, uint32(len(p)))
	copy(p[36:], "acsp")
	binary.BigEndian.PutUint32(p[128:], 1)
	copy(p[132:], "wtpt\x00\x00\x00\x90\x00\x00\x00\x08")
	return append(p, behind...)
}

func compress(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, err := z.Write(data)
	assert.Must(t, err == nil && z.Close() == nil, err)
	return b.Bytes()
}

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
	end := len(plain) - 12
	return plain, map[string][]byte{
		"iCCP that is no profile":       add("iCCP", append([]byte("icc\x00\x00"), compress(t, []byte(hidden))...)),
		"iCCP of the wrong size":        add("iCCP", append([]byte("icc\x00\x00"), compress(t, profile(hidden))...)),
		"iCCP that is not compressed":   add("iCCP", []byte("icc\x00\x00"+hidden)),
		"iCCP alone":                    add("iCCP", []byte(hidden)),
		"iCCP that inflates to a lot":   add("iCCP", append([]byte("icc\x00\x00"), compress(t, make([]byte, maxProfile+1))...)),
		"an IDAT behind the pixels":     insert(plain, end, chunkPNG("IDAT", []byte(hidden))),
		"an empty IDAT":                 insert(plain, end, chunkPNG("IDAT", nil)),
		"a gAMA that is too long":       add("gAMA", []byte(hidden)),
		"a bKGD that is too long":       add("bKGD", []byte(hidden)),
		"colours that nothing uses":     add("PLTE", []byte(hidden[:60])),
		"a PNG with a word behind IEND": append(bytes.Clone(plain), hidden...),
	}
}

// hiddenJPEGs returns the same for a JPEG that begins with JFIF, which ends at byte 20.
func hiddenJPEGs(plain []byte) map[string][]byte {
	start := func(part []byte) []byte { return insert(plain, 2, part) }
	table := append([]byte{0xff, 0xdb, 0, 67, 3}, strings.Repeat(hidden, 2)[:64]...)
	code := append([]byte{0xff, 0xc4, 0, 19 + 60, 0x03, 60}, append(make([]byte, 15), hidden[:60]...)...)
	return map[string][]byte{
		"ICC that is no profile":         start(segment(0xe2, "ICC_PROFILE\x00\x01\x01"+hidden)),
		"ICC of the wrong size":          start(segment(0xe2, "ICC_PROFILE\x00\x01\x01"+string(profile(hidden)))),
		"a piece of ICC that is missing": start(segment(0xe2, "ICC_PROFILE\x00\x02\x02"+string(profile("")))),
		"ICC that says it is more":       start(segment(0xe2, "ICC_PROFILE\x00\x01\x09"+string(profile("")))),
		"a table that nothing uses":      start(table),
		"a table that is replaced":       start(append([]byte{0xff, 0xdb, 0, 67, 0}, table[5:]...)),
		"a code that nothing uses":       start(code),
		"words behind EOI":               append(bytes.Clone(plain), hidden...),
		"words before EOI":               insert(plain, len(plain)-2, []byte(hidden)),
		"words before EOI, with 0xff":    insert(plain, len(plain)-2, []byte(hidden+"\xff\x00"+hidden)),
		"words before a segment":         insert(plain, 20, []byte(hidden)),
		"markers that mean nothing":      insert(plain, 20, []byte("\xff\xd3\xff\xd3\xff\xff\xff\xd0")),
		"a second JFIF":                  insert(plain, 20, segment(0xe0, "JFIF\x00"+hidden)),
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
	end := bytes.LastIndexByte(plain, 0) // the empty block behind the pixels of the last picture
	return plain, map[string][]byte{
		"NETSCAPE2.0 twice":            before(t, plain, "\x21\xf9", []byte(repeats+"\x00")),
		"NETSCAPE2.0 with a word":      before(t, plain, "\x21\xf9", []byte("\x21\xff\x0bNETSCAPE2.0"+block+"\x00")),
		"NETSCAPE2.0 with more blocks": bytes.Replace(plain, []byte(repeats), []byte(repeats+block), 1),
		"graphics of nothing":          insert(plain, len(plain)-1, []byte("\x21\xf9\x04\x00abc\x00")),
		"graphics twice":               before(t, plain, "\x21\xf9", []byte("\x21\xf9\x04\x00abc\x00")),
		"a text with graphics":         before(t, plain, "\x21\xf9", []byte("\x21\xf9\x04\x00abc\x00\x21\x01\x0c"+hidden[:12]+block+"\x00")),
		"a word behind the pixels":     insert(plain, end, []byte(block)),
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

// TestStripKeepsProfiles: a valid colour profile is kept without its name and the bytes after it.
func TestStripKeepsProfiles(t *testing.T) {
	picture, photo, whole := encodePNG(t, drawSquare(32)), encodeJPEG(t, drawSquare(32)), string(profile(""))
	stream := compress(t, []byte(whole))
	got, err := StripMetadata(insert(picture, 33, chunkPNG("iCCP", append(append([]byte("Nikon 1234567\x00\x00"), stream...), hidden...))))
	want := insert(picture, 33, chunkPNG("iCCP", append([]byte("icc\x00\x00"), stream...)))
	assert.True(t, err == nil && bytes.Equal(got, want), "PNG: %v, %.300q, want %.300q", err, got, want)
	for _, pieces := range [][]byte{
		segment(0xe2, "ICC_PROFILE\x00\x01\x01"+whole),
		append(segment(0xe2, "ICC_PROFILE\x00\x01\x02"+whole[:50]), segment(0xe2, "ICC_PROFILE\x00\x02\x02"+whole[50:])...),
	} {
		with := insert(photo, 2, pieces)
		got, err := StripMetadata(with)
		assert.True(t, err == nil && bytes.Equal(got, with), "JPEG: %v, %.300q, want %.300q", err, got, with)
	}
}

// TestStripOfSameLength: metadata that is replaced by the same number of bytes is removed from a data URI.
func TestStripOfSameLength(t *testing.T) {
	body := exif(6)[4:]
	photo := insert(encodeJPEG(t, drawSquare(32)), 2, segment(0xe1, string(body[:32])))
	copy(photo[2+4+14:], "\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00") // one entry, the orientation
	stripped, err := StripMetadata(photo)
	assert.Must(t, err == nil && len(stripped) == len(photo) && !bytes.Equal(stripped, photo), "%v, %d bytes of %d", err, len(stripped), len(photo))
	uri, err := StripURI(encodeURI(photo))
	data, _ := ReadURI(uri)
	assert.True(t, err == nil && bytes.Equal(data, stripped), "%v, the URI is as it was", err)
}

// TestStripCodes: the end of the pixels is found in JPEGs and PNGs of many sizes, gray and with colours.
func TestStripCodes(t *testing.T) {
	for _, side := range []int{1, 7, 8, 9, 16, 17, 33, 100} {
		gray := image.NewGray(image.Rect(0, 0, side, side))
		for i := range gray.Pix {
			gray.Pix[i] = byte(i * i)
		}
		for name, picture := range map[string]image.Image{"colours": drawSquare(side), "gray": gray} {
			var b bytes.Buffer
			assert.NoError(t, jpeg.Encode(&b, picture, &jpeg.Options{Quality: 80}))
			plain, err := StripMetadata(b.Bytes()) // Go writes tables for colours in any case.
			assert.NoError(t, err)
			with := insert(plain, len(plain)-2, []byte(hidden))
			got, err := StripMetadata(with)
			assert.True(t, err == nil && bytes.Equal(got, plain), "JPEG, %s, %d: %v", name, side, err)
			b.Reset()
			assert.NoError(t, png.Encode(&b, picture))
			with = insert(b.Bytes(), b.Len()-12, chunkPNG("IDAT", []byte(hidden)))
			got, err = StripMetadata(with)
			assert.True(t, err == nil && bytes.Equal(got, b.Bytes()), "PNG, %s, %d: %v", name, side, err)
		}
	}
}

// TestStripInterlaced: the end of the pixels is found in interlaced PNGs of many sizes and all depths.
func TestStripInterlaced(t *testing.T) {
	for colours, depths := range map[byte][]byte{0: {1, 2, 4, 8, 16}, 2: {8, 16}, 4: {8, 16}, 6: {8, 16}} {
		for _, depth := range depths {
			for _, size := range [][2]uint32{{1, 1}, {2, 3}, {5, 1}, {8, 8}, {9, 17}, {33, 2}} {
				header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, size[0]), size[1])
				header = append(header, depth, colours, 0, 0, 1)
				rows, ok := sizeOfRows(header)
				assert.Must(t, ok, "too large")
				pixels := chunkPNG("IDAT", compress(t, make([]byte, rows)))
				begin := append([]byte("\x89PNG\r\n\x1a\n"), chunkPNG("IHDR", header)...)
				plain := append(append(bytes.Clone(begin), pixels...), chunkPNG("IEND", nil)...)
				with := insert(plain, len(plain)-12, chunkPNG("IDAT", []byte(hidden)))
				if _, err := DecodeImage(plain); err != nil {
					t.Errorf("colours %d, depth %d, %d by %d: %v", colours, depth, size[0], size[1], err)
				}
				got, err := StripMetadata(with)
				assert.True(t, err == nil && bytes.Equal(got, plain), "colours %d, depth %d, %d by %d: stripped wrongly: %v", colours, depth, size[0], size[1], err)
			}
		}
	}
}
