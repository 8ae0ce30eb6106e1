package personas

import (
	"math"
	"strings"
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
