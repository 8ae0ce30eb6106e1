package portrait

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
)

// pictureBounds are the bounds of an image that Shrink accepts. Decoding takes up to eight bytes of
// memory per pixel.
var pictureBounds = bounds{bytes: 64 << 20, side: 1 << 14, pixels: 16 << 20}

var (
	largestSides = []int{512, 384, 256, 192, 128, 96, 64} // the lengths of the longer side that Shrink tries
	qualities    = []int{85, 70}                          // of a JPEG
)

// Shrink converts an image, which may exceed the bounds of a portrait, to one that fits into a
// document. It removes metadata, such as texts and places. An image that fits keeps its pixels
// unchanged. Others become a JPEG, or a PNG if they are not opaque. Shrink never crops.
func Shrink(data []byte) ([]byte, error) {
	if bare, err := StripMetadata(data); err == nil {
		if _, err := DecodeImage(bare); err == nil {
			return bare, nil
		}
	}
	picture, err := decodeWithin(data, pictureBounds)
	if err != nil {
		return nil, err
	}
	known, ok := picture.(interface{ Opaque() bool })
	isOpaque, whole := !ok || known.Opaque(), picture.Bounds().Size()
	for _, side := range largestSides {
		longer := max(whole.X, whole.Y)
		side = min(side, longer)
		width, height := max(whole.X*side/longer, 1), max(whole.Y*side/longer, 1)
		if picture.Bounds().Size() != image.Pt(width, height) {
			picture = scaleArea(picture, picture.Bounds(), width, height) // The next size is scaled from this one.
		}
		if !isOpaque {
			if made := writePNG(picture); len(made) <= MaxBytes {
				return made, nil
			}
			continue
		}
		for _, quality := range qualities {
			var made bytes.Buffer
			if err := jpeg.Encode(&made, picture, &jpeg.Options{Quality: quality}); err != nil {
				return nil, fmt.Errorf("it cannot be made smaller: %w", err)
			}
			if made.Len() <= MaxBytes {
				return made.Bytes(), nil
			}
		}
	}
	return nil, fmt.Errorf("it cannot be made smaller than %d bytes", MaxBytes)
}

// AsPNG returns an image within the bounds of a portrait as a PNG, without metadata.
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
	var made bytes.Buffer
	_ = png.Encode(&made, picture) // Writing to a buffer cannot fail, and the size was checked.
	return made.Bytes()
}
