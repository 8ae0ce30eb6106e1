package personas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
)

func parseOneFault(t *testing.T, name, src string) Diagnostic {
	t.Helper()
	_, _, faults := Parse(name, []byte(src))
	assert.Must(t, len(faults) == 1, "%d faults in %.200q: %.2000v", len(faults), src, faults)
	return faults[0]
}

func TestTextsThatCannotBeRead(t *testing.T) {
	tests := []struct{ name, src, place, words string }{
		{"a.yaml", "", "1:1", "empty"},
		{"a.yaml", "# only a comment\n", "1:1", "empty"},
		{"a.yaml", "~", "1:1", "empty"},
		{"a.yaml", "- a\n- b\n", "1:1", "the document must be an object with members, but it is a list"},
		{"a.yaml", "hello", "1:1", `but it is the string "hello"`},
		{"a.json", `{"b": }`, "1:7", "not valid JSON"},
		{"a.yaml", "{\n\"b\": }", "2:6", "not valid JSON"},
		{"a.json", "name: x", "1:2", "not valid JSON"},
		{"a.json", `{"a": 1} x`, "1:10", "not valid JSON"},
		{"a.json", "{\r\n\"é\": \"x\",\r\n", "3:1", "the text ends before"},
		{"a.json", "[1e999]", "1:2", "cannot be stored"},
		{"a.yaml", "name: a\n---\nname: b\n", "2:1", "a second document"},
		{"a.yaml", "name: \xff", "1:7", "not valid UTF-8"},
		{"a.yaml", "name: \x00", "1:7", "NUL"},
		{"a.yaml", "name: \x1b[0m", "1:7", "U+001B"},
		{"a.yaml", "\xff\xfen\x00", "1:1", "UTF-16"},
		{"a.yaml", "\x7fELF\x02\x01\x01\x00\x00", "1:5", "U+0002"},
		{"a.yaml", "machines:\n\t- a: b\n", "2:1", "a tab is used for indentation; use spaces; write it as: - a: b"},
		{"a.yaml", "a: b: c\n", "1:4", `write it as: a: "b: c"`},
		{"a.yaml", "a: 'b\n", "1:4", "the quote that opens here is never closed; write it as: a: 'b'"},
		{"a.yaml", "a: @b\n", "1:4", `a text cannot start with "@"`},
		{"a.yaml", "a: *b\n", "1:4", "unknown anchor"},
		{"a.yaml", "a:\n  - b\n c: d\n", "3:2", "indentation"},
		{"a.yaml", "a: [b\nc: d\n", "2:2", "the bracket that opens on line 1 is never closed"},
		{"a.json", `{"name":"n","description":"a\u0000","persona_identity_prompt":"i","machines":[]}`, "1:27", "NUL character"},
		{"a.yaml", "a: &a [*a]\n", "1:8", "contains itself"},
		{"a.yaml", "a: &a\n  <<: *a\n", "2:7", "contains itself"},
		{"a.yaml", "a: !!binary aGk=\n", "1:13", "the tag \"!!binary\" is not supported"},
		{"a.yaml", "a: .inf\n", "1:4", "cannot be stored"},
		{"a.yaml", "a: !!bool maybe\n", "1:11", "not a boolean"},
		{"a.yaml", "a:\n  <<: b\n", "2:7", "a merge key (<<) needs an object"},
		{"a.yaml", "? [a]\n: b\n", "1:3", "the name of a member must be text"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s %.40q", test.name, test.src), func(t *testing.T) {
			f := parseOneFault(t, test.name, test.src)
			place := fmt.Sprintf("%d:%d", f.Line, f.Column)
			assert.True(t, place == test.place && strings.Contains(f.Message, test.words), "%q: %v, not %s: ...%s...", test.src, f, test.place, test.words)
		})
	}
}

