package personas

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
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
	var unknown []Unknown
	collector := &memberWalker{collect: func(u Unknown) { unknown = append(unknown, u) }}
	collector.writeRecord(nil, p.walkMembers)
	return unknown
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

// EncodeYAML returns a persona as YAML in document order, indented by two spaces. Multi-line
// strings are literal blocks. Strings have quotes only where necessary. The error is always nil at
// present.
func EncodeYAML(p Persona) ([]byte, error) {
	return appendYAML(nil, treeOf(p.walkMembers), 0), nil
}

func appendYAML(b []byte, n *node, indent int) []byte {
	for i, item := range n.items {
		if i > 0 {
			b = appendIndent(b, indent)
		}
		if n.kind == object {
			b = appendName(b, n.names[i].text, indent)
		} else {
			b = append(b, '-')
		}
		b = appendItem(b, item, n.kind, indent)
	}
	return b
}

func appendIndent(b []byte, indent int) []byte {
	return append(b, strings.Repeat(" ", indent)...)
}

// appendName writes "?" before names of 128 bytes or more, because YAML requires an explicit key.
func appendName(b []byte, name string, indent int) []byte {
	key := scalarYAML(name)
	if len(key) < 128 {
		return append(append(b, key...), ':')
	}
	b = append(append(b, "? "...), key...)
	return append(appendIndent(append(b, '\n'), indent), ':')
}

func appendItem(b []byte, item *node, parent kind, indent int) []byte {
	switch {
	case item.kind == str && isBlock(item.text):
		return appendBlock(append(b, ' '), item.text, indent+2)
	case item.kind == str:
		b = append(append(b, ' '), scalarYAML(item.text)...)
	case item.kind == number:
		b = append(append(b, ' '), numberYAML(item.text)...)
	case item.kind != list && item.kind != object, len(item.items) == 0:
		b = item.appendJSON(append(b, ' '))
	case parent == list:
		return appendYAML(append(b, ' '), item, indent+2)
	default:
		b = appendIndent(append(b, '\n'), indent+2)
		return appendYAML(b, item, indent+2)
	}
	return append(b, '\n')
}

func isBlock(s string) bool {
	lines := strings.TrimRight(s, "\n")
	i := strings.LastIndexByte(lines, '\n')
	return strings.Contains(s, "\n") && strings.TrimSpace(lines[i+1:]) != "" &&
		strings.IndexFunc(s, func(r rune) bool { return isHidden(r) && r != '\n' && r != '\t' }) < 0
}

func appendBlock(b []byte, s string, indent int) []byte {
	b = append(b, '|')
	if strings.IndexByte(" \t\n", s[0]) >= 0 {
		b = append(b, '2')
	}
	body := strings.TrimRight(s, "\n")
	switch len(s) - len(body) {
	case 0:
		b = append(b, '-')
	case 1:
	default:
		b = append(b, '+')
	}
	for line := range strings.SplitSeq(body, "\n") {
		b = append(b, '\n')
		if line != "" {
			b = append(appendIndent(b, indent), line...)
		}
	}
	for range max(len(s)-len(body), 1) {
		b = append(b, '\n')
	}
	return b
}

func scalarYAML(s string) string {
	if isPlain(s) {
		return s
	}
	return quoteYAML(s)
}

func quoteYAML(s string) string {
	quoted := quote(s)
	if !strings.ContainsFunc(quoted, isHidden) {
		return quoted
	}
	var b strings.Builder
	for _, r := range quoted {
		if isHidden(r) {
			fmt.Fprintf(&b, `\U%08x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isPlain(s string) bool {
	for i, r := range s {
		if i == 0 && !unicode.IsLetter(r) || isHidden(r) {
			return false
		}
	}
	return s != "" && !strings.HasSuffix(s, " ") && !strings.HasSuffix(s, ":") &&
		!strings.Contains(s, ": ") && !strings.Contains(s, " #") &&
		!isYAMLWord(s)
}

var yamlWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~", "<<", "="}

func isYAMLWord(s string) bool { return slices.Contains(yamlWords, strings.ToLower(s)) }
