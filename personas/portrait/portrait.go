// Package portrait decodes, checks and shrinks the picture in a persona document. A document
// contains the picture as a data URI. PNG, JPEG and GIF are supported. The package never opens a
// file.
package portrait

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Bounds of a portrait. The data URI of MaxBytes bytes fits into personas.MaxPortrait characters.
// Decoding the largest allowed picture takes less than 64 MB of memory.
const (
	MaxBytes  = 49_134
	MaxSide   = 4096
	MaxPixels = 2 << 20
	// Each scan of a JPEG takes the decoding time of a whole image.
	maxScans = 100
)

type kind struct {
	name, media, ending, begin string

	readSize  func(io.Reader) (image.Config, error)
	readImage func(io.Reader) (image.Image, error)
}

var kinds = []kind{
	{"PNG", "image/png", ".png", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
	{"JPEG", "image/jpeg", ".jpg", "\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode},
	{"GIF", "image/gif", ".gif", "GIF8", gif.DecodeConfig, gif.Decode},
}

var (
	errKind  = errors.New("it is not a PNG, JPEG or GIF: save it as one of these")
	errEmpty = errors.New("it is empty")

	errNoPixels = errors.New("it has no pixels")
	errScans    = fmt.Errorf("it has more than %d scans: save it again as an ordinary JPEG", maxScans)
)

func findKind(data []byte) *kind {
	for i := range kinds {
		if bytes.HasPrefix(data, []byte(kinds[i].begin)) {
			return &kinds[i]
		}
	}
	return nil
}

type bounds struct{ bytes, side, pixels int }

var portraitBounds = bounds{MaxBytes, MaxSide, MaxPixels}

// DecodeImage decodes an image within the bounds of a portrait. The declared size is checked before
// decoding.
func DecodeImage(data []byte) (image.Image, error) { return decodeWithin(data, portraitBounds) }

func decodeWithin(data []byte, limits bounds) (image.Image, error) {
	format, err := checkSize(data, limits)
	if err != nil {
		return nil, err
	}
	picture, err := format.readImage(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read as a %s: %w", format.name, explainError(err))
	case picture.Bounds().Empty(): // The first frame of a GIF may differ from the declared size.
		return nil, errNoPixels
	}
	return picture, nil
}

func checkSize(data []byte, limits bounds) (*kind, error) {
	format := findKind(data)
	switch {
	case len(data) == 0:
		return nil, errEmpty
	case len(data) > limits.bytes:
		return nil, fmt.Errorf("it has %d bytes, at most %d are allowed: make it smaller, 256 by 256 pixels are plenty",
			len(data), limits.bytes)
	case format == nil:
		return nil, errKind
	case format.media == "image/jpeg" && bytes.Count(data, []byte("\xff\xda")) > maxScans:
		return nil, errScans
	}
	size, err := format.readSize(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read as a %s: %w", format.name, explainError(err))
	case size.Width < 1 || size.Height < 1:
		return nil, errNoPixels
	case size.Width > limits.side || size.Height > limits.side || size.Width*size.Height > limits.pixels:
		return nil, fmt.Errorf("it has %d by %d pixels, at most %d on a side and %d altogether are allowed: make it smaller",
			size.Width, size.Height, limits.side, limits.pixels)
	}
	return format, nil
}

func explainError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("it is cut off")
	}
	return err
}

// EncodeURI returns the data URI of an image without metadata. An image that cannot be decoded is
// an error.
func EncodeURI(data []byte) (string, error) {
	if _, err := DecodeImage(data); err != nil {
		return "", err
	}
	data, err := StripMetadata(data)
	if err != nil {
		return "", err
	}
	return encodeURI(data), nil
}

func encodeURI(data []byte) string {
	return "data:" + findKind(data).media + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// IsURI reports whether a portrait is a data URI and not a path.
func IsURI(portrait string) bool {
	return len(portrait) >= len("data:") && strings.EqualFold(portrait[:len("data:")], "data:")
}

// ReadURI returns the encoded image in a data URI.
func ReadURI(uri string) ([]byte, error) {
	if len(uri) > personas.MaxPortrait {
		return nil, fmt.Errorf("it has %d characters, at most %d are allowed: make the picture smaller, 256 by 256 pixels are plenty",
			len(uri), personas.MaxPortrait)
	}
	head, text, ok := strings.Cut(uri, ",")
	media, isBase64 := strings.CutSuffix(head, ";base64")
	if !ok || !isBase64 || !IsURI(uri) {
		return nil, errors.New("it must contain the picture itself, as a data URI that starts with data:image/png;base64,")
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("the data after base64, is not valid base64: create the URI again from the image")
	}
	switch format := findKind(data); {
	case format == nil:
		return nil, errKind
	case media != "data:"+format.media:
		return nil, fmt.Errorf("it is a %s, so it must start with data:%s;base64,", format.name, format.media)
	}
	return data, nil
}

// DecodeURI decodes the image of a data URI.
func DecodeURI(uri string) (image.Image, error) {
	data, err := ReadURI(uri)
	if err != nil {
		return nil, err
	}
	return DecodeImage(data)
}

// FileEnding returns the file extension of an image (.png, .jpg or .gif). An unknown format returns
// "".
func FileEnding(data []byte) string {
	if format := findKind(data); format != nil {
		return format.ending
	}
	return ""
}

// ScaleSquare crops the centre square of an image and scales the square down to side pixels. Each
// pixel is the mean of the replaced pixels. A smaller square is not enlarged.
func ScaleSquare(picture image.Image, side int) *image.NRGBA {
	bounds := picture.Bounds()
	cut := min(bounds.Dx(), bounds.Dy())
	from := bounds.Min.Add(image.Pt((bounds.Dx()-cut)/2, (bounds.Dy()-cut)/2))
	side = max(min(side, cut), 1)
	return scaleArea(picture, image.Rectangle{from, from.Add(image.Pt(cut, cut))}, side, side)
}

func scaleArea(picture image.Image, area image.Rectangle, width, height int) *image.NRGBA {
	small := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			part := image.Rect(x*area.Dx()/width, y*area.Dy()/height, (x+1)*area.Dx()/width, (y+1)*area.Dy()/height)
			small.Set(x, y, meanColour(picture, part.Add(area.Min)))
		}
	}
	return small
}

func meanColour(picture image.Image, part image.Rectangle) color.RGBA64 {
	var sum [4]uint64
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, a := picture.At(x, y).RGBA()
			sum[0] += uint64(r)
			sum[1] += uint64(g)
			sum[2] += uint64(b)
			sum[3] += uint64(a)
		}
	}
	n := uint64(max(part.Dx()*part.Dy(), 1))
	//nolint:gosec // A mean of 16-bit values has 16 bits.
	return color.RGBA64{uint16(sum[0] / n), uint16(sum[1] / n), uint16(sum[2] / n), uint16(sum[3] / n)}
}

// DescribeURI describes the image in a data URI, such as "PNG of 48 by 48 pixels, 1204 bytes
// (3f2a91c0)". Without a valid image, the result is "".
func DescribeURI(uri string) string {
	data, err := ReadURI(uri)
	if err != nil {
		return ""
	}
	format, err := checkSize(data, portraitBounds)
	if err != nil {
		return ""
	}
	size, _ := format.readSize(bytes.NewReader(data)) // checkSize has already read the size.
	return fmt.Sprintf("%s of %d by %d pixels, %d bytes (%s)",
		format.name, size.Width, size.Height, len(data), ShortHash(data))
}

// ShortHash returns the first eight hexadecimal digits of the SHA-256 of an image.
func ShortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4])
}
