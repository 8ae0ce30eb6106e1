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

const (
	maxFaults     = 100
	emptyDocument = "the document is empty; a persona starts with its name, description and persona_identity_prompt"
)

func startOfText() Position { return Position{Line: 1, Column: 1, EndLine: 1, EndColumn: 1} }

// Parse parses a persona document. The text is JSON if name ends in ".json" or the text starts with
// "{", and YAML otherwise. Diagnostics are in source order, at most 100. After errors, the persona
// contains the decoded part. Unknown members are stored in Extra and are not errors. Null counts as
// absent.
func Parse(name string, src []byte) (Persona, SourceMap, []Diagnostic) {
	var p Persona
	t, root, fault := readPersonaTree(name, src)
	if fault != nil {
		return p, SourceMap{t, root}, []Diagnostic{*fault}
	}
	d := &decoder{t: t, strict: true}
	d.readDocument(root, &p)
	sortFaults(d.faults)
	return p, SourceMap{t, root}, d.faults
}

type textBounds struct {
	bytes, values int
}

func readPersonaTree(name string, src []byte) (*sourceText, *node, *Diagnostic) {
	return readBoundedTree(name, src, textBounds{MaxFile, MaxValues})
}

func readTree(name string, src []byte) (*sourceText, *node, *Diagnostic) {
	return readBoundedTree(name, src, textBounds{MaxFile, math.MaxInt})
}

func readBoundedTree(name string, src []byte, limits textBounds) (*sourceText, *node, *Diagnostic) {
	t, fault := newSourceText(src, limits)
	if fault != nil {
		return t, nil, fault
	}
	read := readYAML
	switch {
	case strings.TrimSpace(t.src) == "":
		return t, nil, &Diagnostic{Position: startOfText(), Message: emptyDocument}
	case isJSON(name, t.src):
		read = readJSON
	}
	root, fault := read(t)
	if fault != nil {
		if conflict := findConflict(t); conflict != nil {
			return t, nil, conflict
		}
	}
	if fault == nil && (root == nil || root.kind == null) {
		fault = &Diagnostic{Position: startOfText(), Message: emptyDocument}
	}
	return t, root, fault
}

// isJSON returns false for a template, a text that starts with {{ or {%.
func isJSON(name, src string) bool {
	begin := strings.TrimLeft(src, " \t\r\n")
	return strings.HasSuffix(strings.ToLower(name), ".json") ||
		strings.HasPrefix(begin, "{") && !strings.HasPrefix(begin, "{{") && !strings.HasPrefix(begin, "{%")
}

// Position is a range in a source text. Lines and columns count from 1, columns in code points.
// EndLine and EndColumn are exclusive.
type Position struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
}

// Severity is the severity of a diagnostic.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Diagnostic is a problem found by the parser, a check, the prover or a play-through. The parser
// leaves File and Severity empty.
type Diagnostic struct {
	File string `json:"file"`
	Position
	// Path is a document path such as "machines[1].states[0].state_key". The document itself has
	// the path "".
	Path     string   `json:"path"`
	Check    string   `json:"check"` // name of the check
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Fix is nil unless exactly one correction is possible.
	Fix *Fix `json:"-"`
	// From and To are a byte range in the string at Path. Both are 0 for the whole value.
	From int `json:"-"`
	To   int `json:"-"`
	// Members contains the paths of members that YAML split off a string.
	Members []string `json:"-"`
	// Anchor identifies the diagnostic even after edits elsewhere in the file. Without Anchor, Path
	// and Message identify the diagnostic.
	Anchor string `json:"-"`
}

// Fix is a change of the source text that corrects one problem.
type Fix struct {
	Kind  FixKind
	Path  string // path of the value or member
	Value string // new value, or "" if unused
	// Start, End and Old are for FixText. Old is the content of the bytes [Start, End).
	Start, End int
	Old        string
}

// FixKind is the operation of a fix.
type FixKind string

// The kinds of fixes.
const (
	FixSet    FixKind = "set"    // replaces the scalar at Path with Value (SetScalar)
	FixRename FixKind = "rename" // renames the member at Path to Value (RenameMember)
	FixRemove FixKind = "remove" // removes the member at Path (RemoveMember)
	FixWrap   FixKind = "wrap"   // wraps the scalar at Path in a list (WrapInList)
	FixRetype FixKind = "retype" // replaces the scalar at Path with the JSON in Value (Replace)
	FixText   FixKind = "text"   // replaces Old between Start and End with Value
)

// Error returns the diagnostic as "line:column: message".
func (d Diagnostic) Error() string {
	return fmt.Sprintf("%d:%d: %s", d.Line, d.Column, d.Message)
}

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
	for offset := 0; ; {
		i := find(src[offset:])
		if i < 0 {
			return t
		}
		offset += i + lineBreak(src[offset+i:])
		t.lines = append(t.lines, offset)
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

func lineEnd(src string, offset int) int {
	if i := strings.IndexAny(src[min(offset, len(src)):], "\r\n"); i >= 0 {
		return offset + i
	}
	return len(src)
}

func sortFaults(faults []Diagnostic) {
	slices.SortStableFunc(faults, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
