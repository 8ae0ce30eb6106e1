package personas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// EncodeJSON returns a persona as JSON in document order, indented by two spaces, with a final line
// feed. Absent and empty optional members are not written. Unknown members come last, in their
// order. It returns ErrFormat if the result would exceed MaxFile bytes, because Parse would reject
// it.
func EncodeJSON(p Persona) ([]byte, error) {
	tree := treeOf(p.walkMembers)
	if tree.indentedSize(0, MaxFile) > MaxFile {
		return nil, fmt.Errorf("%w: indented as JSON, persona %.80q would have more than %d bytes, which Parse rejects", ErrFormat, p.Name, MaxFile)
	}
	var out bytes.Buffer
	// appendJSON always produces valid JSON, so Indent cannot fail.
	_ = json.Indent(&out, tree.appendJSON(nil), "", "  ")
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func treeOf(walk func(*memberWalker)) *node {
	return (&memberWalker{}).writeRecord(nil, walk)
}

func marshalMembers(walk func(*memberWalker)) ([]byte, error) {
	return treeOf(walk).appendJSON(nil), nil
}

// unmarshalMembers decodes JSON that another program wrote. It accepts missing members, unknown
// words and null, but no values of the wrong type.
func unmarshalMembers[T any, P walkable[T]](data []byte, p P) error {
	if string(data) == "null" {
		return nil
	}
	// An escaped character takes up to six bytes.
	t, root, fault := readBoundedTree("value.json", data, textBounds{6 * MaxFile, MaxValues})
	if fault != nil {
		return fault
	}
	*p = *new(T)
	d := &decoder{t: t}
	d.readObject(root, nil, p.walkMembers)
	var errs []error
	for _, fault := range d.faults {
		errs = append(errs, fault)
	}
	return errors.Join(errs...)
}

// Unknown is a member that this version of the document does not define.
type Unknown struct {
	Path  string   // of the unknown member
	Name  string   // of the unknown member
	Known []string // the names of the members that its object may have
	Value json.RawMessage
}

// UnknownMembers returns the unknown members of the document in document order.
func UnknownMembers(p *Persona) []Unknown {
	var found []Unknown
	(&memberWalker{collect: func(u Unknown) { found = append(found, u) }}).writeRecord(nil, p.walkMembers)
	return found
}

// Validate returns the diagnostics that Parse would return for the encoded persona. They report
// unknown words, malformed keys, integers out of range, and too many values. They have paths but no
// positions.
func Validate(p *Persona) []Diagnostic {
	_, faults := readTreeDocument(treeOf(p.walkMembers))
	return faults
}

func readTreeDocument(root *node) (p Persona, faults []Diagnostic) {
	if root.countValues() > MaxValues {
		return p, []Diagnostic{{Message: tooManyValues}}
	}
	d := &decoder{t: newText(""), strict: true}
	d.readDocument(root, &p)
	return p, d.faults
}
