package personas_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

const baseText = `name: Gate
description: d
persona_identity_prompt: p
machines:
  - machine_key: m
    name: M
    states:
      - {state_key: a, label: A, is_initial_state: true, offline: {examples: {pass: [one, two, three]}}}
      - {state_key: b, label: B, is_terminal_state: true}
    transitions:
      - {from_state_key: a, to_state_key: b, decision_type: pass, score_delta: 1}
      - {from_state_key: a, decision_type: reject}
`

func encode(t testing.TB, p personas.Persona) string {
	t.Helper()
	return string(assert.Value(personas.EncodeYAML(p))(t))
}

func mergeTexts(t testing.TB, base, mine, theirs string) (*personas.Merged, error) {
	t.Helper()
	b, m, th := readPersona(t, base), readPersona(t, mine), readPersona(t, theirs)
	return personas.Merge(&b, &m, &th)
}

// edit returns the base text with replacements, given as pairs of old and new text.
func edit(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(baseText) }

// TestMerge: each side's changes are taken if the other left the member alone.
func TestMerge(t *testing.T) {
	for name, c := range map[string]struct{ mine, theirs, want string }{
		"one side":             {edit("label: A", "label: Aa"), baseText, edit("label: A", "label: Aa")},
		"the other":            {baseText, edit("label: A", "label: Aa"), edit("label: A", "label: Aa")},
		"different members":    {edit("label: A", "label: Aa"), edit("label: B", "label: Bb"), edit("label: A", "label: Aa", "label: B", "label: Bb")},
		"the same change":      {edit("label: A", "label: Aa"), edit("label: A", "label: Aa"), edit("label: A", "label: Aa")},
		"of one item":          {edit("label: A", "label: Aa"), edit("is_initial_state: true", "is_initial_state: true, max_redirects: 2"), edit("label: A", "label: Aa", "is_initial_state: true", "is_initial_state: true, max_redirects: 2")},
		"texts added":          {edit("three]", "three, four]"), edit("[one", "[zero, one"), edit("[one, two, three]", "[zero, one, two, three, four]")},
		"a text out, one in":   {edit("two, ", ""), edit("three]", "three, four]"), edit("[one, two, three]", "[one, three, four]")},
		"a state on each side": {edit("    transitions:", "      - {state_key: c, is_terminal_state: true}\n    transitions:"), edit("      - {state_key: b", "      - {state_key: e, is_terminal_state: true}\n      - {state_key: b"), edit("      - {state_key: b", "      - {state_key: e, is_terminal_state: true}\n      - {state_key: b", "    transitions:", "      - {state_key: c, is_terminal_state: true}\n    transitions:")},
		"a row out, one changed": {edit("      - {from_state_key: a, decision_type: reject}\n", ""), edit("score_delta: 1", "score_delta: 2"),
			edit("      - {from_state_key: a, decision_type: reject}\n", "", "score_delta: 1", "score_delta: 2")},
		"moved and changed": {edit("[one, two, three]", "[three, two, one]"), edit("label: B", "label: Bb"), edit("[one, two, three]", "[three, two, one]", "label: B", "label: Bb")},
		"an unknown member": {edit("name: M", "name: M\n    x-note: {a: 1, b: 2}"), edit("name: M", "name: N"), edit("name: M", "name: N\n    x-note: {a: 1, b: 2}")},
	} {
		r, err := mergeTexts(t, baseText, c.mine, c.theirs)
		if err != nil || len(r.Conflicts) > 0 {
			t.Errorf("%s: %v, %+v", name, err, r)
			continue
		}
		got, want := encode(t, r.Mine), encode(t, readPersona(t, c.want))
		assert.True(t, got == want && encode(t, r.Theirs) == want, "%s:\n%swant\n%s", name, got, want)
	}
}

