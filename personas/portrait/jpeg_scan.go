package portrait

import (
	"encoding/binary"
	"math/bits"
)

type jpegFrame struct {
	isProgressive bool
	width, height int
	components    []*jpegComponent
	mostX, mostY  int // the maximum sampling factors
}

type jpegComponent struct {
	id, quantization byte
	x, y             int      // sampling factors
	perRow           int      // blocks per row, including padding
	known            []uint64 // of a progressive image, by block: a bit per coefficient that is nonzero
}

func readFrame(marker byte, body []byte) (*jpegFrame, bool) {
	if len(body) < 6 || len(body) != 6+3*int(body[5]) || body[5] == 0 || body[5] > 4 {
		return nil, false
	}
	f := &jpegFrame{
		isProgressive: marker == jpegSOF2,
		height:        int(binary.BigEndian.Uint16(body[1:])), width: int(binary.BigEndian.Uint16(body[3:])),
	}
	for rest := body[6:]; len(rest) > 0; rest = rest[3:] {
		c := &jpegComponent{id: rest[0], x: int(rest[1] >> 4), y: int(rest[1] & 15), quantization: rest[2] & 15}
		if c.x < 1 || c.x > 4 || c.y < 1 || c.y > 4 {
			return nil, false
		}
		f.components = append(f.components, c)
		f.mostX, f.mostY = max(f.mostX, c.x), max(f.mostY, c.y)
	}
	if f.width == 0 || f.height == 0 {
		return nil, false
	}
	if !f.isLarge() {
		units := ceil(f.height, 8*f.mostY)
		for _, c := range f.components {
			c.perRow = ceil(f.width, 8*f.mostX) * c.x
			c.known = make([]uint64, c.perRow*units*c.y)
		}
	}
	return f, true
}

func ceil(a, b int) int { return (a + b - 1) / b }

// isLarge reports whether the image exceeds the bounds of a portrait, so that it is never decoded.
func (f *jpegFrame) isLarge() bool {
	return f.width > MaxSide || f.height > MaxSide || f.width*f.height > MaxPixels
}

// jpegScan finds the end of a scan's entropy-coded data without decoding pixels.
type jpegScan struct {
	data       []byte
	at         int
	last, left uint // the last byte, and the number of its bits that are left
	isCut      bool // the data ends before the pixels are complete
	runs       int  // number of remaining blocks that contain only zeros

	frame               *jpegFrame
	components          []*jpegComponent
	dc, ac              []*huffman // by component
	start, end, refines int        // the coefficients that a progressive scan contains
}

func (s *jpegStripper) takeScan(body []byte) bool {
	if s.scans++; s.frame == nil || s.scans > maxScans || len(body) < 1 || len(body) != 4+2*int(body[0]) {
		return false
	}
	scan := jpegScan{data: s.rest, frame: s.frame, end: 63}
	if s.frame.isProgressive {
		tail := body[len(body)-3:]
		scan.start, scan.end, scan.refines = int(tail[0]), int(tail[1]), int(tail[2]>>4)
		if scan.end > 63 || scan.start > scan.end || scan.start == 0 && scan.end != 0 {
			return false
		}
	}
	for rest := body[1 : len(body)-3]; len(rest) > 0; rest = rest[2:] {
		if !s.addComponent(&scan, rest[0], rest[1]) {
			return false
		}
	}
	interval := 0
	if restarts := s.use(jpegDRI, 0); restarts != nil {
		interval = int(binary.BigEndian.Uint16(restarts))
	}
	codes, ok := s.rest[:endOfCodes(s.rest)], true
	if !s.frame.isLarge() {
		codes, ok = scan.trim(interval)
	}
	s.add(jpegSOS, body)
	s.parts[len(s.parts)-1].scan = codes
	s.rest = s.rest[scan.at:]
	s.rest = s.rest[endOfCodes(s.rest):]
	return ok
}

func (s *jpegStripper) addComponent(scan *jpegScan, id, tables byte) bool {
	for _, c := range s.frame.components {
		if c.id != id {
			continue
		}
		s.use(jpegDQT, c.quantization)
		var dc, ac []byte
		if scan.start == 0 {
			dc = s.use(jpegDHT, tables>>4)
		}
		if scan.end > 0 {
			ac = s.use(jpegDHT, 0x10|tables&15)
		}
		scan.components = append(scan.components, c)
		scan.dc, scan.ac = append(scan.dc, newHuffman(dc)), append(scan.ac, newHuffman(ac))
		return true
	}
	return false
}

func endOfCodes(data []byte) int {
	for at := 0; at+1 < len(data); at++ {
		next := data[at+1]
		if data[at] == 0xff && next != 0 && next != 0xff && (next < jpegRST0 || next >= jpegRST0+8) {
			return at
		}
	}
	return len(data)
}

// trim returns the entropy-coded data of the scan without trailing bytes. interval is the number of
// units between two restart markers, or 0 without restart markers.
func (s *jpegScan) trim(interval int) (codes []byte, ok bool) {
	units := s.countUnits()
	begin := 0
	for unit := range units {
		if interval > 0 && unit > 0 && unit%interval == 0 {
			codes = append(codes, s.data[begin:s.at]...)
			if !s.skipRestart() {
				return nil, false
			}
			begin = s.at - 2 // includes the marker
		}
		if !s.readUnit(unit) || s.isCut {
			return nil, false
		}
	}
	return append(codes, s.data[begin:s.at]...), true
}

