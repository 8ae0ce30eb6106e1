package conversation

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/tui/terminal"
)

// ListCarried describes the variables that a machine takes over from other machines, for example
// "Purpose: “My train was cancelled”". It omits empty variables, and variables that still have the
// initial value from the persona.
func (p *Persona) ListCarried(m *Machine, vars map[string]string) []string {
	var lines []string
	for _, key := range m.inputs {
		value := strings.TrimSpace(terminal.Clean(terminal.FirstLine(strings.TrimSpace(vars[key]))))
		if value != "" && value != strings.TrimSpace(p.variables[key].Value) {
			lines = append(lines, p.variableTitle(key)+": “"+strings.TrimRight(value, ".")+"”")
		}
	}
	return lines
}

func (p *Persona) variableTitle(key string) string {
	const longest = 24
	about, _, _ := strings.Cut(terminal.Clean(p.variables[key].Description), ". ")
	if about = strings.TrimRight(about, ". "); about != "" && terminal.CountCharacters(about) <= longest {
		return about
	}
	return Capitalize(strings.Join(strings.FieldsFunc(terminal.Clean(key), func(r rune) bool { return r == '_' || r == '-' }), " "))
}

// ListAllCarried returns all variables that machines have set, as sorted lines "key: value" for
// authors.
func ListAllCarried(vars map[string]string) []string {
	var lines []string
	for name, value := range vars {
		if value = terminal.Clean(terminal.FirstLine(value)); value == "" {
			value = "nothing"
		}
		lines = append(lines, terminal.Clean(name)+": "+value)
	}
	slices.Sort(lines)
	return lines
}
