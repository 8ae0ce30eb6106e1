package personas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// EncodeJSON writes a persona as JSON in the document's order, indented by two
// spaces, ending with a line feed. Absent and empty optional members are not
// written; unknown members come last, in their order.
func EncodeJSON(p Persona) ([]byte, error) {
	var out bytes.Buffer
	if err := json.Indent(&out, treeOf(p.walkMembers).appendJSON(nil), "", "  "); err != nil {
		return nil, fmt.Errorf("encode persona %q: %w", p.Name, err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// treeOf writes a value of the document as a tree.
func treeOf(walk func(*memberWalker)) *node {
	return (&memberWalker{}).writeRecord(nil, walk)
}

func marshalMembers(walk func(*memberWalker)) ([]byte, error) {
	return treeOf(walk).appendJSON(nil), nil
}

// unmarshalMembers reads a value liberally, as it comes from another program: missing
// members, unknown words and null are accepted, wrong types are not.
func unmarshalMembers[T any, P walkable[T]](data []byte, p P) error {
	if string(data) == "null" {
		return nil
	}
	t, root, fault := readEncodedTree(data)
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

// Unknown is a member that the document does not know.
type Unknown struct {
	Path  string   // of the member
	Name  string   // of the member
	Known []string // the names of the members that its object may have
}

// UnknownMembers lists the members that the document does not know, in the
// order of the document.
func UnknownMembers(p *Persona) []Unknown {
	var found []Unknown
	(&memberWalker{collect: func(u Unknown) { found = append(found, u) }}).writeRecord(nil, p.walkMembers)
	return found
}

// Validate complains about what Parse would complain about if it read the
// persona: words that the document does not know, keys of a bad form, integers
// out of range, too many values. The faults have paths and no places.
func Validate(p *Persona) []Fault {
	d := &decoder{t: newText(""), strict: true}
	root := treeOf(p.walkMembers)
	if root.countValues() > MaxValues {
		return []Fault{{Message: tooManyValues}}
	}
	var again Persona
	d.readDocument(root, &again)
	return d.faults
}
