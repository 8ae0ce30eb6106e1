package personas

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

const minimalYAML = `name: Test
description: A test%s.
persona_identity_prompt: |
  You are%s a test.
  Second line.
x-own: [a%[2]s, 'b%[2]s', "c%[2]s"] # a%[2]scomment
machines:
  - machine_key: m
    bogus: 1
    states:
      - {state_key: a, is_initial_state: true}
      - {state_key: b, is_terminal_state: true}
    transitions:
      - {from_state_key: a, to_state_key: b, decision_type: pass}
`

// TestParseReadsSeparatorsAsCharacters: separators that no editor breaks at are ordinary characters.
func TestParseReadsSeparatorsAsCharacters(t *testing.T) {
	for _, separator := range []string{"\u0085", "\u2028", "\u2029", "\u2028\ue000\\ue001", "\u0085\u07b2"} {
		t.Run(fmt.Sprintf("%q", separator), func(t *testing.T) {
			src := fmt.Sprintf(minimalYAML, separator, separator)
			p, places, faults := Parse("p.yaml", []byte(src))
			assert.Empty(t, faults, "faults")
			assert.Equal(t, p.Description, "A test"+separator+".", "description")
			assert.Equal(t, p.IdentityPrompt, "You are"+separator+" a test.\nSecond line.\n", "prompt")
			at := places.Key("machines[0].bogus")
			assert.Equal(t, at.Line, 9, "bogus is on line")
			formatted := assert.Value(Format("p.yaml", []byte(src)))(t)
			q, _, faults := Parse("p.yaml", formatted)
			assert.Equal(t, len(faults), 0, "formatted: %v\n%s", faults, formatted)
			assert.Equal(t, q.Description, p.Description, "formatted: %v\n%s", faults, formatted)
			assert.Equal(t, q.IdentityPrompt, p.IdentityPrompt, "formatted: %v\n%s", faults, formatted)
		})
	}
}

// TestParseKeepsEscapedPrivateCharacters: an escape for a replacement character stays that character.
func TestParseKeepsEscapedPrivateCharacters(t *testing.T) {
	src := "name: \"\\ue000\\U0000e001\\u07b2\u2028\u0085\"\n"
	p, _, _ := Parse("p.yaml", []byte(src))
	assert.Equal(t, p.Name, "\ue000\ue001\u07b2\u2028\u0085", "name")
}

// TestParseRefusesSeparatorWithoutStandIn: a text that uses every replacement character is rejected at the separator.
func TestParseRefusesSeparatorWithoutStandIn(t *testing.T) {
	var all strings.Builder
	for r := firstShort; r <= lastShort; r++ {
		all.WriteRune(r)
	}
	_, _, faults := Parse("p.yaml", []byte("name: "+all.String()+"\ndescription: a\u0085b\n"))
	if len(faults) == 0 || faults[0].Line != 2 || faults[0].Column != 15 || !strings.Contains(faults[0].Message, "U+0085") {
		t.Errorf("faults: %v", faults)
	}
}

func TestParseTakesVersionDirective(t *testing.T) {
	body := fmt.Sprintf(minimalYAML, "", "")
	tests := []struct {
		head string
		ok   bool
	}{
		{"%YAML 1.2\n---\n", true},
		{"%YAML 1.1\n---\n", true},
		{"%YAML 1.3 # newer\r\n---\r\n", true},
		{"# a comment\n\n%TAG ! tag:example.org,2000:\n%YAML\t1.2\n---\n", true},
		{"%YAML 2.0\n---\n", false},
		{"%YAML 1.2\n", false},
	}
	for _, test := range tests {
		_, _, faults := Parse("p.yaml", []byte(test.head+body))
		assert.Equal(t, len(faults) == 0, test.ok, "%q: %v", test.head, faults)
	}
	p, _, _ := Parse("p.yaml", []byte("name: |\n  %YAML 1.2\n  ---\n"))
	assert.Equal(t, p.Name, "%YAML 1.2\n---\n", "a directive inside a text became")
	src := []byte("%YAML 1.2\n---\n" + body)
	formatted, err := Format("p.yaml", src)
	assert.True(t, err == nil && strings.HasPrefix(string(formatted), "%YAML 1.2\n---\n"), "%v\n%s", err, formatted)
}

// TestFormatKeepsNumbersAsWritten: Format never changes the characters of a scalar.
func TestFormatKeepsNumbersAsWritten(t *testing.T) {
	src := assert.Value(os.ReadFile("testdata/numbers.yaml"))(t)
	formatted := assert.Value(Format("numbers.yaml", src))(t)
	assert.Equal(t, string(formatted), string(src), "changed to")
	_, _, faults := Parse("numbers.yaml", src)
	var messages []string
	for _, f := range faults {
		messages = append(messages, f.Message)
	}
	all := strings.Join(messages, "\n")
	for _, want := range []string{`quote it: "0042"`, `quote it: "01"`, `quote it: "007"`, `quote it: "1_000"`, `quote it: "1e3"`, `quote it: "0x1F"`} {
		assert.Contains(t, all, want, "no message advises")
	}
	for _, f := range faults {
		assert.True(t, f.Fix != nil, "no fix for %s", f.Message)
	}
}
