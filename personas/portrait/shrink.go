package portrait

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
)

// ofPicture returns the bounds of an image that Shrink accepts. Decoding takes up to eight bytes of
// memory per pixel.
func ofPicture() bounds { return bounds{bytes: 64 << 20, side: 1 << 14, pixels: 16 << 20} }

// largestSides are the lengths of the longer side that Shrink tries, and qualities are the JPEG
// qualities.
var (
	largestSides = []int{512, 384, 256, 192, 128, 96, 64}
	qualities    = []int{85, 70}
)

// Shrink returns an image, which may exceed the bounds of a portrait, in a form that fits into a
// document. It removes metadata, such as texts and places. An image that fits keeps its pixels
// unchanged. Others become a JPEG, or a PNG if they are not opaque. Shrink never crops.
func Shrink(data []byte) ([]byte, error) {
	if bare, err := StripMetadata(data); err == nil {
		if _, err := DecodeImage(bare); err == nil {
			return bare, nil
		}
	}
	picture, err := decodeWithin(data, ofPicture())
	if err != nil {
		return nil, err
	}
	isOpaque, whole := isOpaque(picture), picture.Bounds().Size()
	for _, side := range largestSides {
		longer := max(whole.X, whole.Y)
		side = min(side, longer)
		small := scaleTo(picture, max(whole.X*side/longer, 1), max(whole.Y*side/longer, 1))
		picture = small // Scaling the next size from this one is faster.
		if !isOpaque {
			if made := writePNG(small); len(made) <= MaxBytes {
				return made, nil
			}
			continue
		}
		for _, quality := range qualities {
			var made bytes.Buffer
			if err := jpeg.Encode(&made, small, &jpeg.Options{Quality: quality}); err != nil {
				return nil, fmt.Errorf("it cannot be made smaller: %w", err)
			}
			if made.Len() <= MaxBytes {
				return made.Bytes(), nil
			}
		}
	}
	return nil, fmt.Errorf("it cannot be made smaller than %d bytes", MaxBytes)
}

func isOpaque(picture image.Image) bool {
	known, ok := picture.(interface{ Opaque() bool })
	return !ok || known.Opaque()
}

// scaleTo returns an image scaled down. Each pixel is the mean of the pixels that it replaces.
func scaleTo(picture image.Image, width, height int) image.Image {
	size := picture.Bounds().Size()
	if size == image.Pt(width, height) {
		return picture
	}
	small := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			part := image.Rect(x*size.X/width, y*size.Y/height, (x+1)*size.X/width, (y+1)*size.Y/height)
			small.Set(x, y, meanColour(picture, part.Add(picture.Bounds().Min)))
		}
	}
	return small
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
