package portrait

import (
	"bytes"
	"encoding/binary"
)

// ITU-T T.81, B.1.1.3.
const (
	jpegSOF0 = 0xc0 // baseline
	jpegSOF2 = 0xc2 // progressive
	jpegDHT  = 0xc4
	jpegRST0 = 0xd0
	jpegSOI  = 0xd8
	jpegEOI  = 0xd9
	jpegSOS  = 0xda
	jpegDQT  = 0xdb
	jpegDRI  = 0xdd
	jpegAPP0 = 0xe0
	jpegTEM  = 0x01
	jpegCOM  = 0xfe
)

func stripJPEG(data []byte) ([]byte, bool) {
	out, rest := bytes.Clone(data[:2]), data[2:]
	hasScan, seen := false, map[byte]bool{}
	for {
		offset := findMarker(rest)
		if offset+2 > len(rest) {
			return nil, false
		}
		marker := rest[offset+1]
		rest = rest[offset+2:]
		switch {
		case marker == jpegEOI:
			return append(out, 0xff, jpegEOI), hasScan
		case marker == jpegTEM || marker >= jpegRST0 && marker <= jpegSOI:
			continue // meaningful only inside scans
		case len(rest) < 2:
			return nil, false
		}
		size := int(binary.BigEndian.Uint16(rest))
		if size < 2 || size > len(rest) {
			return nil, false
		}
		body := rest[2:size]
		rest = rest[size:]
		switch {
		case marker >= jpegAPP0 && marker <= jpegAPP0+15 || marker == jpegCOM:
			body = stripApplication(marker, body)
			if body == nil || seen[marker] {
				continue
			}
			seen[marker] = marker != jpegAPP0+2 // A colour profile may have several segments.
		case marker == jpegDQT, marker == jpegDHT, marker == jpegDRI, marker == jpegSOS,
			marker >= jpegSOF0 && marker <= jpegSOF2:
		default: // rarely supported variants
			return nil, false
		}
		out = append(out, 0xff, marker)
		out = binary.BigEndian.AppendUint16(out, uint16(2+len(body))) //nolint:gosec // at most the size read above
		out = append(out, body...)
		if marker == jpegSOS {
			hasScan = true
			end := endOfCodes(rest)
			out, rest = append(out, rest[:end]...), rest[end:]
		}
	}
}

func findMarker(data []byte) int {
	for offset := 0; offset+1 < len(data); offset++ {
		if data[offset] == 0xff && data[offset+1] != 0 && data[offset+1] != 0xff {
			return offset
		}
	}
	return len(data)
}

// endOfCodes skips restart markers, because they belong to the entropy-coded data of a scan.
func endOfCodes(data []byte) int {
	for offset := 0; ; offset += 2 {
		offset += findMarker(data[offset:])
		if offset == len(data) || data[offset+1] < jpegRST0 || data[offset+1] >= jpegRST0+8 {
			return offset
		}
	}
}

func stripApplication(marker byte, body []byte) []byte {
	const adobe = 12
	switch {
	case marker == jpegAPP0 && bytes.HasPrefix(body, []byte("JFIF\x00")) && len(body) >= 14:
		return append(body[:12:12], 0, 0)
	case marker == jpegAPP0+1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
		return orientation(body[6:])
	case marker == jpegAPP0+2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")):
		return body
	case marker == jpegAPP0+14 && bytes.HasPrefix(body, []byte("Adobe")) && len(body) >= adobe:
		return body[:adobe]
	}
	return nil
}

func orientation(tiff []byte) []byte {
	var order binary.ByteOrder = binary.BigEndian
	if bytes.HasPrefix(tiff, []byte("II")) {
		order = binary.LittleEndian
	}
	if len(tiff) < 8 {
		return nil
	}
	offset := int64(order.Uint32(tiff[4:]))
	if offset+2 > int64(len(tiff)) {
		return nil
	}
	entries := tiff[offset+2:]
	for range order.Uint16(tiff[offset:]) {
		if len(entries) < 12 {
			return nil
		}
		const tag = 0x0112
		if turned := order.Uint16(entries[8:]); order.Uint16(entries) == tag && turned >= 2 && turned <= 8 {
			return append([]byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"),
				byte(turned), 0, 0, 0, 0, 0, 0)
		}
		entries = entries[12:]
	}
	return nil
}
