package diff_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/personatest"
)

// base is a persona with a fork, a link, scores, texts and variables.
const base = `
name: Warden
description: Keeps the gate.
persona_identity_prompt: You keep the gate of {{town}} and you trust nobody.
variables:
  - {key: town, value: Elm, description: where it stands}
machines:
  - machine_key: gate
    name: The gate
    pass_threshold: 3
    states:
      - state_key: closed
        is_initial_state: true
        prompt_instruction: The gate is closed. You look down from the wall and ask who is there.
        max_redirects: 3
        offline:
          opening: [Who is there?]
          lines: {pass: [Hm. Go on., Perhaps.], redirect: [Speak up.]}
      - state_key: talk
        label: Talking
        prompt_instruction: They talk through the bars about the road, the war and the price of bread.
      - state_key: through
        label: Through
        is_terminal_state: true
    transitions:
      - {from_state_key: closed, to_state_key: talk, decision_type: pass, score_delta: 1, condition: The player gives a name.}
      - {from_state_key: closed, decision_type: redirect}
      - {from_state_key: talk, to_state_key: through, decision_type: pass, score_delta: 2, condition: The player pays.}
      - {from_state_key: talk, to_state_key: talk, decision_type: reject, score_delta: -2}
      - {from_state_key: talk, decision_type: kick_out, condition: The player draws a sword.}
    output_variables:
      - {key: guest, extraction_prompt: What is the player's name?}
  - machine_key: inn
    name: The inn
    scoring_mode: pass_fail
    states:
      - {state_key: door, is_initial_state: true, prompt_instruction: "You are {{guest}}, says the host."}
      - {state_key: bed, is_terminal_state: true}
    transitions:
      - {from_state_key: door, to_state_key: bed, decision_type: pass}
machine_links:
  - {source_machine_key: gate, target_machine_key: inn, condition_type: outcome, condition_value: ACCEPT}
`

func parsePersona(t testing.TB, text string) *personas.Persona {
	t.Helper()
	p, _, faults := personas.Parse("p.yaml", []byte(text))
	assert.Empty(t, faults, text)
	return &p
}

