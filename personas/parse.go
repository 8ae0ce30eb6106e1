package personas

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

const (
	maxFaults     = 100
	emptyDocument = "the document is empty; a persona begins with its name, description and persona_identity_prompt"
)

// startOfText is the place of a fault that concerns the text as a whole.
func startOfText() Position { return Position{Line: 1, Column: 1, EndLine: 1, EndColumn: 1} }

// Parse reads a persona document. The text is JSON when name ends in ".json"
// or the text begins with "{", and YAML otherwise. With faults, the persona is
// what could be read; faults are in the order of the text, at most 100.
// Members that the document does not know are no faults and stand in Extra.
// Members that are null are absent, and an empty list is nil.
func Parse(name string, src []byte) (Persona, SourceMap, []Fault) {
	var p Persona
	t, root, fault := readPersonaTree(name, src)
	if fault != nil {
		return p, SourceMap{t, root}, []Fault{*fault}
	}
	d := &decoder{t: t, strict: true}
	d.readDocument(root, &p)
	slices.SortStableFunc(d.faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return p, SourceMap{t, root}, d.faults
}

// textBounds is how many bytes and values a text may have.
type textBounds struct{ bytes, values int }

// readPersonaTree reads the tree of a persona, which has at most MaxValues.
func readPersonaTree(name string, src []byte) (*sourceText, *node, *Fault) {
	return readBoundedTree(name, src, textBounds{MaxFile, MaxValues})
}

// readEncodedTree reads the tree of what a program wrote of a persona, with up to six
// bytes for a character that has one.
func readEncodedTree(src []byte) (*sourceText, *node, *Fault) {
	return readBoundedTree("value.json", src, textBounds{6 * MaxFile, MaxValues})
}

// readTree reads the tree of a text, YAML or JSON. Only its weight is bounded.
func readTree(name string, src []byte) (*sourceText, *node, *Fault) {
	return readBoundedTree(name, src, textBounds{MaxFile, math.MaxInt})
}

func readBoundedTree(name string, src []byte, most textBounds) (*sourceText, *node, *Fault) {
	t, fault := newSourceText(src, most)
	if fault != nil {
		return t, nil, fault
	}
	read := readYAML
	switch {
	case strings.TrimSpace(t.src) == "":
		return t, nil, &Fault{Pos: startOfText(), Message: emptyDocument}
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
		fault = &Fault{Pos: startOfText(), Message: emptyDocument}
	}
	return t, root, fault
}

func isJSON(name, src string) bool {
	return strings.HasSuffix(strings.ToLower(name), ".json") ||
		strings.HasPrefix(strings.TrimLeft(src, " \t\r\n"), "{")
}
