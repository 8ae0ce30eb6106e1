package personas

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// mistakenPersona is a persona with a place for the lines of a state.
const mistakenPersona = `name: A
description: d
persona_identity_prompt: p
variables:
  - {key: boat, value: skiff}
machines:
  - machine_key: dock
    states:
      - state_key: quay
        is_initial_state: true
HERE
        evaluation_criteria: {pass: The player asks.}
      - state_key: end
        is_terminal_state: true
    transitions:
      - {from_state_key: quay, to_state_key: end, decision_type: pass}
`

// TestMistakes: a mistake (between guillemets) has its message, its position, the right line and a fix.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const in = "        "
	tests := []struct{ name, lines, says, right string }{
		{"braces first", in + "prompt_instruction: «{{boat}} is here»", "starts with {{ needs quotes", `prompt_instruction: "{{boat}} is here"`},
		{"one brace", in + "prompt_instruction: «{boat} is here»", "starts with { needs quotes", `prompt_instruction: "{boat} is here"`},
		{"a bracket first", in + "prompt_instruction: «[nods] Yes»", "starts with [ needs quotes", `prompt_instruction: "[nods] Yes"`},
		{"braces first in a list", in + "offline:\n" + in + "  opening:\n" + in + "    - «{{player_name}}, the rope.»", "starts with {{ needs quotes", `- "{{player_name}}, the rope."`},
		{"an apostrophe in single quotes", in + "label: «'Nils' boat'»", "continues after its closing quote", `label: "Nils' boat"`},
		{"a quoted word first", in + `label: «"The" basin»`, "continues after its closing quote", `label: '"The" basin'`},
		{"a quoted word within quotes", in + `label: «"the "old" boat"»`, "continues after its closing quote", `label: 'the "old" boat'`},
		{"a quoted word and a colon", in + `label: «"Who": he said»`, "continues after its closing quote", `label: '"Who": he said'`},
		{"a star first", in + "prompt_instruction: «*Ask* about»", `cannot start with "*"`, `prompt_instruction: "*Ask* about"`},
		{"a star alone", in + "prompt_instruction: «*nods*»", `cannot start with "*"`, `prompt_instruction: "*nods*"`},
		{"an at sign first", in + "prompt_instruction: «@mara»", `cannot start with "@"`, `prompt_instruction: "@mara"`},
		{"a question mark first", in + "prompt_instruction: «? who»", `cannot start with "?"`, `prompt_instruction: "? who"`},
		{"a dash first", in + "prompt_instruction: «- who»", `cannot start with "-"`, `prompt_instruction: "- who"`},
		{"a colon", in + "prompt_instruction: «She asks: who»", `a ":" inside a text`, `prompt_instruction: "She asks: who"`},
		{"a colon at the end", in + "prompt_instruction: «who is it:»", `a ":" inside a text`, `prompt_instruction: "who is it:"`},
		{"a colon in a list", in + "offline:\n" + in + "  opening:\n" + in + "    - «Well: I ask»", `a ":" in it needs quotes`, `"Well: I ask"`},
		{"two colons in a list", in + "offline:\n" + in + "  opening:\n" + in + "    - «Well: I ask: you»", `a ":" inside a text`, `- "Well: I ask: you"`},
		{"a colon in curly quotes", in + "label: «“Gate: the first”»", "curly quotes", `label: "Gate: the first"`},
		{"no space behind the colon", in + "«label:»Gate", `a space is missing after the ":"`, "label: Gate"},
		{"an unclosed quote", in + "label: «\"»the gate", "the quote that opens here is never closed", `label: "the gate"`},
		{"a backslash in quotes", in + `label: «"C:\dir"»`, `a \ in double quotes`, `label: 'C:\dir'`},
		{"a tab", "«\t»label: Gate", "a tab is used for indentation", "label: Gate"},
		{"no-break spaces", strings.Repeat("\u00a0", 8) + "label: Gate", "a no-break space is used instead of a space", "label: Gate"},
		{"a no-break space behind the colon", in + "label:\u00a0Gate", "a no-break space is used instead of a space", "label: Gate"},
		{"no space behind a dash", in + "offline:\n" + in + "  opening:\n" + in + "    - Hello\n" + in + "    «-»\"I am lost\"", "a space is missing", `- "I am lost"`},
		{"a number", in + "label: «12»", `quote it: "12"`, ""},
		{"a boolean", in + "label: «true»", `quote it: "true"`, ""},
		{"an apostrophe that is a quote", in + "label: «'»The gate", "never closed", "label: 'The gate'"},
		{"a tab below a name", in + "evaluation_criteria:\n«\t»pass: yes", "a tab is used", "pass: yes"},
		{"a tab in a block of text", in + "prompt_instruction: |\n«\t»Ask: it", "a tab is used", "Ask: it"},
		{"braces in brackets", in + `offline: {opening: [«{{boat}} yes», "no"]}`, "starts with {{ needs quotes", `offline: {opening: ["{{boat}} yes", "no"]}`},
		{"quotes in braces", in + `evaluation_criteria: {redirect: «"The" end: yes», reject: x}`, "continues after its closing quote", `evaluation_criteria: {redirect: '"The" end: yes', reject: x}`},
		{"an apostrophe in brackets", in + "offline: {opening: [«'Nils' boat'», Hello]}", "continues after its closing quote", `offline: {opening: ["Nils' boat", Hello]}`},
		{"an asterisk in brackets", in + "offline: {opening: [Hello, «*nods* yes»]}", `cannot start with "*"`, `offline: {opening: [Hello, "*nods* yes"]}`},
		{"a colon in braces", in + "evaluation_criteria: {redirect: «she has to say: yes», reject: y}", `a ":" inside a text`, `evaluation_criteria: {redirect: "she has to say: yes", reject: y}`},
		{"an unclosed quote in brackets", in + `offline: {opening: [Hello, «"»Rowing costs]}`, "never closed", `offline: {opening: [Hello, "Rowing costs"]}`},
	}
	for _, test := range tests {
		for variant, marked := range map[string]string{"lf": test.lines, "crlf": test.lines} {
			src := strings.Replace(mistakenPersona, "HERE", marked, 1)
			if strings.Contains(marked, "evaluation_criteria") {
				src = strings.Replace(src, "        evaluation_criteria: {pass: The player asks.}\n", "", 1)
			}
			if variant == "crlf" {
				src = strings.ReplaceAll(src, "\n", "\r\n")
			}
			t.Run(test.name+" "+variant, func(t *testing.T) { checkMistake(t, "a.yaml", src, test.says, test.right) })
		}
	}
}