func TestLimitsOfTexts(t *testing.T) {
	head := "name: n\ndescription: d\npersona_identity_prompt: i\nmachines: []\n"
	fill := func(size int) string { return head + "x-a: " + strings.Repeat("a", size-len(head)-5) }
	nest := func(n int) string { return head + "x-a: " + strings.Repeat("[", n) + strings.Repeat("]", n) }
	nestJSON := func(n int) string { return `{"x-a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}" }
	tests := []struct{ name, file, src, words string }{
		{"largest file", "a.yaml", fill(MaxFile), ""},
		{"a byte too many", "a.yaml", fill(MaxFile + 1), "at most 8388608 are allowed"},
		{"far too many bytes", "a.yaml", fill(50 << 20), "at most 8388608 are allowed"},
		{"deepest nesting", "a.yaml", nest(maxDepth - 1), ""},
		{"a level too many", "a.yaml", nest(maxDepth), "nests deeper"},
		{"far too deep", "a.yaml", nest(1 << 18), "nests deeper"},
		{"a level too many in JSON", "a.json", nestJSON(maxDepth), "nests deeper"},
		{"far too deep in JSON", "a.json", nestJSON(5000), "nests deeper"},
		{"too many values", "a.yaml", head + "x-a: [" + strings.Repeat("1,", 1<<20) + "1]", "too many values"},
		{"too many bytes in JSON", "a.json", `{"x-a":[` + strings.Repeat("1,", 4<<20) + "1]}", "bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, faults := Parse(test.file, []byte(test.src))
			if test.words == "" {
				assert.Must(t, len(faults) == 0, "%.60q of %d bytes: %v", test.src, len(test.src), faults)
				return
			}
			assert.Must(t, len(faults) == 1, "%.60q of %d bytes: %v", test.src, len(test.src), faults)
			assert.Contains(t, faults[0].Message, test.words)
		})
	}
	const persona = `{"name":"n","description":"d","persona_identity_prompt":"i","machines":[],`
	deepest := strings.Replace(nestJSON(maxDepth-1), "{", persona, 1)
	if _, _, faults := Parse("a.json", []byte(deepest)); len(faults) > 0 {
		t.Errorf("at the limit of depth: %v", faults)
	}
	f := parseOneFault(t, "a.json", `{"x-a":[`+strings.Repeat("1,", 2<<20)+"1]}")
	assert.Contains(t, f.Message, "too many values", "many values: %v", f)
}

// TestBombs: small texts with a huge meaning are rejected quickly, without using the memory that they would need.
func TestBombs(t *testing.T) {
	var laughs, merges, chain, empty strings.Builder
	laughs.WriteString("x-a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n")
	chain.WriteString("x-a0: &a0 [lol]\n")
	for i := range 30 {
		alias := fmt.Sprintf("*a%d", i)
		fmt.Fprintf(&laughs, "x-a%d: &a%d [%s]\n", i+1, i+1, strings.Join(slices.Repeat([]string{alias}, 10), ", "))
	}
	for i := range 5000 {
		fmt.Fprintf(&chain, "x-a%d: &a%d [*a%d]\n", i+1, i+1, i)
	}
	merges.WriteString("x-a: &a\n")
	for i := range 20000 {
		fmt.Fprintf(&merges, "  k%d: v\n", i)
	}
	merges.WriteString("x-b:\n" + strings.Repeat("  - <<: *a\n", 20000))
	big := "x-a: &a " + strings.Repeat("x", 1<<20) + "\nx-b: [" + strings.Repeat("*a, ", 100000) + "]\n"
	empty.WriteString("x-a:\n")
	for i := range 4000 {
		fmt.Fprintf(&empty, "  y%d: 1\n  <<: {}\n", i)
	}
	used := assert.Allocated(func() { _, _, _ = Parse("empty.yaml", []byte(empty.String())) }) >> 20
	assert.True(t, used <= 100, "empty merges: %d MiB", used)
	for name, src := range map[string]string{"laughs": laughs.String(), "merges": merges.String(), "chain": chain.String(), "big": big} {
		t.Run(name, func(t *testing.T) {
			var f Diagnostic
			used := assert.Allocated(func() { f = parseOneFault(t, name+".yaml", src) }) >> 20
			assert.True(t, used <= 200, "%s: %d MiB", name, used)
			assert.True(t, f.Line >= 2 && (strings.Contains(f.Message, "too many values") || strings.Contains(f.Message, "nests deeper")), "%s: %v", name, f)
		})
	}
}

func TestAliasesAndMergeKeys(t *testing.T) {
	src := `
x-base: &base {is_terminal_state: true, label: Over}
x-more: &more {label: More, prompt_instruction: p}
name: &n Ada
description: *n
persona_identity_prompt: *n
machines:
  - machine_key: m
    states:
      - {<<: *base, state_key: a}
      - <<: [*base, *more]
        label: Mine
        state_key: b
    transitions: []
`
	p, m, faults := Parse("a.yaml", []byte(src))
	want := []State{{Key: "a", Label: "Over", IsTerminal: true}, {Key: "b", Label: "Mine", IsTerminal: true, PromptInstruction: "p"}}
	assert.Must(t, len(faults) == 0, "%v\n%+v", faults, p)
	assert.Equal(t, p.Description, "Ada")
	assert.DeepEqual(t, p.Machines[0].States, want)
	at := m.Lookup("description")
	assert.Equal(t, at, Position{Line: 5, Column: 14, EndLine: 5, EndColumn: 16})
}

func TestSpellings(t *testing.T) {
	for spelling, want := range map[string]ScoringMode{"scoring": Scoring, "numeric": Scoring, "pass_fail": PassFail, "pass/fail": PassFail, "binary": PassFail, "null": ""} {
		t.Run(spelling, func(t *testing.T) {
			src := strings.Replace(full, "scoring_mode: pass/fail", "scoring_mode: "+spelling, 1)
			p, _, faults := Parse("a.yaml", []byte(src))
			assert.True(t, len(faults) == 0 && p.Machines[0].ScoringMode == want, "%s: %q %v", spelling, p.Machines[0].ScoringMode, faults)
		})
	}
	for spelling, want := range map[string]int{"3": 3, "0x10": 16, "1_000": 1000, "3.0": 3, "1e3": 1000, "-0": 0, "1000000000": MaxInteger, "-1000000000": -MaxInteger} {
		t.Run(spelling, func(t *testing.T) {
			src := strings.Replace(full, "pass_threshold: 3", "pass_threshold: "+spelling, 1)
			p, _, faults := Parse("a.yaml", []byte(src))
			assert.True(t, len(faults) == 0 && p.Machines[0].Threshold() == want, "%s: %v %v", spelling, p.Machines[0].PassThreshold, faults)
		})
	}
}

func TestAllFaultsAreTold(t *testing.T) {
	src := strings.NewReplacer(
		"name: Ada", "name: 5\nname: b",
		"decision_type: pass", "decision_type: past",
		"max_redirects: 0", "max_redirects: null",
		"x-own: {a: 1}", "x-own: {a: 1, a: 2}\nx-nul: 1",
		"label", "lable",
		"pass_threshold: 3", "pass_threshold: true",
		"is_initial_state: true", "is_initial_state: yes",
	).Replace(full)
	_, _, faults := Parse("a.yaml", []byte(src))
	want := []string{
		`2:7 name must be a string, but it is the number 5; quote it: "5"`,
		`3:1 name occurs twice, first on line 2; remove one`,
		`8:15 a occurs twice, first on line 8; remove one`,
		`14:21 pass_threshold must be a whole number, but it is the boolean true`,
		`17:27 is_initial_state must be true or false, but it is the string "yes"; write true`,
		`28:61 decision_type "past" is not one of "pass", "redirect", "reject" or "kick_out"; did you mean "pass"?`,
	}
	var got []string
	for _, f := range faults {
		got = append(got, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Message))
	}
	assert.EqualSlices(t, got, want, "faults")
}

func TestFaultsAreBounded(t *testing.T) {
	_, _, faults := Parse("a.yaml", []byte("machines:\n"+strings.Repeat("- 1\n", MaxValues-10)))
	assert.Equal(t, len(faults), maxFaults+1, "faults")
}

func textAt(src string, p Position) string {
	t := newText(strings.TrimPrefix(src, byteOrderMark))
	at := func(line, column int) int {
		start := t.lines[line-1]
		return start + len(string([]rune(t.src[start:])[:column-1]))
	}
	return t.src[at(p.Line, p.Column):at(p.EndLine, p.EndColumn)]
}

const placed = "# é\nname: \"Ä: \\\"x\\\"\" # c\ndescription: 'it''s'\n" +
	"persona_identity_prompt: |+ # why\n  You are\n\n  Ada. \n\n" +
	"perplexity_description: &p >-\n  folded\n  text\n" +
	"x-日本: [ a, {b: [1, 2]}, # c\n  *p ]\n\"x-q.r\": !!str plain\n  more\n" +
	"machines:\n- machine_key: m\n  states:\n    - {state_key: é, label: \"🙂\"}\n    -\n      state_key: b\n      label: null\n  transitions: []\n"

func TestPlacesInYAML(t *testing.T) {
	values := map[string]string{
		"name": `"Ä: \"x\""`, "description": "'it''s'",
		"persona_identity_prompt": "|+ # why\n  You are\n\n  Ada.",
		"perplexity_description":  ">-\n  folded\n  text",
		"x-日本":                    "[ a, {b: [1, 2]}, # c\n  *p ]",
		"x-日本[1].b":               "[1, 2]", "x-日本[1].b[1]": "2", "x-日本[2]": "*p", `["x-q.r"]`: "plain\n  more",
		"machines[0].machine_key":               "m",
		"machines[0].states[0]":                 `{state_key: é, label: "🙂"}`,
		"machines[0].states[0].label":           `"🙂"`,
		"machines[0].states[1]":                 "state_key: b\n      label: null",
		"machines[0].states[1].state_key":       "b",
		"machines[0].states[0].offline.opening": `{state_key: é, label: "🙂"}`,
		"machines[0].transitions":               "[]",
		"machines[0].states[7].label":           "- {state_key: é, label: \"🙂\"}\n    -\n      state_key: b\n      label: null",
	}
	for _, mark := range []string{"", byteOrderMark} {
		for _, end := range []string{"\n", "\r\n"} {
			src := mark + strings.ReplaceAll(placed, "\n", end)
			_, m, _ := Parse("a.yaml", []byte(src))
			for path, want := range values {
				assert.Equal(t, textAt(src, m.Lookup(path)), strings.ReplaceAll(want, "\n", end), "%q: %s %q", mark+end, path, want)
			}
			for path, want := range map[string]string{"x-日本": "x-日本", `["x-q.r"]`: `"x-q.r"`, "machines[0].states[1].label": "label", "name": "name"} {
				assert.Equal(t, textAt(src, m.Key(path)), want, "%q: the name at %s", mark+end, path)
			}
		}
	}
}

func TestPlacesInJSON(t *testing.T) {
	src := byteOrderMark + "{ \"né\" : \"a\\\"\\ud83d\\ude00\", \"x\":[ 1 , {\"b\" : null}]\r\n,\t\"c\": -1.5e3 }"
	_, m, _ := Parse("a.json", []byte(src))
	for path, want := range map[string]string{"": strings.TrimPrefix(src, byteOrderMark), "né": `"a\"\ud83d\ude00"`, "x": `[ 1 , {"b" : null}]`, "x[0]": "1", "x[1].b": "null", "c": "-1.5e3", "x[1].nothing": `{"b" : null}`} {
		t.Run(fmt.Sprintf("%q", path), func(t *testing.T) { assert.Equal(t, textAt(src, m.Lookup(path)), want, path) })
	}
	assert.Equal(t, textAt(src, m.Key("né")), `"né"`, "name")
	at := m.Lookup("c")
	assert.True(t, at.Line == 2 && at.Column == 8, "a tab is one column: %v", at)
	assert.Equal(t, (SourceMap{}).Lookup("a"), startOfText(), "the zero map")
}

// TestUnmarshalIsLiberal: JSON of other programs is read leniently, except for wrong types.
func TestUnmarshalIsLiberal(t *testing.T) {
	var p Persona
	assert.NoError(t, json.Unmarshal([]byte(`{"name":"n","description":null,"machines":[{"machine_key":"A B","states":null,"transitions":[{"decision_type":"dance","id":7}]}]}`), &p))
	assert.DeepEqual(t, p, Persona{Name: "n", Machines: []Machine{{Key: "A B", Transitions: []Transition{{Decision: "dance", Extra: Members{{"id", json.RawMessage("7")}}}}}}})
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"name":["n"]}`), &p), "name must be a string, but it is a list")
}

func TestSetScalar(t *testing.T) {
	src := "# top\nname:   Ada # who\n\nmachines: [ {machine_key: m, pass_threshold: 3, is_entry_machine: true} ]\n" +
		"description: \"d\"   # c\npersona_identity_prompt: |\n    You are\n    Ada.\n\n# end\nx-e:\nx-s: 'it'\nx-a: &a shared\nx-b: *a\n"
	tests := []struct{ path, value, from, to string }{
		{"name", "Eve", "Ada # who", "Eve # who"},
		{"name", "yes", "Ada # who", `"yes" # who`},
		{"name", "a\nb", "Ada # who", `"a\nb" # who`},
		{"machines[0].machine_key", "a,b", "machine_key: m", `machine_key: "a,b"`},
		{"machines[0].pass_threshold", "-5", "pass_threshold: 3", "pass_threshold: -5"},
		{"machines[0].is_entry_machine", "false", "is_entry_machine: true", "is_entry_machine: false"},
		{"description", "x", `"d"   # c`, `"x"   # c`},
		{"persona_identity_prompt", "You are\n\nEve.\n", "|\n    You are\n    Ada.", "|\n  You are\n\n  Eve."},
		{"x-e", "v", "x-e:", "x-e: v"},
		{"x-s", "isn't", "'it'", "'isn''t'"},
		{"x-b", "own", "*a", "own"},
	}
	for _, end := range []string{"\n", "\r\n"} {
		for _, test := range tests {
			t.Run(fmt.Sprintf("%s to %q, lines end with %q", test.path, test.value, end), func(t *testing.T) {
				in := strings.ReplaceAll(src, "\n", end)
				want := strings.Replace(in, strings.ReplaceAll(test.from, "\n", end), strings.ReplaceAll(test.to, "\n", end), 1)
				got := assert.Value(SetScalar([]byte(byteOrderMark+in), test.path, test.value))(t)
				assert.True(t, string(got) == byteOrderMark+want, "%s = %q:\n%s", test.path, test.value, got)
			})
		}
	}
	for _, path := range []string{"x-a", "machines", "machines[1].name", "nothing"} {
		got, err := SetScalar([]byte(src), path, "v")
		assert.True(t, err != nil, "%s: no error, but\n%s", path, got)
	}
	_, err := SetScalar([]byte(src), "machines[0].pass_threshold", "many")
	assert.True(t, err != nil, "a number became a string")
	got := assert.Value(SetScalar([]byte(`{"name": "Ada", "x": 1}`), "name", "E\nve"))(t)
	assert.True(t, string(got) == `{"name": "E\nve", "x": 1}`, got)
}

func TestPlaceholders(t *testing.T) {
	values := map[string]string{"a": "1", "b c": "{{a}}", "player_name": "$1 \\"}
	lookup := func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	for text, want := range map[string]string{
		"":                            "",
		"{{a}}":                       "1",
		"é{{ a }}{{b c}}.":            "é1{{a}}.",
		"{{unknown}} {{player_name}}": "{{unknown}} $1 \\",
		"{{{a}}}":                     "{1}",
		"{{a\n}} {{}} {{a} {{ {{a":    "{{a\n}} {{}} {{a} {{ {{a",
		"{{x {{a}}":                   "{{x 1",
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			got, fits := Expand(text, lookup)
			assert.True(t, got == want && fits, "%q becomes %q, not %q", text, got, want)
		})
	}
	got := Placeholders("é{{a}} {{ b }}")
	assert.Must(t, len(got) == 2, "%+v", got)
	assert.Equal(t, got[0].Name, "a")
	assert.Equal(t, got[0].Offset, 2)
	assert.Equal(t, got[1].Name, "b")
	assert.Equal(t, got[1].Offset, 8)
}

func TestLookups(t *testing.T) {
	p, _, _ := Parse("a.yaml", []byte(full))
	assert.True(t, p.Machine("a") == &p.Machines[0] && p.Machine("b") == nil, "a machine is found by its key")
	v, ok := NewVariableTable(&p).Default("k")
	assert.True(t, v == "v" && ok, "default %q %v", v, ok)
	_, ok = NewVariableTable(&p).Default("o")
	assert.True(t, !ok, "an output variable has no default")
	assert.EqualSlices(t, p.VariableKeys(), []string{"k", "o", "k"})
}

func FuzzParse(f *testing.F) {
	for _, src := range []string{full, placed, `{"name": "a", "machines": [{"states": {}}]}`, "a: &a [*a]", "<<: [{a: b}]", "a: |2\n   b\n", "? |\n  k\n: v", "a: \"\u2028\"\rb: >-\n c",
		"name: [\n", "name: *anchor\nx: &b c\n", "{{", "\"", "'", "a:\n\t- [", "- - - :", "a: |x\n", "{\"a\": 1 /", "a: “", "a: b: c: d\n e: f\n", "%YAML 9\n---\n", "a: 'b\n'c': 'd\n"} {
		f.Add("a.yaml", []byte(src))
		f.Add("a.json", []byte(src))
	}
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		p, m, faults := Parse(name, src)
		lines := newText(strings.TrimPrefix(string(src), byteOrderMark))
		check := func(p Position) {
			for _, at := range [][2]int{{p.Line, p.Column}, {p.EndLine, p.EndColumn}} {
				assert.Must(t, at[0] >= 1 && at[0] <= len(lines.lines), "line %d of %d", at[0], len(lines.lines))
				line := lines.src[lines.lines[at[0]-1]:]
				if at[0] < len(lines.lines) {
					line = lines.src[lines.lines[at[0]-1]:lines.lines[at[0]]]
				}
				assert.Must(t, at[1] >= 1 && at[1] <= utf8.RuneCountInString(line)+1, "column %d of %q", at[1], line)
			}
		}
		for _, fault := range faults {
			check(fault.Position)
			check(m.Lookup(fault.Path))
			check(m.Key(fault.Path))
			if fault.Fix != nil && fault.Fix.Kind == FixText {
				fixed, err := fault.Fix.Apply(src)
				assert.Must(t, err == nil && !bytes.Equal(fixed, src), "%v gives %q, %v", fault, fixed, err)
			}
		}
		if len(faults) == 0 {
			checkRoundTrip(t, p)
		}
	})
}

