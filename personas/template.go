package personas

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Placeholder is a {{name}} in a string. Offset is the byte offset of the opening braces.
type Placeholder struct {
	Name   string
	Offset int
	end    int
}

// End returns the byte offset after the closing braces.
func (p Placeholder) End() int { return p.end }

// Placeholders returns the placeholders of a string in order. A name is any text on one line
// without braces. Surrounding spaces are ignored.
func Placeholders(text string) []Placeholder { return slices.Collect(eachPlaceholder(text)) }

func eachPlaceholder(text string) iter.Seq[Placeholder] {
	return func(yield func(Placeholder) bool) {
		for offset := 0; ; {
			open := strings.Index(text[offset:], "{{")
			if open < 0 {
				return
			}
			open += offset
			offset = open + 1
			inside := strings.IndexAny(text[open+2:], "{}\r\n")
			if inside < 0 {
				return
			}
			end := open + 2 + inside
			name := strings.TrimSpace(text[open+2 : end])
			if name != "" && strings.HasPrefix(text[end:], "}}") {
				offset = end + 2
				if !yield(Placeholder{Name: name, Offset: open, end: offset}) {
					return
				}
			}
		}
	}
}

// Expand replaces placeholders with values. Unknown placeholders and placeholders inside values
// stay unchanged. If the result exceeds MaxExpanded characters, fits is false and expanded is
// empty. Memory use is always bounded.
func Expand(text string, lookup func(name string) (string, bool)) (expanded string, fits bool) {
	out, done := boundedText{remaining: MaxExpanded}, 0
	for p := range eachPlaceholder(text) {
		value, ok := lookup(p.Name)
		if !ok {
			continue
		}
		if !out.add(text[done:p.Offset]) || !out.add(value) {
			return "", false
		}
		done = p.end
	}
	if done == 0 {
		return text, out.hasRoom(text)
	}
	if !out.add(text[done:]) {
		return "", false
	}
	return out.String(), true
}

type boundedText struct {
	out       strings.Builder
	remaining int // characters that still fit
}

func (b *boundedText) hasRoom(piece string) bool {
	return len(piece) <= b.remaining ||
		len(piece) <= utf8.UTFMax*b.remaining && utf8.RuneCountInString(piece) <= b.remaining
}

func (b *boundedText) add(piece string) bool {
	if !b.hasRoom(piece) {
		return false
	}
	b.remaining -= utf8.RuneCountInString(piece)
	b.out.WriteString(piece)
	return true
}

func (b *boundedText) String() string { return b.out.String() }

// CountExpanded returns the number of characters of a string after expansion. The cost does not
// depend on the lengths of the values.
func CountExpanded(text string, length func(name string) (int, bool)) int {
	count := utf8.RuneCountInString(text)
	for p := range eachPlaceholder(text) {
		if n, ok := length(p.Name); ok {
			count += n - utf8.RuneCountInString(text[p.Offset:p.end])
		}
	}
	return count
}

// IsBlankExpanded reports whether a string is blank after expansion. The callback isBlank reports
// whether a value is blank.
func IsBlankExpanded(text string, isBlank func(name string) (blank, ok bool)) bool {
	start := 0
	for p := range eachPlaceholder(text) {
		blank, ok := isBlank(p.Name)
		if !ok || !blank || strings.TrimSpace(text[start:p.Offset]) != "" {
			return false
		}
		start = p.end
	}
	return strings.TrimSpace(text[start:]) == ""
}

// Placeholders that every document can use.
const (
	VarPlayerName   = "player_name"
	VarPlayerGender = "player_gender"
	VarPersonaName  = "persona_name"
)

// VariableTable contains the variables of a persona by name. It is immutable and safe for
// concurrent use.
type VariableTable struct {
	defaults map[string]string
	keys     map[string]bool
}

// NewVariableTable returns the variables of a persona. The first of several equal keys counts.
func NewVariableTable(p *Persona) *VariableTable {
	t := &VariableTable{
		defaults: make(map[string]string, len(p.Variables)),
		keys:     map[string]bool{VarPlayerName: true, VarPlayerGender: true, VarPersonaName: true},
	}
	for i := range p.Variables {
		if _, twice := t.defaults[p.Variables[i].Key]; !twice {
			t.defaults[p.Variables[i].Key] = p.Variables[i].Value
		}
	}
	for _, key := range p.VariableKeys() {
		t.keys[key] = true
	}
	return t
}

// Knows reports whether a placeholder with the given name can have a value in this persona. The
// name may be built in, a persona variable, or a variable of any machine.
func (t *VariableTable) Knows(name string) bool { return t.keys[name] }

// Default returns the default value of a persona variable.
func (t *VariableTable) Default(key string) (string, bool) {
	value, ok := t.defaults[key]
	return value, ok
}

// VariableKeys returns the keys of all variables in document order, possibly with duplicates.
func (p *Persona) VariableKeys() []string {
	var keys []string
	for i := range p.Variables {
		keys = append(keys, p.Variables[i].Key)
	}
	for i := range p.Machines {
		for _, out := range p.Machines[i].OutputVariables {
			keys = append(keys, out.Key)
		}
		for _, variable := range p.Machines[i].InputVariables {
			keys = append(keys, variable.Key)
		}
	}
	return keys
}

// Machine returns the machine with the given key, or nil.
func (p *Persona) Machine(key string) *Machine {
	for i := range p.Machines {
		if p.Machines[i].Key == key {
			return &p.Machines[i]
		}
	}
	return nil
}

// UsesPlayerGender reports whether any string of a persona contains {{player_gender}}. If not,
// clients do not ask for the gender. The persona may have any type that encodes to JSON.
func UsesPlayerGender(persona any) bool {
	text, err := json.Marshal(persona)
	if err != nil || !bytes.Contains(text, []byte(VarPlayerGender)) {
		return false
	}
	for p := range eachPlaceholder(string(text)) {
		if p.Name == VarPlayerGender {
			return true
		}
	}
	return false
}
