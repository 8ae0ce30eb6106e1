package portrait

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
)

// pictureBounds are the bounds for Shrink. Decoding takes up to eight bytes of memory per pixel.
var pictureBounds = bounds{bytes: 64 << 20, side: 1 << 14, pixels: 16 << 20}

var (
	largestSides = []int{512, 384, 256, 192, 128, 96, 64} // lengths of the longer side
	qualities    = []int{85, 70}                          // of a JPEG
)

// Shrink fits an image into a document and removes metadata. Small images keep their pixels. Larger
// images become a JPEG, or a PNG if they are not opaque. Shrink never crops.
func Shrink(data []byte) ([]byte, error) {
	if stripped, err := StripMetadata(data); err == nil {
		if _, err := DecodeImage(stripped); err == nil {
			return stripped, nil
		}
	}
	picture, err := decodeWithin(data, pictureBounds)
	if err != nil {
		return nil, err
	}
	opaque, ok := picture.(interface{ Opaque() bool })
	isOpaque, size := !ok || opaque.Opaque(), picture.Bounds().Size()
	for _, side := range largestSides {
		longer := max(size.X, size.Y)
		side = min(side, longer)
		width, height := max(size.X*side/longer, 1), max(size.Y*side/longer, 1)
		if picture.Bounds().Size() != image.Pt(width, height) {
			picture = scaleArea(picture, picture.Bounds(), width, height) // The next size is scaled from this one.
		}
		if !isOpaque {
			if encoded := writePNG(picture); len(encoded) <= MaxBytes {
				return encoded, nil
			}
			continue
		}
		for _, quality := range qualities {
			var out bytes.Buffer
			if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: quality}); err != nil {
				return nil, fmt.Errorf("it cannot be made smaller: %w", err)
			}
			if out.Len() <= MaxBytes {
				return out.Bytes(), nil
			}
		}
	}
	return nil, fmt.Errorf("it cannot be made smaller than %d bytes", MaxBytes)
}

// AsPNG converts an image to PNG without metadata. The bounds of a portrait apply.
func AsPNG(data []byte) ([]byte, error) {
	picture, err := DecodeImage(data)
	if err != nil {
		return nil, err
	}
	if findKind(data).media == "image/png" {
		return StripMetadata(data)
	}
	return writePNG(picture), nil
}

func writePNG(picture image.Image) []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, picture) // Writing to a buffer cannot fail.
	return out.Bytes()
}
