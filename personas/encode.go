package personas

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
)

// EncodeJSON returns a persona as indented JSON in document order, with a final newline. Empty
// optional members are omitted, and unknown members come last. A result above MaxFile bytes is
// ErrFormat, because Parse would reject the file.
func EncodeJSON(p Persona) ([]byte, error) {
	tree := treeOf(p.walkMembers)
	if tree.indentedSize(0, MaxFile) > MaxFile {
		return nil, fmt.Errorf("%w: indented as JSON, persona %.80q would have more than %d bytes, which Parse rejects",
			ErrFormat, p.Name, MaxFile)
	}
	var out bytes.Buffer
	// appendJSON always returns valid JSON.
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

// unmarshalMembers accepts missing members, unknown words and null, because another program may
// have written the JSON.
func unmarshalMembers[T any, P walkable[T]](data []byte, p P) error {
	if string(data) == "null" {
		return nil
	}
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

// Unknown is a member that this version does not know.
type Unknown struct {
	Path  string
	Name  string
	Known []string // names of the known members of the same object
	Value json.RawMessage
}

// UnknownMembers returns the unknown members in document order.
func UnknownMembers(p *Persona) []Unknown {
	var found []Unknown
	collector := &memberWalker{collect: func(u Unknown) { found = append(found, u) }}
	collector.writeRecord(nil, p.walkMembers)
	return found
}

// Validate returns the diagnostics that Parse would return for the encoded persona. Examples are
// unknown words, malformed keys and integers out of range. The diagnostics have paths but no
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

// MarshalJSON writes the known members, then Extra. The same is true for all types below.
func (p Persona) MarshalJSON() ([]byte, error) { return marshalMembers(p.walkMembers) }

// IsSame reports whether two documents have the same JSON.
func (p *Persona) IsSame(other *Persona) (bool, error) {
	a, errA := p.MarshalJSON()
	b, errB := other.MarshalJSON()
	return bytes.Equal(a, b), errors.Join(errA, errB)
}

// UnmarshalJSON accepts missing members and null. Unknown members go to Extra. The same is true for
// all types below.
func (p *Persona) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, p) }

func (x Variable) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

func (x *Variable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

func (m Machine) MarshalJSON() ([]byte, error) { return marshalMembers(m.walkMembers) }

func (m *Machine) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, m) }

func (o OutputVariable) MarshalJSON() ([]byte, error) { return marshalMembers(o.walkMembers) }

func (o *OutputVariable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, o) }

func (i InputVariable) MarshalJSON() ([]byte, error) { return marshalMembers(i.walkMembers) }

func (i *InputVariable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, i) }

func (s State) MarshalJSON() ([]byte, error) { return marshalMembers(s.walkMembers) }

func (s *State) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, s) }

func (t Transition) MarshalJSON() ([]byte, error) { return marshalMembers(t.walkMembers) }

func (t *Transition) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, t) }

func (l Link) MarshalJSON() ([]byte, error) { return marshalMembers(l.walkMembers) }

func (l *Link) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, l) }

func (o SharedOffline) MarshalJSON() ([]byte, error) { return marshalMembers(o.walkMembers) }

func (o *SharedOffline) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, o) }

func (a Answer) MarshalJSON() ([]byte, error) { return marshalMembers(a.walkMembers) }

func (a *Answer) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, a) }

// MarshalJSON writes a string, or an object for an example with a reply or unknown members.
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

// SchemaID is the $id of the JSON Schema.
const SchemaID = "https://parley-npc.github.io/schema/persona.schema.json"

// A test generates the file from the types of the document.
//
//go:embed persona.schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) of the document. Package lint checks rules across
// several members.
func Schema() []byte { return bytes.Clone(schema) }
