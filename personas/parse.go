package personas

import (
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxFaults     = 100
	emptyDocument = "the document is empty; a persona starts with its name, description and persona_identity_prompt"
)

func startOfText() Position { return Position{Line: 1, Column: 1, EndLine: 1, EndColumn: 1} }

// Parse parses a persona document. The text is JSON if name ends in ".json" or the text starts with
// "{", and YAML otherwise. If there are errors, the persona contains the part that could be
// decoded. The diagnostics are in source order, at most 100. Unknown members are not errors. They
// are stored in Extra. A null member is treated as absent, and an empty list is nil.
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

// readTree parses YAML or JSON. It does not limit the number of values.
func readTree(name string, src []byte) (*sourceText, *node, *Diagnostic) {
	return readBoundedTree(name, src, textBounds{MaxFile, math.MaxInt})
}

func readBoundedTree(name string, src []byte, most textBounds) (*sourceText, *node, *Diagnostic) {
	t, fault := newSourceText(src, most)
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

// isJSON reports whether a text is parsed as JSON. A text that starts with {{ or {% is a template,
// not JSON.
func isJSON(name, src string) bool {
	begin := strings.TrimLeft(src, " \t\r\n")
	return strings.HasSuffix(strings.ToLower(name), ".json") ||
		strings.HasPrefix(begin, "{") && !strings.HasPrefix(begin, "{{") && !strings.HasPrefix(begin, "{%")
}

// maxRereading is the maximum number of bytes that are parsed again to explain one mistake.
const maxRereading = 2 << 20

// explainYAML looks for a common mistake that explains a YAML syntax error. If it finds one, it
// improves the message and adds a fix. It skips texts of more than maxRereading/2 bytes.
func (t *sourceText) explainYAML(fault *Diagnostic, marks *yamlOffsets) {
	if len(t.src) > maxRereading/2 {
		return
	}
	_, syntax := readSyntax(t.src)
	read := limitReading(func(text string) int {
		at, refused := readSyntax(text)
		if refused && !syntax {
			return len(text) // The text is valid YAML up to this point.
		}
		return at
	})
	if m, ok := repairYAML(t.src, marks.failedAt, marks.from, read); ok {
		t.explainFault(fault, "not valid YAML: ", &m)
	}
}

// readSyntax returns the offset of the first YAML syntax error, or -1. refused is true if the text
// is valid YAML but not allowed in a persona file.
func readSyntax(text string) (failedAt int, refused bool) {
	m := newOffsets(newText(text))
	if _, fault := parseYAML(m.t, m); fault != nil {
		return max(m.failedAt, 0), m.isRead
	}
	return -1, false
}

func (t *sourceText) explainJSON(fault *Diagnostic, failedAt int) {
	read := limitReading(func(text string) int {
		err := json.Unmarshal([]byte(text), new(json.RawMessage))
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return max(int(syntax.Offset)-1, 0)
		}
		return -1
	})
	if m, ok := repairJSON(t.src, failedAt, read); ok {
		t.explainFault(fault, "not valid JSON: ", &m)
	}
}

func limitReading(read func(text string) int) syntaxReader {
	left := maxRereading
	return func(text string) (int, bool) {
		if left <= 0 {
			return 0, false
		}
		left -= len(text)
		return read(text), true
	}
}

func (t *sourceText) explainFault(fault *Diagnostic, begin string, m *mistake) {
	fault.Position = t.positionOf(span{m.at, max(m.until, m.at+1)})
	fault.Message = begin + m.says
	if old := t.src[m.start:m.end]; m.right != old {
		fault.Message += writeAs(m.line(t.src))
		if m.unsure {
			return
		}
		fault.Fix = &Fix{Kind: FixText, Value: m.right, Start: m.start, End: m.end, Old: old}
	}
}

// maxRepeated is the maximum number of characters of a source line in a message.
const maxRepeated = 160

func writeAs(line string) string {
	return "; write it as: " + plaintext.ClipAfter(strings.ReplaceAll(line, "\t", " "), maxRepeated, plaintext.Dots)
}
