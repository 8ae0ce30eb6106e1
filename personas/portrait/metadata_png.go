package portrait

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
)

const (
	pngSignature = 8  // bytes of the signature
	pngFrame     = 12 // bytes of a chunk besides its data: length, name and checksum
)

// pngSizes are the chunks that are needed to display an image, each with its maximum size in bytes.
// Other chunks (texts, times, EXIF, animation frames) and repeated chunks except IDAT are dropped.
// shortenProfile checks iCCP.
var pngSizes = map[string]int{
	"IHDR": 13, "PLTE": 3 * 256, "tRNS": 256, "gAMA": 4, "cHRM": 32, "sRGB": 1, "sBIT": 4, "bKGD": 6,
	"iCCP": 1 << 24, "IDAT": 1 << 30, "IEND": 0,
}

func stripPNG(data []byte) ([]byte, bool) {
	out := append(make([]byte, 0, len(data)), data[:pngSignature]...)
	chunks, ok := splitPNG(data[pngSignature:])
	if !ok {
		return nil, false
	}
	pixels, ok := measurePixels(chunks)
	if !ok {
		return nil, false
	}
	seen := map[string]bool{}
	for _, c := range chunks {
		most, kept := pngSizes[c.name]
		switch {
		case !kept || len(c.body) > most || c.name != "IDAT" && seen[c.name]:
			continue
		case c.name == "PLTE" && chunks[0].body[9] != 3:
			continue // The image does not use a palette, and this one is for displays with few colours.
		case c.name == "iCCP":
			if c, kept = c.shortenProfile(); !kept {
				continue
			}
		case c.name == "IDAT":
			size := min(len(c.body), pixels)
			if size == 0 {
				continue
			}
			if size < len(c.body) {
				c = makeChunk(c.name, c.body[:size])
			}
			pixels -= size
		}
		seen[c.name] = true
		out = append(out, c.whole...)
	}
	return out, true
}

type pngChunk struct {
	name        string
	whole, body []byte // body is the data
}

// splitPNG returns the chunks up to IEND. ok is false unless the first chunk is IHDR.
func splitPNG(rest []byte) (chunks []pngChunk, ok bool) {
	for len(rest) >= pngFrame {
		size := int64(binary.BigEndian.Uint32(rest)) + pngFrame
		if size > int64(len(rest)) {
			return nil, false
		}
		c := pngChunk{string(rest[4:8]), rest[:size], rest[8 : size-4]}
		if len(chunks) == 0 && (c.name != "IHDR" || len(c.body) != pngSizes["IHDR"]) {
			return nil, false
		}
		chunks, rest = append(chunks, c), rest[size:]
		if c.name == "IEND" {
			return chunks, len(c.body) == 0
		}
	}
	return nil, false
}

func makeChunk(name string, body []byte) pngChunk {
	whole := binary.BigEndian.AppendUint32(nil, uint32(len(body))) //nolint:gosec // no longer than a chunk that was read
	whole = append(append(whole, name...), body...)
	whole = binary.BigEndian.AppendUint32(whole, crc32.ChecksumIEEE(whole[4:]))
	return pngChunk{name, whole, whole[8 : len(whole)-4]}
}

// shortenProfile returns an iCCP chunk without the profile's name and without bytes after the
// profile. It returns false if the profile is invalid.
func (c pngChunk) shortenProfile() (pngChunk, bool) {
	_, rest, named := bytes.Cut(c.body, []byte{0})
	if !named || len(rest) < 1 || rest[0] != 0 { // The compression method is always 0.
		return c, false
	}
	var profile bytes.Buffer
	size, ok := inflate(rest[1:], maxProfile, &profile)
	if !ok || !isProfile(profile.Bytes()) {
		return c, false
	}
	const name = "icc\x00\x00"
	return makeChunk(c.name, append([]byte(name), rest[1:1+size]...)), true
}

// inflate decompresses the zlib stream at the start of data into a writer, and returns the
// compressed length. It fails if the stream is damaged or has more than most bytes.
func inflate(data []byte, most int64, to io.Writer) (size int, ok bool) {
	from := bytes.NewReader(data) // The decoder does not read ahead from an io.ByteReader.
	z, err := zlib.NewReader(from)
	if err != nil {
		return 0, false
	}
	n, err := io.Copy(to, io.LimitReader(z, most+1))
	return len(data) - from.Len(), err == nil && n <= most
}

// measurePixels returns the number of bytes in the joined IDAT chunks that are compressed pixels.
// If the image exceeds the bounds of a portrait, it returns the full length, because such an image
// is never decoded.
func measurePixels(chunks []pngChunk) (size int, ok bool) {
	var data []byte
	for _, c := range chunks {
		if c.name == "IDAT" {
			data = append(data, c.body...)
		}
	}
	rows, ok := sizeOfRows(chunks[0].body)
	if !ok {
		return len(data), true
	}
	return inflate(data, rows, io.Discard)
}

// pngPasses are the seven passes of an interlaced image: the coordinates of the first pixel, and
// the steps to the next pixel.
var pngPasses = [7][4]int64{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}

// sizeOfRows returns the number of bytes in the rows of an image with this IHDR. It returns false
// if the image exceeds the bounds of a portrait.
func sizeOfRows(header []byte) (size int64, ok bool) {
	width, height := int64(binary.BigEndian.Uint32(header)), int64(binary.BigEndian.Uint32(header[4:]))
	if width > MaxSide || height > MaxSide || width*height > MaxPixels {
		return 0, false
	}
	samples := map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[header[9]]
	bits := samples * int64(header[8])
	if header[12] == 0 {
		return height * (1 + (width*bits+7)/8), true
	}
	for _, p := range pngPasses {
		columns, rows := (width-p[0]+p[2]-1)/p[2], (height-p[1]+p[3]-1)/p[3]
		if columns > 0 && rows > 0 {
			size += rows * (1 + (columns*bits+7)/8)
		}
	}
	return size, true
}
