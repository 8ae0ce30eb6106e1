package personas_test

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/plaintext"
)

// hiddenCharacters returns the allowed characters that a terminal or a text layout interprets.
func hiddenCharacters() string {
	var b strings.Builder
	for r := rune(1); r <= 0x10ffff; r++ {
		if plaintext.IsObeyed(r) || r == 0x2028 || r == 0x2029 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// readableTexts need invisible characters: emoji, Persian, Hindi, Hebrew.
var readableTexts = []string{"a 👩\u200d🚀 and a ❤\ufe0f", "می\u200cخواهم", "क्\u200dष", "(שלום)\u200f, \u200eok"}

// TestHiddenCharactersAreEscaped: hidden characters are written as escapes, those of scripts and emoji are not.
func TestHiddenCharactersAreEscaped(t *testing.T) {
	hidden := hiddenCharacters()
	p := personas.Persona{Name: "n", Description: "kind\u202edn1k\u2066", IdentityPrompt: "a\nb\u200b\n" + hidden, Variables: []personas.Variable{{Key: "k", Value: strings.Join(readableTexts, "\n")}}}
	p.Extra = personas.Members{{Name: "x-\u202ea", Value: []byte(`"` + readableTexts[0] + `"`)}, {Name: "x-b", Value: []byte("[\"\u202e\"]")}}
	for name, encode := range map[string]func(personas.Persona) ([]byte, error){"a.yaml": personas.EncodeYAML, "a.json": personas.EncodeJSON} {
		text := assert.Value(encode(p))(t)
		wide := name == "a.json" // Beyond U+FFFF YAML and JSON escape differently; JSON output is escaped by its writer.
		if strings.ContainsFunc(string(text), func(r rune) bool { return plaintext.IsObeyed(r) && r != '\n' && (!wide || r <= 0xffff) }) {
			t.Errorf("%s has raw characters: %q", name, text)
		}
		again, _, _ := personas.Parse(name, text)
		if again.Description != p.Description || again.IdentityPrompt != p.IdentityPrompt || again.Variables[0].Value != p.Variables[0].Value || len(again.Extra) != 2 || again.Extra[0].Name != p.Extra[0].Name {
			t.Errorf("%s reads otherwise: %q", name, text)
		}
		for _, readable := range readableTexts {
			assert.Contains(t, string(text), readable, "%s hides", name)
		}
		assert.Equal(t, string(assert.Value(personas.Format(name, text))(t)), string(text), "%s is formatted differently", name)
	}
}
