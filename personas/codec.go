package personas

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
)

// The types of the document marshal to and from JSON in the same form that Parse reads and
// EncodeJSON writes, including unknown members.

// MarshalJSON writes the document's members, then the unknown ones.
func (p Persona) MarshalJSON() ([]byte, error) { return marshalMembers(p.walkMembers) }

// IsSame reports whether two documents have the same JSON.
func (p *Persona) IsSame(other *Persona) (bool, error) {
	a, errA := p.MarshalJSON()
	b, errB := other.MarshalJSON()
	return bytes.Equal(a, b), errors.Join(errA, errB)
}

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (p *Persona) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, p) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x Variable) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Variable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (m Machine) MarshalJSON() ([]byte, error) { return marshalMembers(m.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (m *Machine) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, m) }

// MarshalJSON writes the document's members, then the unknown ones.
func (o OutputVariable) MarshalJSON() ([]byte, error) { return marshalMembers(o.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (o *OutputVariable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, o) }

// MarshalJSON writes the document's members, then the unknown ones.
func (i InputVariable) MarshalJSON() ([]byte, error) { return marshalMembers(i.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (i *InputVariable) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, i) }

// MarshalJSON writes the document's members, then the unknown ones.
func (s State) MarshalJSON() ([]byte, error) { return marshalMembers(s.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (s *State) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, s) }

// MarshalJSON writes the document's members, then the unknown ones.
func (c Criteria) MarshalJSON() ([]byte, error) { return marshalMembers(c.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (c *Criteria) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, c) }

// MarshalJSON writes the document's members, then the unknown ones.
func (o Offline) MarshalJSON() ([]byte, error) { return marshalMembers(o.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (o *Offline) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, o) }

// MarshalJSON writes the document's members, then the unknown ones.
func (x Examples) MarshalJSON() ([]byte, error) { return marshalMembers(x.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (x *Examples) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, x) }

// MarshalJSON writes the document's members, then the unknown ones.
func (l Lines) MarshalJSON() ([]byte, error) { return marshalMembers(l.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (l *Lines) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, l) }

// MarshalJSON writes the document's members, then the unknown ones.
func (t Transition) MarshalJSON() ([]byte, error) { return marshalMembers(t.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (t *Transition) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, t) }

// MarshalJSON writes the document's members, then the unknown ones.
func (t TransitionOffline) MarshalJSON() ([]byte, error) { return marshalMembers(t.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (t *TransitionOffline) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, t) }

// MarshalJSON writes the document's members, then the unknown ones.
func (l Link) MarshalJSON() ([]byte, error) { return marshalMembers(l.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (l *Link) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, l) }

// MarshalJSON writes the document's members, then the unknown ones.
func (o SharedOffline) MarshalJSON() ([]byte, error) { return marshalMembers(o.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (o *SharedOffline) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, o) }

// MarshalJSON writes the document's members, then the unknown ones.
func (a Answer) MarshalJSON() ([]byte, error) { return marshalMembers(a.walkMembers) }

// UnmarshalJSON reads liberally; members that are not known become Extra.
func (a *Answer) UnmarshalJSON(data []byte) error { return unmarshalMembers(data, a) }

// MarshalJSON writes a plain text, or an object if the example has a reply or unknown members.
func (e Example) MarshalJSON() ([]byte, error) {
	return (&memberWalker{}).writeExample(nil, &e).appendJSON(nil), nil
}

// UnmarshalJSON reads a text, or liberally an object.
func (e *Example) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*e = Example{}
		return json.Unmarshal(data, &e.Say)
	}
	return unmarshalMembers(data, e)
}

// SchemaID is the $id of the document's JSON Schema.
const SchemaID = "https://parley-npc.github.io/schema/persona.schema.json"

// The schema is generated from the types of the document by the test of this
// file, so that a program pays nothing for it.
//
//go:embed persona.schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) of the document. It covers the rules for single members;
// the linter checks the rest.
func Schema() []byte { return bytes.Clone(schema) }