// TestNULInUnknownMembers: unknown members are kept, so the NUL check applies to them too.
func TestNULInUnknownMembers(t *testing.T) {
	for _, c := range []struct {
		file, member string
		refused      bool
	}{
		{"a.json", `"x-own": "a\u0000b"`, true},
		{"a.json", `"x-own": {"a": [1, {"b\u0000": 2}]}`, true},
		{"a.json", `"x\u0000": 1`, true},
		{"a.json", `"x-own": ["\\\u0000"]`, true},
		{"a.json", `"x-own": "a\\u0000b \\\\u0000"`, false},
		{"a.json", `"x-own": "\u0001 0000"`, false},
		{"a.yaml", `"x-own": 'a\u0000b'`, false},
	} {
		_, _, faults := Parse(c.file, []byte(`{"name": "n", "description": "d", "persona_identity_prompt": "p", "machines": [], `+c.member+`}`))
		found := false
		for _, f := range faults {
			found = found || strings.Contains(f.Message, "NUL")
		}
		assert.Equal(t, found, c.refused, "%s %s: %v", c.file, c.member, faults)
	}
}

// brokenJSON are texts that are nearly JSON, and some that are.
var brokenJSON = []string{
	"", " ", "{", "}", "[", "]", "{}", "[]", "[1,]", "[,1]", "[1 2]", "{,}", `{"a"}`, `{"a":}`, `{"a" 1}`, `{"a":1,}`, `{"a":1 "b":2}`, `{a:1}`, `{"a"::1}`, `{1:2}`, `[1:2]`, "{]", "[}", `{"a":1]`,
	"[[]", "{}{}", "{} x", "null", "nul", "nulll", "True", "true", "false", "fals", "0", "-0", "00", "-", "+1", "1.", ".5", "1.5", "1e", "1e5", "1E+", "1E+5", "-1.25e-3", "0x1", "NaN", "1_000", "--1",
	`"`, `"a`, `"a"`, `"\`, `"\"`, `"\n"`, `"\x"`, `"\u12"`, `"\u12zz"`, `"\u00e9"`, `"\ud800"`, `"\/"`, "\"\t\"", "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "[\"a\"\"b\"]", "\ufeff{}", "//x\n{}", "{}//x", "'a'",
	"\v1", "1\f", "[1\u00a0]", `{"a":{"b":[1,{"c":null}]}} `, "[true,false , null]", `{"":""}`, `["a",]`, "1 ", " 1", "\n[\r\n]\t", "[1,2", `{"a":1,"a":2}`, "tru e", "1 2", "[]]", "{}}", "\x00", "[nulL]",
}

// agreesWithLibrary: the scanner refuses what the standard library refuses, within the bounds of documents.
func agreesWithLibrary(t *testing.T, text string) {
	t.Helper()
	s := &jsonScanner{t: newText(text)}
	s.readDocument()
	assert.True(t, s.fault != nil || s.broken != json.Valid([]byte(text)), "%q: broken %v, valid %v", text, s.broken, !s.broken)
}

func FuzzScannerAgreesWithLibrary(f *testing.F) {
	for _, text := range brokenJSON {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		agreesWithLibrary(t, strings.Clone(text))
		agreesWithLibrary(t, `{"name": `+text+`}`)
		agreesWithLibrary(t, "["+text+", "+text+"]")
	})
}

