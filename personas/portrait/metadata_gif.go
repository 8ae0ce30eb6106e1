package portrait

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"io"
)

// Blocks of a GIF (GIF89a, appendix A).
const (
	gifExtension   = 0x21
	gifImage       = 0x2c
	gifTrailer     = 0x3b
	gifPlainText   = 0x01
	gifGraphics    = 0xf9
	gifApplication = 0xff
)

const maxFramePixels = 16 * MaxPixels

type gifStripper struct {
	rest, out  []byte
	graphics   []byte // the graphic control extension for the next image, or nil
	isRepeated bool   // the number of repetitions was written
	pixels     int64
}

func stripGIF(data []byte) ([]byte, bool) {
	const header = 13
	if len(data) < header {
		return nil, false
	}
	start := header + colourTable(data[10])
	if start > len(data) {
		return nil, false
	}
	g := gifStripper{rest: data[start:], out: append(make([]byte, 0, len(data)), data[:start]...)}
	for len(g.rest) > 0 {
		ok := false
		switch g.rest[0] {
		case gifTrailer:
			return append(g.out, gifTrailer), true
		case gifExtension:
			ok = g.takeExtension()
		case gifImage:
			ok = g.takeImage()
		}
		if !ok {
			return nil, false
		}
	}
	return nil, false
}

// takeExtension copies two kinds of extensions. One is a graphic control extension for the next
// image. The other is the first extension that contains the number of repetitions. It drops all
// other extensions.
func (g *gifStripper) takeExtension() bool {
	const label = 2
	if len(g.rest) <= label {
		return false
	}
	end, ok := endOfBlocks(g.rest, label)
	if !ok {
		return false
	}
	block := g.rest[:end]
	g.rest = g.rest[end:]
	const repeats = "\x21\xff\x0bNETSCAPE2.0\x03\x01"
	switch {
	case block[1] == gifGraphics:
		if len(block) != 8 || block[2] != 4 {
			return false
		}
		g.graphics = block
	case block[1] == gifPlainText: // The plain text uses up the graphic control extension.
		g.graphics = nil
	case bytes.HasPrefix(block, []byte(repeats)) && len(block) >= len(repeats)+3 && !g.isRepeated:
		g.isRepeated = true
		g.out = append(append(g.out, block[:len(repeats)+2]...), 0)
	}
	return true
}

func (g *gifStripper) takeImage() bool {
	if len(g.rest) < 11 {
		return false
	}
	width, height := binary.LittleEndian.Uint16(g.rest[5:]), binary.LittleEndian.Uint16(g.rest[7:])
	start := 10 + colourTable(g.rest[9]) // start of the pixel data: the code size, then blocks
	if start >= len(g.rest) {
		return false
	}
	end, ok := endOfBlocks(g.rest, start+1)
	if !ok {
		return false
	}
	if g.pixels += int64(width) * int64(height); g.pixels > maxFramePixels {
		return false
	}
	blocks := g.rest[start+1 : end]
	size, ok := measureLZW(joinBlocks(blocks), g.rest[start], int64(width)*int64(height))
	if !ok {
		return false
	}
	g.out = append(append(g.out, g.graphics...), g.rest[:start+1]...)
	g.out = appendBlocks(g.out, blocks, size)
	g.graphics, g.rest = nil, g.rest[end:]
	return true
}

func endOfBlocks(data []byte, at int) (end int, ok bool) {
	for at < len(data) {
		size := int(data[at])
		at += 1 + size
		if size == 0 {
			return at, true
		}
	}
	return 0, false
}

func joinBlocks(blocks []byte) []byte {
	var data []byte
	for len(blocks) > 0 && blocks[0] != 0 {
		size := 1 + int(blocks[0])
		data, blocks = append(data, blocks[1:size]...), blocks[size:]
	}
	return data
}

func appendBlocks(out, blocks []byte, size int) []byte {
	for len(blocks) > 0 && size > 0 {
		n := int(blocks[0])
		kept := min(n, size)
		out = append(append(out, byte(kept)), blocks[1:1+kept]...) //nolint:gosec // at most 255
		blocks, size = blocks[1+n:], size-kept
	}
	return append(out, 0)
}

// measureLZW returns the number of bytes that encode the given number of pixels. It includes the
// end code if there is one.
func measureLZW(data []byte, width byte, pixels int64) (size int, ok bool) {
	if width < 2 || width > 8 {
		return 0, false
	}
	from := bytes.NewReader(data) // The decoder does not read ahead from an io.ByteReader.
	codes := lzw.NewReader(from, lzw.LSB, int(width))
	defer func() { _ = codes.Close() }()
	if _, err := io.CopyN(io.Discard, codes, pixels); err != nil {
		return 0, false
	}
	if n, _ := codes.Read(make([]byte, 1)); n != 0 {
		return 0, false
	}
	return len(data) - from.Len(), true
}

func colourTable(packed byte) int {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}
