package personas

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxFile is the maximum size of a document in bytes.
const MaxFile = 8 << 20

type span struct{ start, end int }

type sourceText struct {
	src   string
	lines []int // offsets of all line starts

	maxValues int

	blocksOnce sync.Once
	blocks     []int32 // code points before each block of columnBlock bytes
}

// columnBlock is the size of a block in bytes. Without blocks, the columns of many diagnostics on
// one long line would take quadratic time.
const columnBlock = 1 << 10

func newText(src string) *sourceText {
	lines := make([]int, 1, strings.Count(src, "\n")+1)
	t := &sourceText{src: src, maxValues: math.MaxInt, lines: lines}
	find := func(s string) int { return strings.IndexByte(s, '\n') }
	if strings.Contains(src, "\r") {
		find = func(s string) int { return strings.IndexAny(s, "\r\n") }
	}
	for at := 0; ; {
		i := find(src[at:])
		if i < 0 {
			return t
		}
		at += i + lineBreak(src[at+i:])
		t.lines = append(t.lines, at)
	}
}

func lineBreak(s string) int {
	switch s[0] {
	case '\n':
		return 1
	case '\r':
		return 1 + strings.Count(s[1:min(2, len(s))], "\n")
	}
	return 0
}

func (t *sourceText) positionOf(s span) Position {
	var p Position
	p.Line, p.Column = t.lineAndColumn(s.start)
	p.EndLine, p.EndColumn = t.lineAndColumn(max(s.start, s.end))
	return p
}

func (t *sourceText) lineAndColumn(offset int) (line, column int) {
	offset = min(max(offset, 0), len(t.src))
	line, _ = slices.BinarySearch(t.lines, offset+1)
	return line, t.countCharacters(t.lines[line-1], offset) + 1
}

func (t *sourceText) countCharacters(start, end int) int {
	if end-start <= 2*columnBlock {
		return utf8.RuneCountInString(t.src[start:end])
	}
	t.blocksOnce.Do(t.countBlocks)
	return t.countBefore(end) - t.countBefore(start)
}

func (t *sourceText) countBefore(offset int) int {
	block := offset / columnBlock
	return int(t.blocks[block]) + countStarts(t.src[block*columnBlock:offset])
}

func (t *sourceText) countBlocks() {
	t.blocks = make([]int32, len(t.src)/columnBlock+1)
	for i := 1; i < len(t.blocks); i++ {
		count := countStarts(t.src[(i-1)*columnBlock : i*columnBlock])
		t.blocks[i] = t.blocks[i-1] + int32(count) //nolint:gosec // no more than MaxFile
	}
}

func countStarts(s string) (n int) {
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			n++
		}
	}
	return n
}

func newSourceText(src []byte, limits textBounds) (*sourceText, *Diagnostic) {
	begin := string(src[:min(2, len(src))])
	switch {
	case len(src) > limits.bytes:
		return newText(""), &Diagnostic{Position: startOfText(), Message: fmt.Sprintf(
			"the document has %d bytes; at most %d are allowed, split it or shorten its prompts", len(src), limits.bytes)}
	case begin == "\xff\xfe", begin == "\xfe\xff":
		return newText(""), &Diagnostic{Position: startOfText(), Message: "the document is UTF-16; save it as UTF-8"}
	}
	t := newText(strings.TrimPrefix(string(src), byteOrderMark))
	t.maxValues = limits.values
	if i := findBadByte(t.src); i >= 0 {
		return t, &Diagnostic{Position: t.positionOf(span{i, i}), Message: describeBadByte(t.src[i:])}
	}
	return t, nil
}

const byteOrderMark = "\ufeff"

func findBadByte(s string) int {
	for i := 0; i < len(s); {
		isPrintable := ' ' <= s[i] && s[i] < utf8.RuneSelf
		if isPrintable || strings.IndexByte("\n\t\r", s[i]) >= 0 {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		isInvalid := r == utf8.RuneError && size == 1
		if isInvalid || r < ' ' || r == '\uffff' || r == '\ufffe' {
			return i
		}
		i += size
	}
	return -1
}

func describeBadByte(s string) string {
	switch r, n := utf8.DecodeRuneInString(s); {
	case r == utf8.RuneError && n == 1:
		return fmt.Sprintf("byte 0x%02X is not valid UTF-8; is this a text file? save it as UTF-8", s[0])
	case r == 0:
		return "the document has a NUL byte; is this a text file?"
	default:
		return fmt.Sprintf("the document has the control character U+%04X; remove it, or write it as \"\\u%04x\"", r, r)
	}
}

const (
	mineMark   = "<<<<<<< "
	middleMark = "======="
	theirsMark = ">>>>>>> "
)

func lineEnd(src string, at int) int {
	if i := strings.IndexAny(src[min(at, len(src)):], "\r\n"); i >= 0 {
		return at + i
	}
	return len(src)
}

func sortFaults(faults []Diagnostic) {
	slices.SortStableFunc(faults, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