// TestUnclearMistakesHaveNoFix: a mistake that may be corrected in several ways is only explained.
func TestUnclearMistakesHaveNoFix(t *testing.T) {
	t.Parallel()
	for lines, says := range map[string]string{
		"offline: {opening: [{{player_name}}, hello]}":                     "quote the text",
		"offline: {opening: [Come in, Captain {{player_name}}, and sit.]}": "is not in quotes",
		"evaluation_criteria: {redirect: x reject: y, pass: z}":            `a ":" inside a text`,
		"offline: {opening: [\"Rowing costs, but not much]}":               "never closed",
		"label: 'Tis a gate":      "the quote that opens here is never closed",
		"label: Gate: one # ours": `a ":" inside a text`,
		"offline: {opening: [\"I am bored\" \"I could not sleep\"]}":              "a comma is missing here",
		"offline:\n          opening:\n            - Hello\n            Well met": `a ":" is missing`,
	} {
		_, _, faults := Parse("a.yaml", []byte(strings.Replace(mistakenPersona, "HERE", "        "+lines, 1)))
		assert.Must(t, len(faults) == 1, "%s: %+v", lines, faults)
		assert.True(t, faults[0].Fix == nil, "%s: %+v", lines, faults)
		assert.True(t, faults[0].Line >= 11, "%s: %+v", lines, faults)
		assert.Contains(t, faults[0].Message, says, lines)
	}
}

// checkMistake parses a text with a mistake between guillemets, checks the message and applies the fix.
func checkMistake(t *testing.T, name, marked, says, right string) {
	t.Helper()
	src := strings.NewReplacer("«", "", "»", "").Replace(marked)
	_, _, faults := Parse(name, []byte(src))
	assert.Must(t, len(faults) == 1 && strings.Contains(faults[0].Message, says), "it says %v", faults)
	fault := faults[0]
	want := markedPlace(marked)
	assert.True(t, want.Line == 0 || fault.Line == want.Line && fault.Column == want.Column, "it is at %v, not %v", fault.Position, want)
	assert.True(t, right == "" || strings.HasSuffix(fault.Message, "; write it as: "+right), "it says %s", fault.Message)
	assert.Must(t, fault.Fix != nil, "there is no fix")
	fixed := assert.Value(fault.Fix.Apply([]byte(src)))(t)
	_, _, left := Parse(name, fixed)
	assert.Empty(t, left, "it leaves %v in\n%s", left, fixed)
}

func TestJSONMistakes(t *testing.T) {
	t.Parallel()
	const whole = `{"name": "A",
 "description": "d",
 "persona_identity_prompt": "p",
 "machines": []}
`
	tests := []struct{ name, old, changed, says, right string }{
		{"a comma too many", "[]}", "[],«}»", "remove the comma before this }", `"machines": []}`},
		{"a comma too many in a list", "[]}", `[{"machine_key": "m", "states": [], "transitions": [],«}»]}`, "remove the comma before this }", ""},
		{"a comma too few", `"d",`, `"d«"»`, "a comma is missing here", `"description": "d",`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			checkMistake(t, "a.json", strings.Replace(whole, test.old, test.changed, 1), test.says, test.right)
		})
	}
}

func TestTextFixRefusesOtherText(t *testing.T) {
	t.Parallel()
	fix := Fix{Kind: FixText, Value: "x", Start: 2, End: 4, Old: "cd"}
	assert.Equal(t, string(assert.Value(fix.Apply([]byte("\ufeffabcdef")))(t)), "\ufeffabxef")
	for _, src := range []string{"", "abc", "abdc", "a"} {
		got, err := fix.Apply([]byte(src))
		assert.True(t, err != nil, "%q gives %q", src, got)
	}
}
