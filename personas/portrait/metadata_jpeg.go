package portrait

import (
	"bytes"
	"encoding/binary"
)

// Markers of a JPEG (ITU-T T.81, B.1.1.3).
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

type jpegPart struct {
	marker  byte
	segment []byte
	tables  []*jpegTable // for a segment that contains only tables
	scan    []byte
}

type jpegTable struct {
	data   []byte // includes the table's number
	isUsed bool
}

type jpegStripper struct {
	rest    []byte
	parts   []jpegPart
	tables  map[[2]byte]*jpegTable // the current tables, by marker and number
	seen    map[byte]bool          // segment types that may occur only once
	profile []byte                 // the joined pieces of the colour profile
	pieces  []byte                 // the declared number of each piece
	ofAll   []byte                 // the declared total of pieces, for each piece
	frame   *jpegFrame
	scans   int
}

func stripJPEG(data []byte) ([]byte, bool) {
	s := jpegStripper{rest: data[2:], tables: map[[2]byte]*jpegTable{}, seen: map[byte]bool{}}
	for {
		marker, ok := s.nextMarker()
		if !ok {
			return nil, false
		}
		if marker == jpegEOI {
			break
		}
		if marker == jpegTEM || marker >= jpegRST0 && marker <= jpegSOI {
			continue // These markers are meaningful only inside scans.
		}
		if len(s.rest) < 2 {
			return nil, false
		}
		size := int(binary.BigEndian.Uint16(s.rest))
		if size < 2 || size > len(s.rest) {
			return nil, false
		}
		body := s.rest[2:size]
		s.rest = s.rest[size:]
		if !s.takeSegment(marker, body) {
			return nil, false
		}
	}
	if s.scans == 0 {
		return nil, false
	}
	for _, c := range s.frame.components { // A progressive image is assembled at the end.
		s.use(jpegDQT, c.quantization)
	}
	return s.write(data[:2]), true
}

func (s *jpegStripper) nextMarker() (marker byte, ok bool) {
	for at := 0; at+1 < len(s.rest); at++ {
		if marker = s.rest[at+1]; s.rest[at] == 0xff && marker != 0 && marker != 0xff {
			s.rest = s.rest[at+2:]
			return marker, true
		}
	}
	return 0, false
}

func (s *jpegStripper) takeSegment(marker byte, body []byte) bool {
	switch {
	case marker == jpegCOM:
	case marker >= jpegAPP0 && marker <= jpegAPP0+15:
		s.takeApplication(marker, body)
	case marker == jpegDQT || marker == jpegDHT || marker == jpegDRI:
		return s.takeTables(marker, body)
	case marker >= jpegSOF0 && marker <= jpegSOF2:
		frame, ok := readFrame(marker, body)
		if !ok || s.frame != nil {
			return false
		}
		s.frame = frame
		s.add(marker, body)
	case marker == jpegSOS:
		return s.takeScan(body)
	default: // a variant of JPEG that hardly any program supports
		return false
	}
	return true
}

func (s *jpegStripper) add(marker byte, body []byte) {
	s.parts = append(s.parts, makePart(marker, body))
}

func makePart(marker byte, body []byte) jpegPart {
	segment := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(2+len(body))) //nolint:gosec // no longer than one that was read
	return jpegPart{marker: marker, segment: append(segment, body...)}
}

// takeApplication keeps JFIF without the thumbnail, the orientation from EXIF, the colour profile,
// and the colour transform.
func (s *jpegStripper) takeApplication(marker byte, body []byte) {
	const adobe, piece = 12, 14
	switch {
	case marker == jpegAPP0+2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")) && len(body) > piece:
		s.profile = append(s.profile, body[piece:]...)
		s.pieces, s.ofAll = append(s.pieces, body[piece-2]), append(s.ofAll, body[piece-1])
		s.add(marker, body)
	case s.seen[marker]:
		return
	case marker == jpegAPP0 && bytes.HasPrefix(body, []byte("JFIF\x00")) && len(body) >= 14:
		s.add(marker, append(body[:12:12], 0, 0))
	case marker == jpegAPP0+1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
		turned := orientation(body[6:])
		if turned == nil {
			return
		}
		s.add(marker, turned)
	case marker == jpegAPP0+14 && bytes.HasPrefix(body, []byte("Adobe")) && len(body) >= adobe:
		s.add(marker, body[:adobe])
	default:
		return
	}
	s.seen[marker] = true
}

// takeTables keeps the tables of a segment. The method write drops tables that no scan used.
func (s *jpegStripper) takeTables(marker byte, body []byte) bool {
	part := jpegPart{marker: marker}
	for len(body) > 0 {
		size, number := 17, body[0]
		switch marker {
		case jpegDQT:
			size, number = 1+64*(1+int(body[0]>>4&1)), body[0]&15
		case jpegDHT:
			for _, count := range body[1:min(size, len(body))] {
				size += int(count)
			}
		default:
			size, number = 2, 0
		}
		if size > len(body) {
			return false
		}
		table := &jpegTable{data: body[:size]}
		part.tables = append(part.tables, table)
		s.tables[[2]byte{marker, number}] = table
		body = body[size:]
	}
	s.parts = append(s.parts, part)
	return true
}

func (s *jpegStripper) use(marker, number byte) []byte {
	table := s.tables[[2]byte{marker, number}]
	if table == nil {
		return nil
	}
	table.isUsed = true
	return table.data
}

func (s *jpegStripper) write(begin []byte) []byte {
	out := bytes.Clone(begin)
	hasProfile := s.isProfileWhole()
	for _, p := range s.parts {
		if p.marker == jpegAPP0+2 && !hasProfile {
			continue
		}
		if p.tables != nil {
			var body []byte
			for _, t := range p.tables {
				if t.isUsed {
					body = append(body, t.data...)
				}
			}
			if body == nil {
				continue
			}
			p = makePart(p.marker, body)
		}
		out = append(append(out, p.segment...), p.scan...)
	}
	return append(out, 0xff, jpegEOI)
}

func (s *jpegStripper) isProfileWhole() bool {
	for i := range s.pieces {
		if int(s.pieces[i]) != i+1 || int(s.ofAll[i]) != len(s.pieces) {
			return false
		}
	}
	return isProfile(s.profile)
}

// orientation returns an EXIF segment that contains the orientation in tiff and nothing else, or
// nil if the image is upright.
func orientation(tiff []byte) []byte {
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
		const tag = 0x0112
		if turned := order.Uint16(entries[8:]); order.Uint16(entries) == tag && turned >= 2 && turned <= 8 {
			return append([]byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"),
				byte(turned), 0, 0, 0, 0, 0, 0)
		}
		entries = entries[12:]
	}
	return nil
}
