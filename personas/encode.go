package personas

import (
	"bytes"
	_ "embed"
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

// Some parts of the document are also sent or compared without the rest. Their types have methods
// for JSON. The JSON of such a part is the same as inside a persona, including unknown members.

// MarshalJSON writes the known members, then those in Extra.
func (p Persona) MarshalJSON() ([]byte, error) { return marshalMembers(p.walkMembers) }

// IsSame reports whether two documents have the same JSON.
func (p *Persona) IsSame(other *Persona) (bool, error) {
	a, errA := p.MarshalJSON()
	b, errB := other.MarshalJSON()
	return bytes.Equal(a, b), errors.Join(errA, errB)
}

// UnmarshalJSON accepts missing members and null. It stores unknown members in Extra.
func (p *Persona) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, p) }

// MarshalJSON writes the known members, then those in Extra.
func (x Variable) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON accepts missing members and null. It stores unknown members in Extra.
func (x *Variable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the known members, then those in Extra.
func (m Machine) MarshalJSON() ([]byte, error) { return marshalMembers(m.walkMembers) }

// UnmarshalJSON accepts missing members and null. It stores unknown members in Extra.
func (m *Machine) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, m) }

// MarshalJSON writes the known members, then those in Extra.
func (o OutputVariable) MarshalJSON() ([]byte, error) { return marshalMembers(o.walkMembers) }

// UnmarshalJSON accepts missing members and null. It stores unknown members in Extra.
func (o *OutputVariable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, o) }

// MarshalJSON writes the known members, then those in Extra.
func (i InputVariable) MarshalJSON() ([]byte, error) { return marshalMembers(i.walkMembers) }

// UnmarshalJSON accepts missing members and null. It stores unknown members in Extra.
func (i *InputVariable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, i) }

// MarshalJSON writes the known members, then those in Extra.
func (s State) MarshalJSON() ([]byte, error) { return marshalMembers(s.walkMembers) }

// UnmarshalJSON accepts missing members and null. It stores unknown members in Extra.
func (s *State) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, s) }

// MarshalJSON writes the known members, then those in Extra.
func (t Transition) MarshalJSON() ([]byte, error) { return marshalMembers(t.walkMembers) }

// UnmarshalJSON accepts missing members and null. It stores unknown members in Extra.
func (t *Transition) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, t) }

// MarshalJSON writes the known members, then those in Extra.
func (l Link) MarshalJSON() ([]byte, error) { return marshalMembers(l.walkMembers) }

// UnmarshalJSON accepts missing members and null. It stores unknown members in Extra.
func (l *Link) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, l) }

// MarshalJSON writes the known members, then those in Extra.
func (o SharedOffline) MarshalJSON() ([]byte, error) { return marshalMembers(o.walkMembers) }

// UnmarshalJSON accepts missing members and null. It stores unknown members in Extra.
func (o *SharedOffline) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, o) }

// MarshalJSON writes the known members, then those in Extra.
func (a Answer) MarshalJSON() ([]byte, error) { return marshalMembers(a.walkMembers) }

// UnmarshalJSON accepts missing members and null. It stores unknown members in Extra.
func (a *Answer) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, a) }

// MarshalJSON writes a string, or an object if the example has a reply or unknown members.
func (e Example) MarshalJSON() ([]byte, error) {
	return (&memberWalker{}).writeExample(nil, &e).appendJSON(nil), nil
}

// UnmarshalJSON accepts a string or an object. Members of the object may be missing or null.
func (e *Example) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*e = Example{}
		return json.Unmarshal(data, &e.Say)
	}
	return unmarshalMembers(data, e)
}

// SchemaID is the $id of the document's JSON Schema.
const SchemaID = "https://parley-npc.github.io/schema/persona.schema.json"

// The schema is embedded, because a test generates the file from the document's types.
//
//go:embed persona.schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) of the document. It covers the rules for single members.
// Package lint checks the rules that involve several members.
func Schema() []byte { return bytes.Clone(schema) }
