package card

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	personaName = "{{" + personas.VarPersonaName + "}}"
	playerName  = "{{" + personas.VarPlayerName + "}}"
)

const maxMacroLevels = 8

type translator struct {
	char, user   string // replacements for the names of the character and the player
	expands      bool   // the output may contain placeholders
	changes      []macroChange
	chars, users int // how often the two names were written
}

type macroChange struct{ place, macro, written string }

// newPlainTranslator returns a translator for texts without placeholders, such as a description.
func newPlainTranslator(name string) *translator { return &translator{char: name, user: "the player"} }

// angleMacros matches the old notation of the macros for the names of the character and the player.
var angleMacros = plaintext.Pattern(`(?i)<(user|bot|char)>`)

func (t *translator) translate(text, place string) string {
	text = angleMacros().ReplaceAllStringFunc(text, func(macro string) string {
		return t.writeName(strings.EqualFold(macro, "<user>"))
	})
	if strings.Contains(text, "{{") {
		text = t.translateBraces(text, place)
	}
	return strings.TrimSpace(text)
}

func (t *translator) writeName(isUser bool) string {
	if isUser {
		t.users++
		return t.user
	}
	t.chars++
	return t.char
}

// translateBraces converts the macros in braces in one pass. The local variable open holds the
// output offsets of unclosed braces, so that inner macros are expanded first.
func (t *translator) translateBraces(text, place string) string {
	var out []byte
	var open []int
	line := 1
	for at := 0; at < len(text); at++ {
		switch rest := text[at:]; {
		case strings.HasPrefix(rest, "{{") && len(open) < maxMacroLevels:
			open = append(open, len(out))
			out = append(out, "{{"...)
			at++
		case strings.HasPrefix(rest, "}}") && len(open) > 0:
			start := open[len(open)-1]
			open = open[:len(open)-1]
			macro := string(out[start+2:])
			out = append(out[:start], t.expandMacro(macro, fmt.Sprintf("%s, line %d", place, line))...)
			at++
		default:
			if text[at] == '\n' {
				line++
			}
			out = append(out, text[at])
		}
	}
	return t.breakBraces(out, place)
}

// breakBraces replaces braces with brackets if unbalanced braces would form an unknown placeholder,
// because lint would report the placeholder as an error.
func (t *translator) breakBraces(out []byte, place string) string {
	const passes = 4
	for pass := range passes {
		unknown := slices.DeleteFunc(personas.Placeholders(string(out)), func(p personas.Placeholder) bool {
			return t.expands && isPlaceholder(p.Name)
		})
		if len(unknown) == 0 {
			return string(out)
		}
		for _, p := range unknown {
			copy(out[p.Offset:], "[[")
			copy(out[p.End()-2:], "]]")
		}
		if pass == 0 {
			t.changes = append(t.changes, macroChange{place, "{{", "[["})
		}
	}
	return strings.ReplaceAll(string(out), "{{", "[[")
}

func isPlaceholder(name string) bool {
	return name == personas.VarPersonaName || name == personas.VarPlayerName || name == personas.VarPlayerGender
}

var silentMacros = []string{"comment", "hidden_key", "noop", "trim", "original"}

func (t *translator) expandMacro(macro, place string) string {
	name, args, _ := strings.Cut(strings.TrimSpace(macro), ":")
	name = strings.ToLower(strings.TrimSpace(name))
	written := ""
	switch {
	case name == "char" || name == "bot":
		return t.writeName(false)
	case name == "user":
		return t.writeName(true)
	case isPlaceholder(name) && t.expands:
		return "{{" + name + "}}" // It was written by the export of a persona.
	case strings.HasPrefix(name, "//") || slices.Contains(silentMacros, name):
	case name == "newline":
		written = "\n"
	case name == "random" || name == "pick":
		written = firstOption(args)
	case name == "reverse":
		runes := []rune(strings.TrimSpace(args))
		slices.Reverse(runes)
		written = string(runes)
	default:
		written = "[" + strings.TrimSpace(macro) + "]"
	}
	t.changes = append(t.changes, macroChange{place, "{{" + macro + "}}", written})
	return written
}

// firstOption returns the first option of a random choice. Options are separated by two colons, or
// by commas. \, is a literal comma.
func firstOption(args string) string {
	args = strings.TrimPrefix(args, ":")
	if first, _, ok := strings.Cut(args, "::"); ok {
		return strings.TrimSpace(first)
	}
	first, _, _ := strings.Cut(strings.ReplaceAll(args, `\,`, "\x00"), ",")
	return strings.TrimSpace(strings.ReplaceAll(first, "\x00", ","))
}

func (t *translator) untranslate(text, place string, variables *personas.VariableTable) string {
	text, fits := personas.Expand(text, func(name string) (string, bool) {
		switch name {
		case personas.VarPersonaName:
			return "{{char}}", true
		case personas.VarPlayerName:
			return "{{user}}", true
		}
		written, ok := variables.Default(name)
		if !ok {
			written = "[" + name + "]"
		}
		t.changes = append(t.changes, macroChange{place, "{{" + name + "}}", written})
		return written, true
	})
	if !fits {
		t.changes = append(t.changes, macroChange{place, "the whole text", "nothing, because it is too long"})
	}
	return text
}

func (m *macroChange) describe() string {
	if m.written == "" {
		return fmt.Sprintf("%.80s is left out", m.macro)
	}
	return fmt.Sprintf("%.80s is replaced by %.80q", m.macro, m.written)
}
