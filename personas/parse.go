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
