package personas

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxFaults     = 100
	emptyDocument = "the document is empty; a persona begins with its name, description and persona_identity_prompt"
)

// startOfText is the place of a fault that concerns the text as a whole.
func startOfText() Position { return Position{Line: 1, Column: 1, EndLine: 1, EndColumn: 1} }

// Parse reads a persona document. The text is JSON if name ends in ".json" or the text begins with
// "{", and YAML otherwise. If there are faults, the persona contains the readable part; faults are
// in the order of the text, at most 100. Unknown members are not faults: they are kept in Extra. A
// null member counts as absent, and an empty list is nil.
func Parse(name string, src []byte) (Persona, SourceMap, []Diagnostic) {
	var p Persona
	t, root, fault := readPersonaTree(name, src)
	if fault != nil {
		return p, SourceMap{t, root}, t.listMistakes(fault, func(text string) (*sourceText, *Diagnostic, []Diagnostic) {
			return readRepaired(name, text, t)
		})
	}
	d := &decoder{t: t, strict: true}
	d.readDocument(root, &p)
	sortFaults(d.faults)
	return p, SourceMap{t, root}, d.faults
}

// readRepaired reads a text after repairs and returns the fault that makes it unreadable, or the
// faults in it. It leaves out missing members, because they may exist in another place that the
// writer meant.
func readRepaired(name, text string, from *sourceText) (*sourceText, *Diagnostic, []Diagnostic) {
	t, root, fault := readBoundedTree(name, []byte(text), textBounds{MaxFile, from.maxValues, from.isPersona})
	from.reread += t.reread
	if fault != nil {
		return t, fault, nil
	}
	d := &decoder{t: t, strict: true}
	if from.isPersona {
		d.readDocument(root, &Persona{})
	} else {
		d.checkUniqueWithin(root, nil)
	}
	return t, nil, d.withoutMissing(SourceMap{t, root})
}

// withoutMissing returns the faults without those about missing members.
func (d *decoder) withoutMissing(places SourceMap) []Diagnostic {
	return slices.DeleteFunc(d.faults, func(f Diagnostic) bool { return !places.Has(f.Path) })
}

// textBounds are the maximum numbers of bytes and values of a text, and whether it must be a
// persona.
type textBounds struct {
	bytes, values int
	isPersona     bool
}

// readPersonaTree reads the tree of a persona, which has at most MaxValues.
func readPersonaTree(name string, src []byte) (*sourceText, *node, *Diagnostic) {
	return readBoundedTree(name, src, textBounds{MaxFile, MaxValues, true})
}

// readEncodedTree reads the tree of a persona encoded by a program, with up to six bytes for a
// single-byte character.
func readEncodedTree(src []byte) (*sourceText, *node, *Diagnostic) {
	return readBoundedTree("value.json", src, textBounds{6 * MaxFile, MaxValues, false})
}

// readTree reads the tree of a text, YAML or JSON. Only its weight is bounded.
func readTree(name string, src []byte) (*sourceText, *node, *Diagnostic) {
	return readBoundedTree(name, src, textBounds{MaxFile, math.MaxInt, false})
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

// isJSON reports whether a text is read as JSON: because of the extension of its name, or because
// it begins like an object. A text that begins with {{ or {% is a template.
func isJSON(name, src string) bool {
	begin := strings.TrimLeft(src, " \t\r\n")
	return strings.HasSuffix(strings.ToLower(name), ".json") ||
		strings.HasPrefix(begin, "{") && !strings.HasPrefix(begin, "{{") && !strings.HasPrefix(begin, "{%")
}

// maxRereading is the maximum number of bytes that are read again to find a writer's mistake.
const maxRereading = 2 << 20

// explainYAML replaces the message of a fault, and adds a fix, if it comes from a common mistake. It
// skips texts of more than maxRereading/2 bytes.
func (t *sourceText) explainYAML(fault *Diagnostic, marks *yamlOffsets) {
	if len(t.src) > maxRereading/2 {
		return
	}
	_, syntax := readSyntax(t.src)
	read := t.limitReading(func(text string) int {
		at, refused := readSyntax(text)
		if refused && !syntax {
			return len(text) // It is YAML as far as it goes.
		}
		return at
	})
	if m, ok := repairYAML(t.src, marks.failedAt, marks.from, read); ok {
		t.explainFault(fault, "not valid YAML: ", &m)
	}
}

// readSyntax returns the place at which a YAML text cannot be read, or -1, and reports whether the
// text is YAML, but none that a persona file may be.
func readSyntax(text string) (failedAt int, refused bool) {
	m := newOffsets(newText(text))
	if _, fault := parseYAML(m.t, m); fault != nil {
		return max(m.failedAt, 0), m.isRead
	}
	return -1, false
}

// explainJSON is explainYAML for JSON.
func (t *sourceText) explainJSON(fault *Diagnostic, failedAt int) {
	read := t.limitReading(func(text string) int {
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

// limitReading limits the number of bytes read for one mistake, and for all of a text.
func (t *sourceText) limitReading(read func(text string) int) syntaxReader {
	left := maxRereading
	return func(text string) (int, bool) {
		if left <= 0 || t.reread > mostRepaired {
			return 0, false
		}
		left -= len(text)
		t.reread += len(text)
		return read(text), true
	}
}

// explainFault writes a mistake into a fault. A line with something like a key in it is
// not repeated.
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

// mostRepeated is the maximum number of characters of a line that a message repeats.
const mostRepeated = 160

// writeAs returns the end of a message that shows the corrected line.
func writeAs(line string) string {
	return "; write it as: " + plaintext.ClipAfter(strings.ReplaceAll(line, "\t", " "), mostRepeated, plaintext.Dots)
}