func TestValues(t *testing.T) {
	raw, places, faults := Values("a.yaml", []byte("# first\nsteps:\n  - say: hi # there\n    expect: {score: 3.0, state: ~}\n"))
	assert.Must(t, len(faults) == 0 && string(raw) == `{"steps":[{"say":"hi","expect":{"score":3.0,"state":null}}]}`, "%s, %v", raw, faults)
	assert.Equal(t, places.Lookup("steps[0].expect.score"), Position{4, 21, 4, 24}, "the score is at")
	for src, want := range map[string]string{
		"":                      "1:1: the document is empty",
		"a: 1\nb: {c: 1, c: 2}": "2:11: c occurs twice, first on line 2; remove one",
		"a: [":                  "",
	} {
		t.Run(fmt.Sprintf("%q", src), func(t *testing.T) {
			_, _, faults := Values("a.yaml", []byte(src))
			assert.True(t, len(faults) == 1 && (want == "" || faults[0].Error() == want), "%q: %v, want %q", src, faults, want)
		})
	}
}

func TestReplace(t *testing.T) {
	const src = "a: # one\n  - x # two\n  - y\nb: {c: 3, d: [z]} # three\ne: &q 1\nf: *q\n"
	for _, c := range []struct{ path, written, want string }{
		{"b.c", "none", "a: # one\n  - x # two\n  - y\nb: {c: none, d: [z]} # three\ne: &q 1\nf: *q\n"},
		{"b.d", "[]", "a: # one\n  - x # two\n  - y\nb: {c: 3, d: []} # three\ne: &q 1\nf: *q\n"},
		{"a", "[x, w]", "a: # one\n  [x, w]\nb: {c: 3, d: [z]} # three\ne: &q 1\nf: *q\n"},
		{"e", "2", ""},
		{"g", "2", ""},
		{"b.c", "[", ""},
		{"", "2", ""},
	} {
		t.Run(fmt.Sprintf("%q with %s", c.path, c.written), func(t *testing.T) {
			got, err := Replace([]byte(src), c.path, c.written)
			assert.Equal(t, string(got), c.want, "%s = %s %v", c.path, c.written, err)
			assert.Equal(t, err == nil, c.want != "", "%s = %s %v", c.path, c.written, err)
		})
	}
}

