package personas

import "fmt"

// Position is a place in a source text: line and column count from 1, the
// column in Unicode code points. EndLine and EndColumn are the place just
// behind the last character.
type Position struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
}

// Severity describes how grave a diagnostic is.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Diagnostic is a problem in a file, found by the parser, a check, the prover or a play-through. The
// parser leaves File and Severity empty. As JSON it is an item of `persona lint --format json`.
type Diagnostic struct {
	File string `json:"file"`
	Position
	// Path names the place in the document ("machines[1].states[0].state_key"); "" is the document
	// itself.
	Path     string   `json:"path"`
	Check    string   `json:"check"` // the name of the check that found it
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	// Fix is nil unless there is exactly one way to put it right.
	Fix *Fix `json:"-"`
	// From and To are the bytes of the text at Path that it is about; both are 0 if it is about the
	// whole value.
	From int `json:"-"`
	To   int `json:"-"`
	// Members are the paths of the members that a part of a text has become by mistake.
	Members []string `json:"-"`
	// Anchor identifies it when lines or items before it are added or removed; if it is "", path and
	// message do.
	Anchor string `json:"-"`
}

// Fix is a change of a text that repairs one fault and leaves the rest unchanged. A fault has a fix
// only if there is just one way to repair it.
type Fix struct {
	Kind  FixKind
	Path  string // of the value or member to change
	Value string // its new value; "" if the kind needs none
	// Start, End and Old are for FixText: the range of bytes in the text, and their old content.
	Start, End int
	Old        string
}

// FixKind is what a fix does.
type FixKind string

// The kinds of fixes and the functions that apply them to a text.
const (
	FixSet    FixKind = "set"    // the scalar at Path becomes Value: SetScalar
	FixRename FixKind = "rename" // the member at Path gets the name Value: RenameMember
	FixRemove FixKind = "remove" // the member at Path goes: RemoveMember
	FixWrap   FixKind = "wrap"   // the scalar at Path becomes a list of itself: WrapInList
	FixRetype FixKind = "retype" // the scalar at Path becomes Value, which is JSON: Retype
	FixText   FixKind = "text"   // replaces the text from Start to End, which is Old, by Value
)

// Error returns the diagnostic as "line:column: message".
func (d Diagnostic) Error() string {
	return fmt.Sprintf("%d:%d: %s", d.Line, d.Column, d.Message)
}