func outlineReport(r *diff.Report) []string {
	var lines []string
	for _, c := range r.Changes {
		line := fmt.Sprintf("%s %s %s %s", c.Kind, c.Thing, c.Name, c.Member)
		if c.Kind == diff.Renamed {
			line = fmt.Sprintf("%s %s %s -> %s", c.Kind, c.Thing, c.Before, c.After)
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	for _, e := range r.Effects {
		lines = append(lines, "! "+e.Text())
	}
	if r.Unproved != "" {
		lines = append(lines, "? "+r.Unproved)
	}
	return lines
}

// edits are changes of base: pairs of an old text and its replacement, and the expected report.
var edits = []struct {
	name  string
	edits []string
	want  []string
}{
	{"nothing", nil, nil},
	{"the default is left out", []string{"    pass_threshold: 3\n", ""}, nil},
	{"a label that repeats the key", []string{"state_key: closed\n", "state_key: closed\n        label: closed\n"}, nil},
	{"a state has another key everywhere", []string{"state_key: talk", "state_key: parley"}, []string{`renamed state "talk" -> "parley"`}},
	{"a state has another key and its prompt was edited", []string{"state_key: talk", "state_key: parley", "the war and the price", "the rain and the price"}, []string{
		`renamed state "talk" -> "parley"`, "changed state parley prompt_instruction",
	}},
	{"a terminal state without a word", []string{"state_key: bed", "state_key: chamber"}, []string{`renamed state "bed" -> "chamber"`}},
	{"two states have other keys", []string{"state_key: talk", "state_key: parley", "state_key: closed", "state_key: wall"}, []string{
		`renamed state "closed" -> "wall"`, `renamed state "talk" -> "parley"`,
	}},
	{"a machine has another key", []string{"machine_key: gate", "machine_key: portal"}, []string{`renamed machine "gate" -> "portal"`}},
	{"a variable has another name", []string{"town", "village"}, []string{`renamed variable "town" -> "village"`}},
	{"an output variable has another name", []string{"guest", "visitor"}, []string{`renamed variable "guest" -> "visitor"`}},
	{"a variable's value", []string{"value: Elm", "value: Oak"}, []string{"changed variable town value"}},
	{"a prompt", []string{"trust nobody", "trust everybody"}, []string{"changed persona  persona_identity_prompt"}},
	{"a threshold out of reach", []string{"pass_threshold: 3", "pass_threshold: 4"}, []string{
		"changed machine gate pass_threshold",
		"! gate: the ending ACCEPT can no longer be reached: *", "! gate: REJECT ends with a score of -2 to 3, before -2 to 2",
		"! the machine inn can no longer be started: *", "! the link gate -> inn, ACCEPT can no longer open: *",
	}},
	{"a delta", []string{"score_delta: 2", "score_delta: 5"}, []string{
		"changed transition talk -> through, pass (The player pays.) score_delta", "! gate: ACCEPT ends with a score of 5 to 6, before 3", "! gate: REJECT *",
	}},
	{"a priority", []string{"decision_type: kick_out", "decision_type: kick_out, priority: 2"}, []string{"changed transition talk, kick_out (The player draws a sword.) priority"}},
	{"a row leads elsewhere", []string{"to_state_key: talk, decision_type: pass", "to_state_key: through, decision_type: pass"}, []string{
		"changed transition closed -> through, pass (The player gives a name.) to_state_key", "! gate: the ending ACCEPT can no longer be reached: *", "! gate: REJECT ends with a score of 0 to 1, before -2 to 2", "! gate: the ending KICK_OUT can no longer be reached: *",
		"! gate: the state talk can no longer be reached: no transition leads to it", "! the machine inn *", "! the link *",
	}},
	{"a state is gone", []string{"      - state_key: talk\n        label: Talking\n        prompt_instruction: They talk through the bars about the road, the war and the price of bread.\n", "",
		"      - {from_state_key: talk, to_state_key: through, decision_type: pass, score_delta: 2, condition: The player pays.}\n      - {from_state_key: talk, to_state_key: talk, decision_type: reject, score_delta: -2}\n      - {from_state_key: talk, decision_type: kick_out, condition: The player draws a sword.}\n", "",
		"to_state_key: talk, decision_type: pass, score_delta: 1", "to_state_key: through, decision_type: pass, score_delta: 3"}, []string{
		"removed state talk", "changed transition closed -> through, pass (The player gives a name.) to_state_key", "changed transition closed -> through, pass (The player gives a name.) score_delta",
		"removed transition talk -> through, pass (The player pays.)", "removed transition talk, reject", "removed transition talk, kick_out (The player draws a sword.)",
		"! gate: REJECT ends with a score of 0, before -2 to 2", "! gate: the ending KICK_OUT can no longer be reached: *",
	}},
	{"one state becomes two", []string{
		"      - state_key: talk\n        label: Talking\n        prompt_instruction: They talk through the bars about the road, the war and the price of bread.\n",
		"      - {state_key: road, label: Talking, prompt_instruction: They talk through the bars about the road and the war.}\n      - {state_key: bread, prompt_instruction: They haggle over a loaf.}\n",
		"to_state_key: through, decision_type: pass", "to_state_key: bread, decision_type: pass",
		"      - {from_state_key: talk, decision_type: kick_out", "      - {from_state_key: bread, to_state_key: through, decision_type: pass}\n      - {from_state_key: talk, decision_type: kick_out",
		"_key: talk,", "_key: road,"}, []string{
		`renamed state "talk" -> "road"`, "changed state road prompt_instruction", "added state bread",
		"changed transition road -> bread, pass (The player pays.) to_state_key", "added transition bread -> through, pass",
	}},
	{"the lines stand in another order", []string{"[Hm. Go on., Perhaps.]", "[Perhaps., Hm. Go on.]"}, nil},
	{"a line is new", []string{"[Hm. Go on., Perhaps.]", "[Perhaps., Hm. Go on., Well.]"}, []string{"changed state closed offline.lines.pass"}},
	{"a link asks for more", []string{"condition_type: outcome, condition_value: ACCEPT", "condition_type: score_gte, condition_value: 4"}, []string{
		"changed link gate -> inn, score >= 4 condition_type", "changed link gate -> inn, score >= 4 condition_value",
		"! the machine inn can no longer be started: *", "! the link gate -> inn, score >= 4 can no longer open: *",
	}},
	{"another mode", []string{"scoring_mode: pass_fail", "scoring_mode: scoring"}, []string{"changed machine inn scoring_mode", "! inn: the ending ACCEPT can no longer be reached: *", "! inn: the ending REJECT can now be reached"}},
	{"a dead end", []string{"  - machine_key: inn", "  - {machine_key: cave, states: [{state_key: dark, is_initial_state: true}, {state_key: out, is_terminal_state: true}], transitions: []}\n  - machine_key: inn"}, []string{
		"added machine cave", "! cave: the ending ACCEPT cannot be reached: *", "! cave: the state out cannot be reached: *", "! cave: the state dark is stuck: *",
	}},
	{"a member that nobody knows", []string{"name: Warden", "name: Warden\nx-mood: [1, 2]"}, []string{"changed persona  x-mood"}},
	{"it does not run", []string{"is_initial_state: true\n        prompt", "is_initial_state: false\n        prompt"}, []string{"changed state closed is_initial_state", "? the later version does not run: *"}},
	{"too wide", []string{"max_redirects: 3", "max_redirects: 900000000", "score_delta: 1", "score_delta: 999999937", "{from_state_key: closed, decision_type: redirect}", "{from_state_key: closed, decision_type: redirect, score_delta: -999999929}", "pass_threshold: 3", "early_fail_bound: -1000000000\n    pass_threshold: 3"}, []string{
		"changed machine gate early_fail_bound", "changed state closed max_redirects", "changed transition closed -> talk, pass (The player gives a name.) score_delta", "changed transition closed, redirect score_delta", "? the later version is *",
	}},
}

func editText(t testing.TB, text string, pairs []string) string {
	for i := 0; i < len(pairs); i += 2 {
		assert.Must(t, strings.Contains(text, pairs[i]), "%q is missing", pairs[i])
		// Keys also occur in transitions and links, so they are changed there as well.
		if key, ok := strings.CutPrefix(pairs[i], "state_key: "); ok {
			renamed := strings.TrimPrefix(pairs[i+1], "state_key: ")
			if !strings.Contains(renamed, "\n") {
				text = strings.NewReplacer("_state_key: "+key+",", "_state_key: "+renamed+",", " state_key: "+key, " state_key: "+renamed).Replace(text)
				text = strings.ReplaceAll(text, "{state_key: "+key, "{state_key: "+renamed)
				continue
			}
		}
		if key, ok := strings.CutPrefix(pairs[i], "machine_key: "); ok {
			text = strings.ReplaceAll(text, "machine_key: "+key, "machine_key: "+strings.TrimPrefix(pairs[i+1], "machine_key: "))
			continue
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func TestEdits(t *testing.T) {
	for _, tt := range edits {
		t.Run(tt.name, func(t *testing.T) {
			got := outlineReport(diff.Compare(parsePersona(t, base), parsePersona(t, editText(t, base, tt.edits))))
			ok := len(got) == len(tt.want)
			for i := range min(len(got), len(tt.want)) {
				lead, open := strings.CutSuffix(tt.want[i], "*")
				ok = ok && (got[i] == tt.want[i] || open && strings.HasPrefix(got[i], lead))
			}
			assert.True(t, ok, "told\n  %s\nwanted\n  %s", strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
		})
	}
}

// TestReverseComparisonReversesChanges: the reverse comparison reports the same number of changes, each reversed.
func TestReverseComparisonReversesChanges(t *testing.T) {
	other := map[diff.Kind]diff.Kind{diff.Added: diff.Removed, diff.Removed: diff.Added}
	for _, tt := range edits {
		t.Run(tt.name, func(t *testing.T) {
			x, y := parsePersona(t, base), parsePersona(t, editText(t, base, tt.edits))
			count := map[diff.Kind]int{}
			for _, c := range diff.Compare(x, y).Changes {
				kind := c.Kind
				if back, ok := other[kind]; ok {
					kind = back
				}
				count[kind]++
			}
			for _, c := range diff.Compare(y, x).Changes {
				count[c.Kind]--
			}
			for kind, n := range count {
				assert.Equal(t, n, 0, "%s more %s", tt.name, kind)
			}
		})
	}
}

// TestOrder: the order matters for transitions of one state and priority, and for machines where players start.
func TestOrder(t *testing.T) {
	swap := func(edit func(p *personas.Persona)) []string {
		p := parsePersona(t, base)
		edit(p)
		return outlineReport(diff.Compare(parsePersona(t, base), p))
	}
	tests := []struct {
		name string
		edit func(p *personas.Persona)
		want []string
	}{
		{"states", func(p *personas.Persona) { slices.Reverse(p.Machines[0].States) }, nil},
		{"transitions of two states", func(p *personas.Persona) {
			rows := p.Machines[0].Transitions
			p.Machines[0].Transitions = append(slices.Clone(rows[2:]), rows[:2]...)
		}, nil},
		{"transitions of one", func(p *personas.Persona) { slices.Reverse(p.Machines[0].Transitions[:2]) }, []string{"reordered state closed transitions"}},
		{"transitions of one, other priorities", func(p *personas.Persona) {
			slices.Reverse(p.Machines[0].Transitions[:2])
			p.Machines[0].Transitions[0].Priority = 1
		}, []string{"changed transition closed, redirect priority"}},
		{"machines, the second is locked", func(p *personas.Persona) { slices.Reverse(p.Machines) }, nil},
		{"machines, both are open", func(p *personas.Persona) {
			p.Links = nil
			slices.Reverse(p.Machines)
		}, []string{"reordered persona  machines", "removed link gate -> inn, ACCEPT", "! players start with inn, no longer with gate"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.EqualSlices(t, swap(tt.edit), tt.want, "%s: told", tt.name) })
	}
}

func TestIdentical(t *testing.T) {
	x, y := parsePersona(t, base), parsePersona(t, base)
	r := diff.Compare(x, y)
	assert.True(t, r.Same && r.Identical, "a persona and itself: %+v", r)
	slices.Reverse(y.Machines[0].States)
	r = diff.Compare(x, y)
	assert.True(t, r.Same && !r.Identical, "states in another order: same %t, identical %t", r.Same, r.Identical)
}

// TestGolden compares the whole report about many edits of a sample, as JSON.
func TestGolden(t *testing.T) {
	before := parsePersona(t, base)
	text := editText(t, base, []string{
		"state_key: talk", "state_key: parley", "machine_key: gate", "machine_key: portal", "town", "village",
		"pass_threshold: 3", "pass_threshold: 4", "trust nobody", "trust everybody", "[Hm. Go on., Perhaps.]", "[Perhaps., Well.]",
		"  - {source", "  - {source_machine_key: inn, target_machine_key: portal, condition_type: always}\n  - {source",
	})
	report := assert.Value(json.MarshalIndent(diff.Compare(before, parsePersona(t, text)), "", "  "))(t)
	assert.Golden(t, filepath.Join("testdata", "report.json"), append(report, '\n'))
}

func TestSamplesEqualThemselves(t *testing.T) {
	for _, name := range examples.Names() {
		p := personatest.Sample(t, name)
		r := diff.Compare(p, p)
		assert.True(t, r.Same && r.Identical, "%s: %q", name, outlineReport(r))
	}
}
