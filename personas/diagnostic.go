package personas

import "fmt"

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
