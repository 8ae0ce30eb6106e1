package personas_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/plaintext"
)

const fewest = `{"name":"n","description":"d","persona_identity_prompt":"i","machines":[{"machine_key":"m","states":[{"state_key":"a","is_initial_state":true},{"state_key":"z","is_terminal_state":true}],"transitions":[{"from_state_key":"a","to_state_key":"z","decision_type":"pass"}]}]`

// valuesOfFewest is the number of values of the document without variables: the document, its four
// members and the values of its machine.
const valuesOfFewest = 1 + 4 + 1 + 1 + 1 + 2 + 2*2 + 1 + 1 + 3

// TestValuesAreBounded: in every notation MaxValues values are read, and one more is an error with a position.
func TestValuesAreBounded(t *testing.T) {
	t.Parallel()
	room := personas.MaxValues - valuesOfFewest
	forms := map[string]func(more int) string{
		"members.json": func(more int) string {
			var b strings.Builder
			for i := range room + more {
				fmt.Fprintf(&b, `,"x-%d":0`, i)
			}
			return fewest + b.String() + "}"
		},
		"list.json": func(more int) string { return fewest + `,"x-a":[0` + strings.Repeat(",0", room-2+more) + "]}" },
		"list.yaml": func(more int) string {
			return "# one list\n" + fewest + `,"x-a":[0` + strings.Repeat(",0", room-2+more) + "]}"
		},
		"aliases.yaml": func(more int) string {
			list := "[0" + strings.Repeat(",0", 98) + "]"
			extra := room - 100 - 2*100 - 1
			return "# aliases\n" + fewest + `,"x-a": &a ` + list + `,"x-b":[*a,*a],"x-c":[` + strings.Repeat("0,", extra-1+more) + "]}"
		},
	}
	for name, write := range forms {
		t.Run(name, func(t *testing.T) {
			if _, _, faults := personas.Parse(name, []byte(write(0))); len(faults) > 0 {
				t.Errorf("at the limit: %v", faults)
			}
			_, _, faults := personas.Parse(name, []byte(write(1)))
			assert.Must(t, len(faults) == 1, "one past it: %v", faults)
			assert.Contains(t, faults[0].Message, "200,000", "one past it")
			assert.True(t, faults[0].Line != 0, "one past it: %v", faults)
		})
	}
}

// TestValuesOfProgramsAreBounded: a document made by a program has the same bound as one that was read.
func TestValuesOfProgramsAreBounded(t *testing.T) {
	t.Parallel()
	p, _, faults := personas.Parse("a.json", []byte(fewest+"}"))
	assert.Empty(t, faults)
	for more, refused := range []bool{false, true} {
		p.Variables = slices.Repeat([]personas.Variable{{Key: "k", Value: "v"}}, (personas.MaxValues-valuesOfFewest-1)/3+more)
		faults := personas.Validate(&p)
		assert.Equal(t, len(faults) > 0, refused, "%d variables: %v", len(p.Variables), faults)
	}
}

// TestShapesAreBounded: no hostile file is read into more values than its bound.
func TestShapesAreBounded(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"unknown members", "states", "machines", "numbers"} {
		s := personatest.Find(name)
		_, _, faults := personas.Parse(s.File(), []byte(s.Text(personas.MaxFile, 1)))
		assert.True(t, len(faults) == 1 && strings.Contains(faults[0].Message, "200,000"), "%s: %v", name, faults)
	}
	plays := "x:\n" + strings.Repeat("  - {say: hello}\n", personas.MaxValues/2)
	_, _, faults := personas.Values("a.play.yaml", []byte(plays))
	assert.Empty(t, faults, "a play file")
}

// TestFormatNeverWritesWhatCannotBeRead: a file that would become too long is rejected.
func TestFormatNeverWritesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := personatest.Find("nested lists")
	_, err := personas.Format(s.File(), []byte(s.Text(1<<18, 1)))
	assert.True(t, errors.Is(err, personas.ErrFormat) && strings.Contains(err.Error(), "8388608"), "it is formatted: %v", err)
	for _, name := range []string{"nested lists", "unknown members", "machines", "parallel transitions", "members of nested objects"} {
		s := personatest.Find(name)
		text, err := personas.Format(s.File(), []byte(s.Text(1<<14, 1)))
		assert.True(t, err == nil && len(text) <= personas.MaxFile, "%s: %d bytes, %v", name, len(text), err)
		again := assert.Value(personas.Format(s.File(), text))(t)
		assert.True(t, string(again) == string(text), "%s: formatted again it is something else", name)
	}
}

func TestColumnsOfALongLine(t *testing.T) {
	t.Parallel()
	const values = 40_000
	text := `{"x":[` + strings.Repeat("\"v\u00e9\u6f22\U0001f469\",", values) + `0]}`
	_, places, faults := personas.Values("long.json", []byte(text))
	assert.Empty(t, faults)
	width := utf8.RuneCountInString("\"v\u00e9\u6f22\U0001f469\",")
	for i := range values {
		at := places.Lookup(fmt.Sprintf("x[%d]", i))
		want := len(`{"x":[`) + i*width + 1
		assert.Must(t, at.Line == 1 && at.Column == want && at.EndColumn == want+width-1, "value %d is at %+v, not at column %d", i, at, want)
	}
}

// TestEncodeJSONIsBounded: a persona that would be too long when indented is only written piece by piece.
func TestEncodeJSONIsBounded(t *testing.T) {
	t.Parallel()
	doc := *personatest.Parse(t, "nested lists", 300<<10)
	text, err := personas.EncodeJSON(doc)
	assert.True(t, errors.Is(err, personas.ErrFormat) && strings.Contains(err.Error(), "8388608"), "%d bytes, %v", len(text), err)
}

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
		isRaw := func(r rune) bool { return plaintext.IsObeyed(r) && r != '\n' && (!wide || r <= 0xffff) }
		assert.True(t, !strings.ContainsFunc(string(text), isRaw), "%s has raw characters: %q", name, text)
		again, _, _ := personas.Parse(name, text)
		assert.Equal(t, again.Description, p.Description, "%s reads otherwise", name)
		assert.Equal(t, again.IdentityPrompt, p.IdentityPrompt, "%s reads otherwise", name)
		assert.Equal(t, again.Variables[0].Value, p.Variables[0].Value, "%s reads otherwise", name)
		assert.Must(t, len(again.Extra) == 2, "%s reads otherwise: %q", name, text)
		assert.Equal(t, again.Extra[0].Name, p.Extra[0].Name, "%s reads otherwise", name)
		for _, readable := range readableTexts {
			assert.Contains(t, string(text), readable, "%s hides", name)
		}
		assert.Equal(t, string(assert.Value(personas.Format(name, text))(t)), string(text), "%s is formatted differently", name)
	}
}
