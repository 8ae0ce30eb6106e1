package portrait

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// StripMetadata removes EXIF, XMP, IPTC, comments, texts, thumbnails and trailing bytes from an
// image. Colour profile, colour transform and JPEG orientation stay. An unknown format or malformed
// data is an error. The result is at most 40 bytes larger than the image.
func StripMetadata(data []byte) ([]byte, error) {
	format := findKind(data)
	if format == nil {
		return nil, errKind
	}
	var stripped []byte
	var ok bool
	switch format.media {
	case "image/png":
		stripped, ok = stripPNG(data)
	case "image/jpeg":
		stripped, ok = stripJPEG(data)
	default:
		stripped, ok = stripGIF(data)
	}
	if !ok {
		return nil, errStructure
	}
	return stripped, nil
}

// StripURI returns the data URI of an image without its metadata.
func StripURI(uri string) (string, error) {
	data, err := ReadURI(uri)
	if err != nil {
		return "", err
	}
	stripped, err := StripMetadata(data)
	if err != nil {
		return "", err
	}
	if bytes.Equal(stripped, data) {
		return uri, nil
	}
	return encodeURI(stripped), nil
}

// SamePicture reports whether two images are equal apart from metadata.
func SamePicture(a, b []byte) bool {
	x, errX := StripMetadata(a)
	y, errY := StripMetadata(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

var errStructure = errors.New("its structure is invalid, so metadata cannot be removed: save it again with a picture editor")

const (
	pngSignature = 8
	pngFrame     = 12 // length, name and checksum
)

var pngChunks = []string{"IHDR", "PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "bKGD", "iCCP", "IDAT", "IEND"}

func stripPNG(data []byte) ([]byte, bool) {
	out, rest := bytes.Clone(data[:pngSignature]), data[pngSignature:]
	seen := map[string]bool{}
	for len(rest) >= pngFrame {
		size := int64(binary.BigEndian.Uint32(rest)) + pngFrame
		if size > int64(len(rest)) {
			return nil, false
		}
		name, chunk := string(rest[4:8]), rest[:size]
		if len(seen) == 0 && name != "IHDR" {
			return nil, false
		}
		if slices.Contains(pngChunks, name) && (name == "IDAT" || !seen[name]) {
			out = append(out, chunk...)
		}
		seen[name], rest = true, rest[size:]
		if name == "IEND" {
			return out, true
		}
	}
	return nil, false
}

// GIF89a, appendix A.
const (
	gifExtension = 0x21
	gifImage     = 0x2c
	gifTrailer   = 0x3b
	gifPlainText = 0x01
	gifGraphics  = 0xf9
)

const gifRepeats = "\x21\xff\x0bNETSCAPE2.0\x03\x01"

func stripGIF(data []byte) ([]byte, bool) {
	const header = 13
	if len(data) < header {
		return nil, false
	}
	offset := header + colourTable(data[10])
	if offset > len(data) {
		return nil, false
	}
	out := bytes.Clone(data[:offset])
	var graphics []byte // for the next image
	isRepeated := false
	for offset < len(data) {
		block := data[offset:]
		blocks := 2 // offset of the first data block
		switch block[0] {
		case gifTrailer:
			return append(out, gifTrailer), true
		case gifImage:
			if len(block) < 11 {
				return nil, false
			}
			blocks = 11 + colourTable(block[9])
		case gifExtension:
		default:
			return nil, false
		}
		end, ok := endOfBlocks(block, blocks)
		if !ok {
			return nil, false
		}
		block, offset = block[:end], offset+end
		switch {
		case block[0] == gifImage:
			out, graphics = append(append(out, graphics...), block...), nil
		case block[1] == gifGraphics && len(block) == 8 && graphics == nil:
			graphics = block
		case block[1] == gifGraphics: // Decoders disagree about two of these extensions.
			return nil, false
		case block[1] == gifPlainText: // Plain text consumes the graphic control extension.
			graphics = nil
		case bytes.HasPrefix(block, []byte(gifRepeats)) && len(block) > len(gifRepeats)+2 && !isRepeated:
			out, isRepeated = append(append(out, block[:len(gifRepeats)+2]...), 0), true
		}
	}
	return nil, false
}

func endOfBlocks(data []byte, offset int) (end int, ok bool) {
	for offset < len(data) {
		size := int(data[offset])
		offset += 1 + size
		if size == 0 {
			return offset, true
		}
	}
	return 0, false
}

func colourTable(packed byte) int {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}
