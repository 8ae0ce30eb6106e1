package personas_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

const commented = `# yaml-language-server: $schema=persona.schema.json

# The gate at night.
name: Gate # a short one
description: >-
  A gate that nobody
  passes at night.
persona_identity_prompt: |
  You are a gate.

  You creak.
machines:
  # The only one.
  - machine_key: m
    name: M
    states:
      # Where it begins.
      - state_key: a # first
        label: "A"
        is_initial_state: true
        offline:
          examples:
            # polite ones
            pass:
              - one # the best
              - two
      - {state_key: b, label: B, is_terminal_state: true} # the end
    transitions:
      - {from_state_key: a, to_state_key: b, decision_type: pass, priority: 0} # in
      # out
      - {from_state_key: a, decision_type: reject}
# That is all.
`

func readPersona(t testing.TB, text string) personas.Persona {
	t.Helper()
	p, _, faults := personas.Parse("p.yaml", []byte(text))
	assert.Empty(t, faults, text)
	return p
}

func rewriteTo(t testing.TB, text string, want personas.Persona) string {
	t.Helper()
	mine, theirs := personas.Choice{Label: "mine", Doc: want}, personas.Choice{Label: "theirs", Doc: want}
	return string(assert.Value(personas.Rewrite("p.yaml", []byte(text), mine, theirs))(t))
}

// TestRewrite: changed values are written again, and everything else keeps its notation.
func TestRewrite(t *testing.T) {
	for name, pairs := range map[string][]string{
		"nothing":               {},
		"a plain text":          {"name: Gate #", "name: Door #"},
		"a quoted text":         {`label: "A"`, `label: "A: b"`},
		"a folded text":         {">-\n  A gate that nobody\n  passes at night.", "A gate that somebody passes at night."},
		"a text of lines":       {"You creak.", "You squeak.\n  Loudly."},
		"in brackets":           {"      - {state_key: b, label: B, is_terminal_state: true} # the end\n", "      # the end\n      - state_key: b\n        label: C, d\n        is_terminal_state: true\n"},
		"a member taken out":    {"    name: M\n", ""},
		"a member put in":       {"    name: M\n", "    name: M\n    description: d\n"},
		"an item put in":        {"              - two\n", "              - two\n              - three\n"},
		"an item taken out":     {"              - one # the best\n", ""},
		"items exchanged":       {"              - one # the best\n              - two\n", "              - two\n              - one # the best\n"},
		"a state put in":        {"    transitions:\n", "      - state_key: c\n        is_terminal_state: true\n    transitions:\n"},
		"a row with its remark": {"      # out\n      - {from_state_key: a, decision_type: reject}\n", ""},
		"the first member":      {"state_key: a # first\n        label: \"A\"\n", "state_key: a # first\n        label: \"Z\"\n"},
	} {
		want := strings.NewReplacer(pairs...).Replace(commented)
		assert.Equal(t, rewriteTo(t, commented, readPersona(t, want)), want, name)
	}
}

// TestRewriteChoices: only members that the two sides changed differently are between conflict markers.
func TestRewriteChoices(t *testing.T) {
	for name, c := range map[string]struct{ mine, theirs, want []string }{
		"a member": {[]string{`label: "A"`, `label: "Mine"`}, []string{`label: "A"`, `label: "Theirs"`},
			[]string{"        label: \"A\"\n", "<<<<<<< mine\n        label: \"Mine\"\n=======\n        label: \"Theirs\"\n>>>>>>> theirs\n"}},
		"in brackets": {[]string{`label: B`, `label: Mine`}, []string{`label: B`, `label: Theirs`},
			[]string{"      - {state_key: b, label: B, is_terminal_state: true} # the end\n", "<<<<<<< mine\n      - {state_key: b, label: Mine, is_terminal_state: true} # the end\n=======\n      # the end\n      - state_key: b\n        label: Theirs\n        is_terminal_state: true\n>>>>>>> theirs\n"}},
		"taken out": {[]string{"    name: M\n", ""}, []string{"    name: M\n", "    name: Theirs\n"},
			[]string{"    name: M\n", "<<<<<<< mine\n=======\n    name: Theirs\n>>>>>>> theirs\n"}},
		"the first member": {[]string{"name: Gate #", "name: Mine #"}, []string{"name: Gate #", "name: Theirs #"},
			[]string{"name: Gate # a short one\n", "<<<<<<< mine\nname: Mine # a short one\n=======\nname: Theirs # a short one\n>>>>>>> theirs\n"}},
	} {
		mine, theirs := strings.NewReplacer(c.mine...).Replace(commented), strings.NewReplacer(c.theirs...).Replace(commented)
		ours := personas.Choice{Label: "mine", Doc: readPersona(t, mine)}
		others := personas.Choice{Label: "theirs", Doc: readPersona(t, theirs)}
		got := assert.Value(personas.Rewrite("p.yaml", []byte(mine), ours, others))(t, name)
		assert.Equal(t, string(got), strings.NewReplacer(c.want...).Replace(commented), name)
	}
}

func TestRewriteRefuses(t *testing.T) {
	want := readPersona(t, commented)
	for name, text := range map[string]string{
		"JSON":          `{"name": "A"}`,
		"brackets":      "{name: A}",
		"a merge key":   "x-base: &b {label: L}\n" + strings.Replace(commented, "label: \"A\"", "<<: *b", 1),
		"twice a name":  commented + "name: B\n",
		"no YAML":       "a: [",
		"an empty text": "",
		"a list":        "- state_key: a\n",
	} {
		got, err := personas.Rewrite("p.yaml", []byte(text), personas.Choice{Doc: want}, personas.Choice{Doc: want})
		assert.True(t, errors.Is(err, personas.ErrRewrite) && got == nil, "%s: %v\n%s", name, err, got)
	}
}

// TestRewriteSamples: rewriting any sample into any other sample gives a text with the meaning of the other sample.
func TestRewriteSamples(t *testing.T) {
	files, err := filepath.Glob("examples/*.yaml")
	assert.Must(t, err == nil && len(files) >= 2, "%v: %v", files, err)
	for _, from := range files {
		for _, to := range files {
			source, target := readFile(t, from), readPersona(t, readFile(t, to))
			got := rewriteTo(t, source, target)
			assert.True(t, from != to || got == source, "%s is not left alone:\n%s", from, got)
		}
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	return string(assert.Value(os.ReadFile(path))(t))
}

// FuzzRewrite: any text rewritten to any persona reads as that persona, or is refused.
func FuzzRewrite(f *testing.F) {
	f.Add(commented, commented)
	f.Add(commented, "name: A\ndescription: |+\n  x\n\npersona_identity_prompt: p\nmachines: [{machine_key: m, states: [{state_key: a}], transitions: []}]\n")
	f.Add("name: >\n  a\n  b\nmachines:\n- machine_key: m\n  states:\n  - state_key: a\n", commented)
	f.Fuzz(func(t *testing.T, text, other string) {
		want, _, faults := personas.Parse("p.yaml", []byte(other))
		if len(faults) > 0 {
			return
		}
		got, err := personas.Rewrite("p.yaml", []byte(text), personas.Choice{Doc: want}, personas.Choice{Doc: want})
		if err != nil {
			assert.Must(t, errors.Is(err, personas.ErrRewrite), err)
			return
		}
		again, _, faults := personas.Parse("p.yaml", got)
		assert.Empty(t, faults, got)
		a, _ := personas.EncodeJSON(want)
		b, _ := personas.EncodeJSON(again)
		assert.Must(t, string(a) == string(b), "%s\nbecame\n%s\nwanted\n%s", text, got, other)
	})
}
