package personas

import "strings"

// Placeholder is a {{name}} in a text; Offset is the byte at which its braces begin.
type Placeholder struct {
	Name   string
	Offset int
	end    int
}

// Placeholders finds the {{name}}s of a text, in order. A name is any text in
// one line without braces; spaces around it do not count.
func Placeholders(text string) []Placeholder {
	var found []Placeholder
	for at := 0; ; {
		open := strings.Index(text[at:], "{{")
		if open < 0 {
			return found
		}
		open += at
		at = open + 1
		inside := strings.IndexAny(text[open+2:], "{}\r\n")
		if inside < 0 {
			return found
		}
		end := open + 2 + inside
		name := strings.TrimSpace(text[open+2 : end])
		if name != "" && strings.HasPrefix(text[end:], "}}") {
			at = end + 2
			found = append(found, Placeholder{Name: name, Offset: open, end: at})
		}
	}
}

// Expand puts values in the place of placeholders. One that lookup does not
// know stays as written, and what a value contains is not expanded again.
func Expand(text string, lookup func(name string) (string, bool)) string {
	var out strings.Builder
	at := 0
	for _, p := range Placeholders(text) {
		if value, ok := lookup(p.Name); ok {
			out.WriteString(text[at:p.Offset])
			out.WriteString(value)
			at = p.end
		}
	}
	if at == 0 {
		return text
	}
	return out.String() + text[at:]
}

// The placeholders that every document knows, besides its variables.
const (
	VarPlayerName   = "player_name"
	VarPlayerGender = "player_gender"
	VarPersonaName  = "persona_name"
)

// Knows tells whether a placeholder's name can have a value in this persona:
// one of the three that every document knows, or a persona variable, an input
// variable or an output variable of any machine.
func (p *Persona) Knows(name string) bool {
	switch name {
	case VarPlayerName, VarPlayerGender, VarPersonaName:
		return true
	}
	for _, known := range p.VariableKeys() {
		if known == name {
			return true
		}
	}
	return false
}

// VariableKeys lists the keys of persona variables, input variables and output
// variables in document order; a key may be there more than once.
func (p *Persona) VariableKeys() []string {
	var keys []string
	for i := range p.Variables {
		keys = append(keys, p.Variables[i].Key)
	}
	for i := range p.Machines {
		for _, out := range p.Machines[i].OutputVariables {
			keys = append(keys, out.Key)
		}
		for _, in := range p.Machines[i].InputVariables {
			keys = append(keys, in.Key)
		}
	}
	return keys
}

// Machine finds a machine by its key; nil when there is none.
func (p *Persona) Machine(key string) *Machine {
	for i := range p.Machines {
		if p.Machines[i].Key == key {
			return &p.Machines[i]
		}
	}
	return nil
}

// Default is the default value of a persona variable.
func (p *Persona) Default(key string) (string, bool) {
	for i := range p.Variables {
		if p.Variables[i].Key == key {
			return p.Variables[i].Value, true
		}
	}
	return "", false
}
