package portrait

import (
	"bytes"
	"encoding/binary"
	"slices"
)

const (
	pngSignature = 8  // bytes of the signature
	pngFrame     = 12 // bytes of a chunk besides its data: length, name and checksum
)

// pngChunks are the chunks that are needed to display an image.
var pngChunks = []string{"IHDR", "PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "bKGD", "iCCP", "IDAT", "IEND"}

// stripPNG keeps the chunks that are needed to display the image, and drops repeated ones except
// IDAT.
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
