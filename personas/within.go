package personas

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Within returns the position of a part of the string at path. The part is the bytes [from, to) of
// the string. The string may have any notation in the text. It returns the same as Lookup if the
// path does not lead to a string, if the range is outside the string, or if the string comes from
// an alias.
func (m SourceMap) Within(path string, from, to int) Position {
	f := m.findPath(path)
	if !f.exact || f.n == nil || f.n.kind != str || from < 0 || from >= to || to > len(f.n.text) {
		return m.positionOf(f.n)
	}
	start, end, ok := m.t.findPiece(f.n, from, to)
	if !ok {
		return m.positionOf(f.n)
	}
	return m.t.positionOf(span{start, end})
}

// findPiece finds a piece of a string in the source. It counts non-space characters, because the
// string and its source contain the same ones, apart from quotes and escapes. For the same string
// it continues from the previous result.
func (t *sourceText) findPiece(n *node, from, to int) (start, end int, ok bool) {
	t.pieces.Lock()
	defer t.pieces.Unlock()
	p := &t.pieces
	if p.n != n || from < p.at {
		p.n, p.at, p.spelling = n, 0, t.newSpelling(n)
	}
	s := p.spelling
	if s.at >= s.end || s.style == aliased {
		return 0, 0, false
	}
	for i, r := range n.text[p.at:] {
		at := p.at + i
		if at >= from {
			p.at, p.spelling = at, s
			return s.findNext(n.text[at:to])
		}
		if !unicode.IsSpace(r) {
			if _, _, met := s.nextCharacter(); !met {
				break
			}
		}
	}
	p.n = nil
	return 0, 0, false
}

func (s spelling) findNext(piece string) (start, end int, ok bool) {
	for _, r := range piece {
		if unicode.IsSpace(r) {
			continue
		}
		first, behind, met := s.nextCharacter()
		if !met {
			return 0, 0, false
		}
		if !ok {
			start, ok = first, true
		}
		end = behind
	}
	return start, end, ok
}

func (t *sourceText) newSpelling(n *node) spelling {
	s := spelling{src: t.src, at: n.at.start, end: n.at.end}
	if s.at >= s.end || s.end > len(t.src) {
		s.end = s.at
		return s
	}
	switch t.src[s.at] {
	case '"':
		s.style, s.at, s.end = double, s.at+1, s.end-1
	case '\'':
		s.style, s.at, s.end = single, s.at+1, s.end-1
	case '*':
		s.style = aliased
	case '|', '>':
		s.at = headerEnd(t.src, s.at)
	}
	return s
}

func (s *spelling) nextCharacter() (start, end int, ok bool) {
	for s.at < s.end {
		r, n := utf8.DecodeRuneInString(s.src[s.at:s.end])
		switch {
		case s.style == double && r == '\\':
			r, n = s.readEscape()
		case s.style == single && r == '\'':
			n = 2
		}
		start, s.at = s.at, s.at+n
		if !unicode.IsSpace(r) {
			return start, s.at, true
		}
	}
	return 0, 0, false
}

// readEscape decodes an escape and returns its character and its length in bytes. White space is
// returned as a space.
func (s *spelling) readEscape() (r rune, n int) {
	rest := s.src[s.at:s.end]
	if len(rest) < 2 {
		return ' ', len(rest)
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[rest[1]]
	if digits == 0 || len(rest) < 2+digits {
		if strings.IndexByte("nrtvfNLP_ \t\r\n", rest[1]) >= 0 {
			return ' ', 2
		}
		return rune(rest[1]), 2
	}
	r = readHex(rest[2 : 2+digits])
	if utf16.IsSurrogate(r) && strings.HasPrefix(rest[6:], `\u`) && len(rest) >= 12 {
		if pair := utf16.DecodeRune(r, readHex(rest[8:12])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 2 + digits
}

func readHex(digits string) rune {
	var r rune
	for i := range len(digits) {
		value := strings.IndexByte("0123456789abcdef", digits[i]|0x20)
		r = r<<4 | rune(max(value, 0)) //nolint:gosec // at most 15
	}
	return r
}