// TestConflicts: different changes of both sides are reported with their place, and the rest is still merged.
func TestConflicts(t *testing.T) {
	for name, c := range map[string]struct{ mine, theirs, path string }{
		"a text":                   {edit("label: A", "label: Aa"), edit("label: A", "label: Ab"), "machines[m].states[a].label"},
		"taken out, changed":       {edit("label: A, ", ""), edit("label: A", "label: Ab"), "machines[m].states[a].label"},
		"an item taken out":        {edit("      - {state_key: b, label: B, is_terminal_state: true}\n", ""), edit("label: B", "label: Bb"), "machines[m].states[b]"},
		"a line rewritten":         {edit("two", "two A"), edit("two", "two B"), "machines[m].states[a].offline.examples.pass"},
		"another target":           {edit("to_state_key: b", "to_state_key: a"), edit("to_state_key: b, ", ""), "machines[m].transitions"},
		"two orders":               {edit("[one, two, three]", "[three, two, one]"), edit("[one, two, three]", "[two, one, three]"), "machines[m].states[a].offline.examples.pass"},
		"both added it":            {edit("name: M", "name: M\n    x-note: 1"), edit("name: M", "name: M\n    x-note: 2"), "machines[m].x-note"},
		"a member of another kind": {edit("name: M", "name: M\n    x-note: {a: 1}"), edit("name: M", "name: M\n    x-note: [1]"), "machines[m].x-note"},
	} {
		theirs := strings.Replace(c.theirs, "description: d", "description: their words", 1)
		r, err := mergeTexts(t, baseText, c.mine, theirs)
		if err != nil || len(r.Conflicts) != 1 || r.Conflicts[0].Path != c.path {
			t.Errorf("%s: %v, %+v", name, err, r)
			continue
		}
		mine := strings.Replace(c.mine, "description: d", "description: their words", 1)
		assert.Equal(t, encode(t, r.Mine), encode(t, readPersona(t, mine)), "%s: mine", name)
		assert.Equal(t, encode(t, r.Theirs), encode(t, readPersona(t, theirs)), "%s: theirs", name)
	}
}

// TestKeysOfItems: items that are equal, or have strange keys, are not lost.
func TestKeysOfItems(t *testing.T) {
	text := baseText + "variables: [{key: x, value: '1'}, {key: x, value: '2'}, {key: 'x#2', value: '3'}, {key: '\"', value: '4'}]\n"
	changed := strings.Replace(text, "label: A", "label: Aa", 1)
	r, err := mergeTexts(t, text, strings.Replace(text, "value: '3'", "value: '5'", 1), changed)
	assert.Must(t, err == nil && len(r.Conflicts) == 0, "%v: %v", err, r)
	want := encode(t, readPersona(t, strings.Replace(changed, "value: '3'", "value: '5'", 1)))
	assert.Equal(t, encode(t, r.Mine), want)
}

// TestMergeLaws: an unchanged side loses, equal sides have no conflicts, and swapped sides swap the result.
func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		draw := func(name string) *personas.Persona {
			texts := rapid.SliceOfN(rapid.SampledFrom([]string{"one", "two", "three", "four"}), 0, 4).Draw(r, name+" texts")
			states := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 1, 4, rapid.ID[string]).Draw(r, name+" states")
			text := "name: N\ndescription: " + rapid.SampledFrom([]string{"d", "e", "f"}).Draw(r, name+" description") + "\npersona_identity_prompt: p\nmachines:\n  - machine_key: m\n    states:\n"
			for i, s := range states {
				text += fmt.Sprintf("      - {state_key: %s, label: L%s, is_initial_state: %t, offline: {examples: {pass: [%s]}}}\n", s, rapid.SampledFrom([]string{"1", "2"}).Draw(r, name+" label"), i == 0, strings.Join(texts, ", "))
			}
			text += "    transitions:\n"
			for _, d := range rapid.SliceOfN(rapid.SampledFrom([]string{"pass", "reject", "redirect"}), 1, 3).Draw(r, name+" rows") {
				text += "      - {from_state_key: a, decision_type: " + d + "}\n"
			}
			p, _, _ := personas.Parse("p.yaml", []byte(text)) // Lint's errors do not matter here.
			return &p
		}
		base, mine, theirs := draw("base"), draw("mine"), draw("theirs")
		want := encode(t, *mine)
		for _, sides := range [][3]*personas.Persona{{base, mine, base}, {base, base, mine}, {base, mine, mine}} {
			if m, err := personas.Merge(sides[0], sides[1], sides[2]); err != nil || len(m.Conflicts) > 0 || encode(t, m.Mine) != want {
				r.Fatalf("%v, %+v", err, m)
			}
		}
		ab, err := personas.Merge(base, mine, theirs)
		ba, err2 := personas.Merge(base, theirs, mine)
		if err != nil || err2 != nil || len(ab.Conflicts) != len(ba.Conflicts) || (encode(t, ab.Mine) == encode(t, ab.Theirs)) != (len(ab.Conflicts) == 0) {
			r.Fatalf("%v, %v\n%+v\n%+v", err, err2, ab, ba)
		}
	})
}
