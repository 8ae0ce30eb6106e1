package personas

import (
	"fmt"
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

// Position is a range in a source text. Lines and columns count from 1, columns in Unicode code
// points. EndLine and EndColumn are the position just after the last character.
type Position struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
}

// Severity is how serious a diagnostic is.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Diagnostic is a problem in a file, reported by the parser, a check, the prover or a play-through.
// The parser leaves File and Severity empty. `persona lint --format json` prints an array of
// diagnostics.
type Diagnostic struct {
	File string `json:"file"`
	Position
	// Path is the path of the value in the document ("machines[1].states[0].state_key"), or "" for
	// the document itself.
	Path     string   `json:"path"`
	Check    string   `json:"check"` // the name of the check that found it
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Fix is nil unless there is exactly one way to correct the problem.
	Fix *Fix `json:"-"`
	// From and To are the range of bytes that has the problem, in the string at Path. Both are 0 if
	// the problem concerns the whole value.
	From int `json:"-"`
	To   int `json:"-"`
	// Members holds the paths of members that YAML split off a string by mistake.
	Members []string `json:"-"`
	// Anchor identifies the diagnostic even after lines or items before it were added or removed.
	// If Anchor is "", Path and Message identify the diagnostic.
	Anchor string `json:"-"`
}

// Fix is a change of the source text that corrects one problem and leaves the rest unchanged. A
// diagnostic has a fix only if there is just one way to correct it.
type Fix struct {
	Kind  FixKind
	Path  string // the path of the value or member to change
	Value string // the new value; "" if the kind does not use it
	// Start, End and Old are used by FixText only. Start and End are a range of bytes in the text.
	// Old is the old content of that range.
	Start, End int
	Old        string
}

// FixKind is the operation that a fix performs.
type FixKind string

// The kinds of fixes, each with the function that applies it.
const (
	FixSet    FixKind = "set"    // replaces the scalar at Path with Value: SetScalar
	FixRename FixKind = "rename" // renames the member at Path to Value: RenameMember
	FixRemove FixKind = "remove" // removes the member at Path: RemoveMember
	FixWrap   FixKind = "wrap"   // replaces the scalar at Path with a list that contains it: WrapInList
	FixRetype FixKind = "retype" // replaces the scalar at Path with Value, which is JSON: Replace
	FixText   FixKind = "text"   // replaces the text from Start to End, which must be Old, with Value
)

// Error returns the diagnostic as "line:column: message".
func (d Diagnostic) Error() string {
	return fmt.Sprintf("%d:%d: %s", d.Line, d.Column, d.Message)
}
