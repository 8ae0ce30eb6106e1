package personas

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// EncodeJSON writes a persona as JSON in the document's order, indented by two
// spaces, ending with a line feed. Absent and empty optional members are not
// written; unknown members come last, in their order. It refuses (ErrFormat) what
// would have more than MaxFile bytes, which Parse would not read again.
func EncodeJSON(p Persona) ([]byte, error) {
	tree := treeOf(p.walkMembers)
	if tree.indentedSize(0, MaxFile) > MaxFile {
		return nil, fmt.Errorf("%w: indented as JSON, persona %.80q would have more than %d bytes, which nobody could read again", ErrFormat, p.Name, MaxFile)
	}
	var out bytes.Buffer
	err := writeTree(&out, tree)
	return out.Bytes(), err
}

// WriteJSON writes the result of EncodeJSON piece by piece, for any size: nested lists are a
// hundred times as long when they are indented.
func WriteJSON(w io.Writer, p Persona) error { return writeTree(w, treeOf(p.walkMembers)) }

func writeTree(w io.Writer, root *node) error {
	out := &indenter{w: w}
	out.writeNode(root, "\n")
	out.text = append(out.text, '\n')
	out.flush(0)
	return out.err
}

// indenter writes a tree as indented JSON, piece by piece, up to the first error.
type indenter struct {
	w    io.Writer
	text []byte
	err  error
}

// flush hands on what was gathered, if that is more than some bytes.
func (o *indenter) flush(most int) {
	if len(o.text) > most && o.err == nil {
		_, o.err = o.w.Write(o.text)
		o.text = o.text[:0]
	}
}

// writeNode writes a node; lineStart is the line break with the spaces of its level.
func (o *indenter) writeNode(n *node, lineStart string) {
	if len(n.items) == 0 {
		o.text = n.appendJSON(o.text)
		return
	}
	brackets := "[]"
	if n.kind == object {
		brackets = "{}"
	}
	o.text = append(o.text, brackets[0])
	inner := lineStart + "  "
	for i, item := range n.items {
		if o.flush(1 << 16); o.err != nil {
			return
		}
		if i > 0 {
			o.text = append(o.text, ',')
		}
		o.text = append(o.text, inner...)
		if n.kind == object {
			o.text = append(appendQuoted(o.text, n.names[i].text), ": "...)
		}
		o.writeNode(item, inner)
	}
	o.text = append(append(o.text, lineStart...), brackets[1])
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
func Validate(p *Persona) []Diagnostic {
	d := &decoder{t: newText(""), strict: true}
	root := treeOf(p.walkMembers)
	if root.countValues() > MaxValues {
		return []Diagnostic{{Message: tooManyValues}}
	}
	var again Persona
	d.readDocument(root, &again)
	return d.faults
}