func (s *jpegScan) skipRestart() bool {
	s.left, s.runs = 0, 0
	for s.at+1 < len(s.data) && (s.data[s.at] != 0xff || s.data[s.at+1] == 0 || s.data[s.at+1] == 0xff) {
		s.at++
	}
	s.at += 2
	return s.at <= len(s.data) && s.data[s.at-1] >= jpegRST0 && s.data[s.at-1] < jpegRST0+8
}

// countUnits returns the number of units in the scan. A unit is one block if the scan has one
// component, or else x by y blocks of each component.
func (s *jpegScan) countUnits() int {
	f := s.frame
	if len(s.components) != 1 {
		return ceil(f.width, 8*f.mostX) * ceil(f.height, 8*f.mostY)
	}
	across, down := s.blocksOf(s.components[0])
	return across * down
}

func (s *jpegScan) blocksOf(c *jpegComponent) (across, down int) {
	f := s.frame
	return ceil(ceil(f.width*c.x, f.mostX), 8), ceil(ceil(f.height*c.y, f.mostY), 8)
}

func (s *jpegScan) readUnit(unit int) bool {
	if len(s.components) == 1 {
		c := s.components[0]
		across, _ := s.blocksOf(c)
		return s.readBlock(0, &c.known[unit/across*c.perRow+unit%across])
	}
	perRow := ceil(s.frame.width, 8*s.frame.mostX)
	for i, c := range s.components {
		for block := range c.x * c.y {
			x, y := unit%perRow*c.x+block%c.x, unit/perRow*c.y+block/c.x
			if !s.readBlock(i, &c.known[y*c.perRow+x]) {
				return false
			}
		}
	}
	return true
}

func (s *jpegScan) readBlock(i int, known *uint64) bool {
	dc, ac := s.dc[i], s.ac[i]
	switch {
	case !s.frame.isProgressive:
		return s.skipDC(dc) && s.readAC(ac, 1, known)
	case s.start == 0 && s.refines == 0:
		return s.skipDC(dc)
	case s.start == 0:
		s.skip(1)
		return true
	case s.refines == 0:
		return s.readAC(ac, s.start, known)
	}
	return s.refineAC(ac, known)
}

func (s *jpegScan) skipDC(dc *huffman) bool {
	size, ok := s.decode(dc)
	s.skip(int(size))
	return ok && size <= 16
}

// readAC reads the coefficients after the first one: runs of zeros, each followed by a value.
func (s *jpegScan) readAC(ac *huffman, k int, known *uint64) bool {
	if s.runs > 0 {
		s.runs--
		return true
	}
	for ; k <= s.end; k++ {
		code, ok := s.decode(ac)
		run, size := int(code>>4), int(code&15)
		switch {
		case !ok:
			return false
		case size > 0:
			if k += run; k > s.end {
				return false
			}
			s.skip(size)
			*known |= 1 << k
		case run == 15:
			k += 15
		default: // The rest of this block and the following blocks of the run are zero.
			s.runs = 1<<run - 1 + int(s.read(run))
			return true
		}
	}
	return true
}

// refineAC reads one more bit of each known coefficient, and new coefficients.
func (s *jpegScan) refineAC(ac *huffman, known *uint64) bool {
	k := s.start
	for ; s.runs == 0 && k <= s.end; k++ {
		code, ok := s.decode(ac)
		run, size := int(code>>4), int(code&15)
		switch {
		case !ok || size > 1:
			return false
		case size == 0 && run < 15:
			s.runs = 1<<run + int(s.read(run))
		}
		if s.runs > 0 {
			break
		}
		s.skip(size) // the sign
		for ; k <= s.end; k++ {
			if *known&(1<<k) != 0 {
				s.skip(1)
			} else if run--; run < 0 {
				break
			}
		}
		if size > 0 && k <= s.end {
			*known |= 1 << k
		}
	}
	if s.runs > 0 {
		s.runs--
		rest := *known >> k << k & (1<<(s.end+1) - 1)
		s.skip(bits.OnesCount64(rest))
	}
	return true
}

func (s *jpegScan) skip(n int) {
	for range n {
		s.bit()
	}
}

func (s *jpegScan) read(n int) (value uint) {
	for range n {
		value = value<<1 | s.bit()
	}
	return value
}

// bit returns the next bit. It skips the zero byte that follows each byte 0xff.
func (s *jpegScan) bit() uint {
	if s.left == 0 {
		if s.at >= len(s.data) || s.data[s.at] == 0xff && (s.at+1 >= len(s.data) || s.data[s.at+1] != 0) {
			s.isCut = true
			return 0
		}
		s.last, s.left = uint(s.data[s.at]), 8
		if s.at++; s.last == 0xff {
			s.at++
		}
	}
	s.left--
	return s.last >> s.left & 1
}

type huffman struct{ counts, values []byte }

func newHuffman(table []byte) *huffman {
	if table == nil {
		return nil
	}
	return &huffman{table[1:17], table[17:]}
}

func (s *jpegScan) decode(h *huffman) (value byte, ok bool) {
	if h == nil {
		return 0, false
	}
	code, first, index := 0, 0, 0
	for _, count := range h.counts {
		code |= int(s.bit())
		if code-first < int(count) {
			return h.values[index+code-first], true
		}
		index += int(count)
		first = (first + int(count)) << 1
		code <<= 1
	}
	return 0, false
}
