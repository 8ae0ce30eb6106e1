package portrait

import "bytes"

// Blocks of a GIF (GIF89a, appendix A).
const (
	gifExtension = 0x21
	gifImage     = 0x2c
	gifTrailer   = 0x3b
	gifPlainText = 0x01
	gifGraphics  = 0xf9
)

// gifRepeats is the start of the extension that contains the number of repetitions.
const gifRepeats = "\x21\xff\x0bNETSCAPE2.0\x03\x01"

// stripGIF keeps the images, the graphic control extension before each of them, and the number of
// repetitions.
func stripGIF(data []byte) ([]byte, bool) {
	const header = 13
	if len(data) < header {
		return nil, false
	}
	at := header + colourTable(data[10])
	if at > len(data) {
		return nil, false
	}
	out := bytes.Clone(data[:at])
	var graphics []byte // for the next image
	isRepeated := false
	for at < len(data) {
		block := data[at:]
		blocks := 2 // offset of the length of the first data block
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
		block, at = block[:end], at+end
		switch {
		case block[0] == gifImage:
			out, graphics = append(append(out, graphics...), block...), nil
		case block[1] == gifGraphics && len(block) == 8 && graphics == nil:
			graphics = block
		case block[1] == gifGraphics: // Decoders differ in the meaning of two extensions.
			return nil, false
		case block[1] == gifPlainText: // The plain text uses up the graphic control extension.
			graphics = nil
		case bytes.HasPrefix(block, []byte(gifRepeats)) && len(block) > len(gifRepeats)+2 && !isRepeated:
			out, isRepeated = append(append(out, block[:len(gifRepeats)+2]...), 0), true
		}
	}
	return nil, false
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

func colourTable(packed byte) int {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}
