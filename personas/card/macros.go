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
	char, user   string // replacements for {{char}} and {{user}}
	expands      bool   // output may contain placeholders
	changes      []macroChange
	chars, users int // number of replacements
}

type macroChange struct{ place, macro, written string }

func newPlainTranslator(name string) *translator { return &translator{char: name, user: "the player"} }

var macroPattern = plaintext.Pattern(`\{\{[^{}]*\}\}`)

var angleMacros = plaintext.Pattern(`(?i)<(user|bot|char)>`)

func (t *translator) translate(text, place string) string {
	text = angleMacros().ReplaceAllStringFunc(text, func(macro string) string {
		return t.writeName(strings.EqualFold(macro, "<user>"))
	})
	for range maxMacroLevels { // inner macros first
		before := text
		text = macroPattern().ReplaceAllStringFunc(text, func(macro string) string {
			return t.expandMacro(macro, place)
		})
		if text == before {
			break
		}
	}
	isUnknown := func(p personas.Placeholder) bool { return !t.expands || !isPlaceholder(p.Name) }
	if slices.ContainsFunc(personas.Placeholders(text), isUnknown) {
		text = strings.NewReplacer("{{", "[[", "}}", "]]").Replace(text) // lint would report unknown placeholders
		t.changes = append(t.changes, macroChange{place, "{{", "[["})
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

func isPlaceholder(name string) bool {
	return name == personas.VarPersonaName || name == personas.VarPlayerName || name == personas.VarPlayerGender
}

var silentMacros = []string{"comment", "hidden_key", "noop", "trim", "original"}

func (t *translator) expandMacro(macro, place string) string {
	inside := strings.TrimSpace(macro[2 : len(macro)-2])
	name, args, _ := strings.Cut(inside, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	written := ""
	switch {
	case name == "char" || name == "bot":
		return t.writeName(false)
	case name == "user":
		return t.writeName(true)
	case isPlaceholder(name) && t.expands:
		return "{{" + name + "}}" // written by FromPersona
	case strings.HasPrefix(name, "//") || slices.Contains(silentMacros, name):
	case name == "newline":
		written = "\n"
	case name == "random" || name == "pick":
		options := strings.Split(strings.TrimPrefix(args, ":"), "::")
		if len(options) == 1 {
			options = strings.Split(args, ",")
		}
		written = strings.TrimSpace(options[0])
	default:
		written = "[" + inside + "]"
	}
	t.changes = append(t.changes, macroChange{place, macro, written})
	return written
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
