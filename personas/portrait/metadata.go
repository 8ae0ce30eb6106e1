package portrait

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// StripMetadata returns an image without what its pixels do not need: EXIF (where and with
// what it was taken), XMP, IPTC, comments, text chunks, thumbnails, and bytes after its end.
// The colours and the orientation of a JPEG stay. It fails if the image is none of kinds, or
// is not built as its format wants.
func StripMetadata(data []byte) ([]byte, error) {
	k := findKind(data)
	if k == nil {
		return nil, errKind
	}
	var stripped []byte
	var ok bool
	switch k.media {
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
	if len(stripped) == len(data) {
		return uri, nil
	}
	return encodeURI(stripped), nil
}

// SamePicture reports whether two images are the same but for their metadata.
func SamePicture(a, b []byte) bool {
	x, errX := StripMetadata(a)
	y, errY := StripMetadata(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

var errStructure = errors.New("its parts cannot be told from its metadata: save it again with a picture editor")

// pngChunks are the chunks that pixels need. The others hold texts, times, EXIF or the
// frames of an animation, of which only the first picture counts.
var pngChunks = []string{"IHDR", "PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "IDAT", "IEND"}

func stripPNG(data []byte) ([]byte, bool) {
	const signature, frame = 8, 12 // a chunk's length, name and checksum
	out := append(make([]byte, 0, len(data)), data[:signature]...)
	for rest := data[signature:]; len(rest) >= frame; {
		size := int64(binary.BigEndian.Uint32(rest)) + frame
		if size > int64(len(rest)) {
			return nil, false
		}
		chunk, name := rest[:size], string(rest[4:8])
		rest = rest[size:]
		for _, kept := range pngChunks {
			if name == kept {
				out = append(out, chunk...)
			}
		}
		if name == "IEND" {
			return out, true
		}
	}
	return nil, false
}

// Markers of a JPEG (ITU-T T.81, B.1.1.3).
const (
	jpegTEM  = 0x01
	jpegRST0 = 0xd0
	jpegEOI  = 0xd9
	jpegSOS  = 0xda
	jpegAPP0 = 0xe0
	jpegCOM  = 0xfe
)

func stripJPEG(data []byte) ([]byte, bool) {
	out := append(make([]byte, 0, len(data)), data[:2]...)
	for rest := data[2:]; len(rest) >= 2 && rest[0] == 0xff; {
		switch marker := rest[1]; {
		case marker == 0xff: // a fill byte
			rest = rest[1:]
		case marker == jpegEOI:
			return append(out, rest[:2]...), true
		case marker == jpegTEM || marker >= jpegRST0 && marker < jpegEOI:
			out, rest = append(out, rest[:2]...), rest[2:]
		default:
			if len(rest) < 4 {
				return nil, false
			}
			size := 2 + int(binary.BigEndian.Uint16(rest[2:]))
			if size < 4 || size > len(rest) {
				return nil, false
			}
			out = append(out, keptSegment(marker, rest[:size])...)
			rest = rest[size:]
			if marker == jpegSOS {
				end := scanEnd(rest)
				out, rest = append(out, rest[:end]...), rest[end:]
			}
		}
	}
	return nil, false
}

// scanEnd returns the length of the entropy-coded data at the start of rest.
func scanEnd(rest []byte) int {
	for i := 0; i+1 < len(rest); i++ {
		next := rest[i+1]
		if rest[i] == 0xff && next != 0 && next != 0xff && (next < jpegRST0 || next >= jpegRST0+8) {
			return i
		}
	}
	return len(rest)
}

// keptSegment returns what is kept of a segment: all of it if decoding needs it, of EXIF the
// orientation, of JFIF everything but the thumbnail, else nothing.
func keptSegment(marker byte, segment []byte) []byte {
	body := segment[4:]
	switch {
	case marker == jpegAPP0 && bytes.HasPrefix(body, []byte("JFIF\x00")) && len(body) >= 14:
		return append([]byte{0xff, jpegAPP0, 0, 16}, append(body[:12:12], 0, 0)...)
	case marker == jpegAPP0+1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
		return orientationSegment(body[6:])
	case marker == jpegAPP0+2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")),
		marker == jpegAPP0+14 && bytes.HasPrefix(body, []byte("Adobe")):
		return segment
	case marker >= jpegAPP0 && marker <= jpegAPP0+15, marker == jpegCOM:
		return nil
	}
	return segment
}

// orientationSegment returns an EXIF segment with just the orientation of a TIFF structure,
// nothing if it has none or is upright.
func orientationSegment(tiff []byte) []byte {
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(tiff, []byte("II")) {
		order = binary.LittleEndian
	}
	if len(tiff) < 8 {
		return nil
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return nil
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return nil
		}
		const orientation = 0x0112
		if turned := order.Uint16(entries[8:]); order.Uint16(entries) == orientation && turned >= 2 && turned <= 8 {
			return append([]byte("\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"),
				byte(turned), 0, 0, 0, 0, 0, 0)
		}
		entries = entries[12:]
	}
	return nil
}

// Blocks of a GIF (GIF89a, appendix A).
const (
	gifExtension   = 0x21
	gifImage       = 0x2c
	gifTrailer     = 0x3b
	gifGraphics    = 0xf9
	gifApplication = 0xff
)

func stripGIF(data []byte) ([]byte, bool) {
	const header = 13
	if len(data) < header {
		return nil, false
	}
	start := header + colourTable(data[10])
	if start > len(data) {
		return nil, false
	}
	out := append(make([]byte, 0, len(data)), data[:start]...)
	for rest := data[start:]; len(rest) > 0; {
		kept := true
		var size int
		switch rest[0] {
		case gifTrailer:
			return append(out, gifTrailer), true
		case gifExtension:
			size = 2
			kept = len(rest) > 2 && (rest[1] == gifGraphics || rest[1] == gifApplication && bytes.HasPrefix(rest[2:], []byte("\x0bNETSCAPE2.0")))
		case gifImage:
			if len(rest) < 11 {
				return nil, false
			}
			size = 11 + colourTable(rest[9])
		default:
			return nil, false
		}
		for more := true; more; {
			if size >= len(rest) {
				return nil, false
			}
			more = rest[size] != 0
			size += 1 + int(rest[size])
		}
		if size > len(rest) {
			return nil, false
		}
		if kept {
			out = append(out, rest[:size]...)
		}
		rest = rest[size:]
	}
	return nil, false
}

// colourTable returns the bytes of the colour table that a packed field announces.
func colourTable(packed byte) int {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}
