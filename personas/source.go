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
}

// Error gives the fault as "line:column: message".
func (f Fault) Error() string {
	return fmt.Sprintf("%d:%d: %s", f.Pos.Line, f.Pos.Column, f.Message)
}
