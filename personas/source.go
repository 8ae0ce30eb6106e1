package personas

import "fmt"

// Position is a place in a source text: line and column count from 1, the
// column in Unicode code points. EndLine and EndColumn are the place just
// behind the last character.
type Position struct {
	Line, Column       int
	EndLine, EndColumn int
}

// Fault is one thing that keeps a document from being read as a persona.
// Path names the place in the document ("machines[1].states[0].state_key"; ""
// is the document itself), Pos the place in the source text.
type Fault struct {
	Path    string
	Pos     Position
	Message string
	Fix     *Fix // the repair, if there is only one
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

// Error returns the fault as "line:column: message".
func (f Fault) Error() string {
	return fmt.Sprintf("%d:%d: %s", f.Pos.Line, f.Pos.Column, f.Message)
}