func valueOf(known, value string) func(string) (string, bool) {
	return func(name string) (string, bool) { return value, name == known }
}

// TestExpandLimit: an expanded text has at most MaxExpanded characters of any number of bytes.
func TestExpandLimit(t *testing.T) {
	for name, c := range map[string]struct{ text, value string }{
		"no placeholder":      {strings.Repeat("é", MaxExpanded), ""},
		"one value":           {"{{a}}", strings.Repeat("é", MaxExpanded)},
		"many values":         {strings.Repeat("{{a}}", 100), strings.Repeat("x", MaxExpanded/100)},
		"text around a value": {"é{{a}}" + strings.Repeat("x", MaxExpanded-11), strings.Repeat("😀", 10)},
	} {
		t.Run(name, func(t *testing.T) {
			expanded, fits := Expand(c.text, valueOf("a", c.value))
			n := utf8.RuneCountInString(expanded)
			assert.True(t, fits && n == MaxExpanded, "at the limit: %d characters, fits %v", n, fits)
			_, fits = Expand(c.text+"y", valueOf("a", c.value))
			assert.True(t, !fits, "one past the limit fits")
		})
	}
}

// TestExpandMemory: a text that would expand to gigabytes uses no more memory than one that fits.
func TestExpandMemory(t *testing.T) {
	text, value := strings.Repeat("{{a}}", MaxPrompt/5), strings.Repeat("é", MaxPrompt)
	fits := true
	cost := assert.Allocated(func() { _, fits = Expand(text, valueOf("a", value)) })
	assert.True(t, !fits && cost <= 1<<20, "fits %v, %d bytes", fits, cost)
}

