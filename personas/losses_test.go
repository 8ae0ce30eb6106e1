package personas

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestLosses: text between guillemets that YAML silently drops is reported, and the fix restores it.
func TestLosses(t *testing.T) {
	t.Parallel()
	const in = "        "
	list := func(item string) string { return in + "offline:\n" + in + "  opening: " + item }
	tests := []struct {
		name, lines string
		kind        string
		right       string
	}{
		{"a sentence in brackets", list("«[Well, hello there, friend]»"), TextSplit, `opening: ["Well, hello there, friend"]`},
		{"a sentence with a full stop", list("«[yes sir, I will.]»"), TextSplit, `opening: ["yes sir, I will."]`},
		{"a number sign", in + "label: Berth «#4»", TextCut, `label: "Berth #4"`},
		{"a number sign in a list", list("\n" + in + "    - Berth «#4 please»"), TextCut, `- "Berth #4 please"`},
		{"a number sign first", in + "label: «#4 is mine»", TextCut, `label: "#4 is mine"`},
		{"a number sign and a space", in + "label: Berth «# 4»", TextCut, `label: "Berth # 4"`},
		{"a comma in braces", "        evaluation_criteria: {redirect: «read by the game, not by texts»}", TextCut, `evaluation_criteria: {redirect: "read by the game, not by texts"}`},
		{"two commas in braces", "        evaluation_criteria: {redirect: «asks, or begs, or cries», reject: x}", TextCut, `evaluation_criteria: {redirect: "asks, or begs, or cries", reject: x}`},
		{"no space before a bracket", in + "offline:\n" + in + "  «opening:»[\"Sit: and don't\"]", TextCut, `opening: ["Sit: and don't"]`},
		{"no space in braces", in + "evaluation_criteria: {reject: x, «pass:»yes}", TextCut, "evaluation_criteria: {reject: x, pass: yes}"},
		{"no colon in braces", in + "evaluation_criteria: {reject: x, «pass» he pays}", TextCut, "evaluation_criteria: {reject: x, pass: he pays}"},
		{"curly quotes", in + "label: «“Gate”»", CurlyQuotes, `label: "Gate"`},
	}
	for _, test := range tests {
		for variant, end := range map[string]string{"lf": "\n", "crlf": "\r\n"} {
			t.Run(test.name+" "+variant, func(t *testing.T) {
				marked := strings.Replace(mistakenPersona, "HERE", test.lines, 1)
				if strings.Contains(test.lines, "evaluation_criteria") {
					marked = strings.Replace(marked, "        evaluation_criteria: {pass: The player asks.}\n", "", 1)
				}
				marked = strings.ReplaceAll(marked, "\n", end)
				src := strings.NewReplacer("«", "", "»", "").Replace(marked)
				losses := readLosses(t, src)
				assert.Must(t, len(losses) == 1, "got %+v, want it at %+v", losses, markedPlace(marked))
				assert.Equal(t, losses[0].Check, test.kind)
				assert.Equal(t, losses[0].Position, markedPlace(marked))
				assert.Must(t, strings.HasSuffix(losses[0].Message, "; write it as: "+test.right), losses[0].Message)
				fixed := assert.Value(losses[0].Fix.Apply([]byte(src)))(t)
				assert.Empty(t, readLosses(t, string(fixed)), fixed)
			})
		}
	}
}

// TestJoinedLines: a list whose lines are joined is reported without a fix.
func TestJoinedLines(t *testing.T) {
	t.Parallel()
	const in = "\n          "
	for _, text := range []string{" First line." + in + "- one" + in + "- two", in + "First line." + in + "1. one", " \"First line." + in + "* one\"", " >-" + in + "First line." + in + "- one"} {
		losses := readLosses(t, strings.Replace(mistakenPersona, "HERE", "        prompt_instruction:"+text, 1))
		assert.Must(t, len(losses) == 1, "%s: %v", text, losses)
		assert.Equal(t, losses[0].Check, LinesJoined, text)
		assert.True(t, losses[0].Fix == nil, "%s: %v", text, losses)
		assert.True(t, losses[0].Line >= 11, "%s: %v", text, losses)
	}
}

func readLosses(t *testing.T, src string) []Diagnostic {
	t.Helper()
	_, places, faults := Parse("a.yaml", []byte(src))
	assert.Empty(t, faults, src)
	return places.Losses()
}

func TestTextsWithoutLosses(t *testing.T) {
	t.Parallel()
	for _, lines := range []string{
		"        label: Gate # the first one", "        label: Gate #", "        label: Gate # parley:ignore todo-left it is", "        label: Gate #parley:ignore todo-left it is",
		"        label: 'Gate #4'", "        label: Gate#4", "        prompt_instruction: |\n          Berth #4\n          - one",
		"        offline: {opening: [hello, hi, good day]}", "        offline: {opening: [\"Well, hello there\", friend]}", "        offline: {opening: [Hello, Good day]}",
		"        offline: {opening: [Yes., No.]}", "        prompt_instruction: First line\n          goes on", "        label: say “no” now",
		"        display_order:", "        label: # nothing yet", "        x-tags: {a, b}", "        max_redirects: 2 #4",
		"        label: The door is 6\"", "        label: he said \"no\"", "        x-note: a:b", "        label: pass:yes", "        offline: {opening: [Gate, the gate, Portal]}",
	} {
		assert.Empty(t, readLosses(t, strings.Replace(mistakenPersona, "HERE", lines, 1)), lines)
	}
	var p Persona
	losses := (SourceMap{}).Losses()
	assert.True(t, losses == nil && p.Name == "", losses)
}

func TestLossesAreBounded(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	src.WriteString("name: A\ndescription: d\npersona_identity_prompt: p\nmachines: []\n")
	for i := range 300 {
		fmt.Fprintf(&src, "x-%d: Berth #4\n", i)
	}
	assert.Equal(t, len(readLosses(t, src.String())), maxLosses)
}

// TestParseRefusesSeparators: a separator at which YAML 1.1 breaks lines is allowed in JSON and as an escape.
func TestParseRefusesSeparators(t *testing.T) {
	for _, separator := range []string{"\u0085", "\u2028", "\u2029"} {
		_, _, faults := Parse("p.yaml", []byte("name: a\ndescription: a"+separator+"b\n"))
		says := fmt.Sprintf("2:15: the separator U+%04X is not supported here", []rune(separator)[0])
		assert.True(t, len(faults) == 1 && strings.HasPrefix(faults[0].Error(), says), "%v", faults)
		text := assert.Value(EncodeYAML(Persona{Name: separator}))(t)
		p, _, _ := Parse("p.yaml", text)
		assert.Equal(t, p.Name, separator, "read again from %s", text)
		p, _, _ = Parse("p.json", fmt.Appendf(nil, `{"name": "%s"}`, separator))
		assert.Equal(t, p.Name, separator, "read from JSON")
	}
}

func TestParseTakesVersionDirective(t *testing.T) {
	body := full
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
	assert.Equal(t, string(assert.Value(Format("numbers.yaml", src))(t)), string(src), "changed to")
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
