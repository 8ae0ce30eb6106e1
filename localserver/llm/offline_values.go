package llm

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// ExpansionError says that a text of the author's is too long with the values of
// its placeholders.
type ExpansionError struct {
	// Place is the member of the document that has the text.
	Place string
	// Limit is how many characters it may have.
	Limit int
}

func (e *ExpansionError) Error() string {
	return fmt.Sprintf("%s has more than %d characters with the values of its placeholders; shorten it or the values", e.Place, e.Limit)
}

// placeholderValues finds what the placeholders of an input stand for.
type placeholderValues struct {
	input  Input
	player *string         // what the player is called, once it is asked for
	blanks map[string]bool // of values that were looked at
}

func newPlaceholderValues(input Input) *placeholderValues {
	if input.Variables == nil && input.Persona != nil {
		input.Variables = personas.NewVariableTable(input.Persona)
	}
	return &placeholderValues{input: input, blanks: map[string]bool{}}
}

// findValue returns what a placeholder stands for: the player and the
// persona, then the player's cross-machine variables, then the persona's
// defaults.
func (p *placeholderValues) findValue(name string) (string, bool) {
	switch name {
	case personas.VarPlayerName:
		if p.player == nil {
			p.player = new(p.input.calledName())
		}
		return *p.player, true
	case personas.VarPlayerGender:
		return p.input.Player.Gender, true
	case personas.VarPersonaName:
		return speakerName(p.input), true
	}
	if v, ok := p.input.Vars[name]; ok {
		return v, true
	}
	if p.input.Variables == nil {
		return "", false
	}
	return p.input.Variables.Default(name)
}

// isBlank tells whether a placeholder stands for nothing but blanks; each value is
// looked at once.
func (p *placeholderValues) isBlank(name string) (blank, known bool) {
	if blank, known = p.blanks[name]; known {
		return blank, true
	}
	value, known := p.findValue(name)
	if blank = strings.TrimSpace(value) == ""; known {
		p.blanks[name] = blank
	}
	return blank, known
}