// templates generates texts of placeholders, braces and words.
func templates() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"{{a}}", "{{ a }}", "{{b}}", "{{no}}", "{{", "}}", "{", " ", "\n", "é", "word", "{{a}", "{{{a}}}", strings.Repeat("x", 3000)})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "") })
}

// TestExpandAgrees: the functions that count and check without building the text agree with Expand.
func TestExpandAgrees(t *testing.T) {
	value := rapid.SampledFrom([]string{"", " ", "\n\t", "x", "{{a}}", strings.Repeat("é", 900), strings.Repeat("y", MaxExpanded), strings.Repeat(" ", 5000)})
	rapid.Check(t, func(t *rapid.T) {
		text := templates().Draw(t, "text")
		values := map[string]string{"a": value.Draw(t, "a"), "b": value.Draw(t, "b")}
		lookup := func(name string) (string, bool) { v, ok := values[name]; return v, ok }
		count := CountExpanded(text, func(name string) (int, bool) { v, ok := values[name]; return utf8.RuneCountInString(v), ok })
		blank := IsBlankExpanded(text, func(name string) (bool, bool) {
			v, ok := values[name]
			return strings.TrimSpace(v) == "", ok
		})
		expanded, fits := Expand(text, lookup)
		assert.Equal(t, fits, count <= MaxExpanded, "counted %d", count)
		if fits {
			assert.Equal(t, utf8.RuneCountInString(expanded), count)
		}
		assert.True(t, !fits || blank == (strings.TrimSpace(expanded) == ""), "blank %v: %q", blank, expanded)
	})
}
