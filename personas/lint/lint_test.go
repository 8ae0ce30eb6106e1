package lint

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/examples"
)

func parsePersona(t *testing.T, src string) personas.Persona {
	t.Helper()
	p, _, faults := personas.Parse("example.yaml", []byte(src))
	assert.Empty(t, faults, src)
	return p
}

// lintText lints a text as a command does: the parser's errors are findings.
func lintText(src string) []personas.Diagnostic {
	p, places, faults := personas.Parse("example.yaml", []byte(src))
	if len(faults) > 0 {
		return FromFaults(faults)
	}
	return File(&p, places, nil)
}

func checkNames(found []personas.Diagnostic) []string {
	var all []string
	for _, f := range found {
		all = append(all, f.Check)
	}
	return slices.Compact(all)
}

func TestTheExampleIsClean(t *testing.T) {
	assert.Empty(t, lintText(Example), "findings")
}

// TestEveryCheckFindsItsExample: in an example that a server accepts, a check's finding is the only one.
func TestEveryCheckFindsItsExample(t *testing.T) {
	for _, c := range Checks {
		t.Run(c.Name, func(t *testing.T) {
			runs := toInt(c.Name == FaultCheck) + toInt(c.run != nil) + toInt(c.mean != nil) + toInt(c.between != nil) + toInt(c.loss)
			assert.Must(t, c.Summary != "" && c.Why != "" && runs == 1 && slices.Contains([]Severity{Info, Warning, Error}, c.Severity), "the record is incomplete")
			if c.Bad == "" {
				t.Skip("a file cannot say this, or only at length: TestChecksWithoutExample, TestCases")
			}
			assert.Must(t, c.WrongExample() != Example && c.WrongExample() != Second, "%q is not in the example", c.Good)
			found := lintText(c.WrongExample())
			if c.Project {
				found = Project(c.exampleFiles())
			}
			i := slices.IndexFunc(found, func(f personas.Diagnostic) bool { return f.Check == c.Name })
			assert.Must(t, i >= 0 && found[i].Severity == c.Severity && found[i].Message != "", "found %v", found)
			others := slices.DeleteFunc(found, func(f personas.Diagnostic) bool { return f.Check == c.Name || f.Severity == Info })
			assert.True(t, c.Severity == Error || len(others) == 0, "one mistake has other findings: %v", others)
		})
	}
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func longText(n int) string { return strings.Repeat("é", n) }

func TestChecksWithoutExample(t *testing.T) {
	tests := []struct {
		check, path string
		change      func(p *personas.Persona)
	}{
		{"no-machines", "machines", func(p *personas.Persona) { p.Machines, p.Links = nil, nil }},
		{"link-value-mismatch", "machine_links[0].condition_value", func(p *personas.Persona) { p.Links[0].Score = 1 }},
		{"link-value-mismatch", "machine_links[0].condition_value", func(p *personas.Persona) { p.Links[0].Condition = personas.Always }},
		{"document", "machine_links[0].condition_value", func(p *personas.Persona) { p.Links[0].Outcome = "" }},
		{"document", "machines[0].machine_key", func(p *personas.Persona) { p.Machines[0].Key = ""; p.Links = nil }},
		{"document", "machines[0].transitions[0].decision_type", func(p *personas.Persona) { p.Machines[0].Transitions[0].Decision = "leave" }},
		{"text-too-long", "name", func(p *personas.Persona) { p.Name = longText(personas.MaxName + 1) }},
		{"text-too-long", "description", func(p *personas.Persona) { p.Description = longText(personas.MaxDescription + 1) }},
		{"text-too-long", "persona_identity_prompt", func(p *personas.Persona) { p.IdentityPrompt = longText(personas.MaxPrompt + 1) }},
		{"text-too-long", "machines[1].states[0].offline.lines.pass[0]", func(p *personas.Persona) {
			p.Machines[1].States[0].Offline.Lines.Pass[0] = longText(personas.MaxPrompt + 1)
		}},
		{"text-too-long", "persona_identity_prompt", func(p *personas.Persona) {
			p.IdentityPrompt, p.Variables[0].Value = p.IdentityPrompt+strings.Repeat("{{"+p.Variables[0].Key+"}}", 1000), longText(65)
		}},
		{"empty-text", "description", func(p *personas.Persona) { p.Description = " \n" }},
		{"empty-text", "persona_identity_prompt", func(p *personas.Persona) { p.IdentityPrompt = "" }},
		{"empty-text", "machines[0].input_variables[0].key", func(p *personas.Persona) { p.Machines[0].InputVariables = []personas.InputVariable{{}} }},
		{"duplicate-variable", "machines[0].output_variables[1].key", func(p *personas.Persona) {
			p.Machines[0].OutputVariables = []personas.OutputVariable{{Key: "a", ExtractionPrompt: "x"}, {Key: "a", ExtractionPrompt: "y"}}
		}},
		{"unknown-from-state", "machines[0].transitions[0].from_state_key", func(p *personas.Persona) { p.Machines[0].Transitions[0].From = "" }},
		{"unknown-link-machine", "machine_links[0].source_machine_key", func(p *personas.Persona) { p.Links[0].Source = "gat" }},
	}
	for _, test := range tests {
		t.Run(test.check+" at "+test.path, func(t *testing.T) {
			p := parsePersona(t, Example)
			test.change(&p)
			found := lintPersona(&p)
			assert.Must(t, len(found) == 1, "%s at %s: found %v", test.check, test.path, found)
			assert.Equal(t, found[0].Check, test.check)
			assert.Equal(t, found[0].Path, test.path)
		})
	}
}

func TestLimitsAreAllowed(t *testing.T) {
	p := parsePersona(t, Example)
	p.Name, p.Description, p.IdentityPrompt = longText(personas.MaxName), longText(personas.MaxDescription), longText(personas.MaxPrompt)
	assert.Empty(t, Errors(lintPersona(&p)), "found")
}

func TestUnknownMembers(t *testing.T) {
	src := "$schema: https://example.com\nx-own: 1\n" + strings.Replace(Example, "label: Inside", "lable: Inside", 1) + "    $schema: a\n"
	found := lintText(src)
	want := []string{"machines[0].states[1].lable", "machine_links[0].$schema"}
	assert.Must(t, len(found) == 2 && found[0].Path == want[0] && found[1].Path == want[1], "found %v", found)
	if !strings.HasSuffix(found[0].Message, `did you mean "label"?`) {
		t.Errorf("message %q", found[0].Message)
	}
}

func TestFindingsAreInDocumentOrderAndBounded(t *testing.T) {
	p := parsePersona(t, Example)
	p.Name = ""
	p.Links[0].Target = "nowhere"
	for range 150 {
		p.Machines[1].Transitions = append(p.Machines[1].Transitions, personas.Transition{From: "nowhere", Decision: personas.DecideReject})
	}
	p.Machines[0].States[0].Label = longText(201)
	found := lintPersona(&p)
	assert.EqualSlices(t, checkNames(found), []string{"empty-text", "text-too-long", "unknown-from-state", "unknown-link-machine"})
	assert.Equal(t, len(found), 3+MaxFindings+1, "findings")
	assert.Equal(t, len(Errors(found)), len(found), "not all of them are errors")
}

func TestFindByName(t *testing.T) {
	for _, c := range Checks {
		found, ok := Find(c.Name)
		assert.True(t, ok && found.Summary == c.Summary, "%s: found %v", c.Name, found)
	}
	_, ok := Find("no-such-check")
	assert.True(t, !ok, "found a check that does not exist")
}

func drawMachine(t *rapid.T) personas.Machine {
	key := rapid.SampledFrom([]string{"a", "b", "c"})
	m := personas.Machine{Key: rapid.SampledFrom([]string{"m", "n", "o", "M!"}).Draw(t, "machine")}
	for range rapid.IntRange(0, 3).Draw(t, "states") {
		m.States = append(m.States, personas.State{
			Key: key.Draw(t, "state"), IsInitial: rapid.Bool().Draw(t, "initial"), IsTerminal: rapid.Bool().Draw(t, "terminal"),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "transitions") {
		m.Transitions = append(m.Transitions, personas.Transition{
			From: key.Draw(t, "from"), To: rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "to"),
			Decision: rapid.SampledFrom([]personas.Decision{personas.DecidePass, personas.DecideRedirect, personas.DecideReject, personas.DecideKickOut, "x"}).Draw(t, "decision"),
		})
	}
	return m
}

// TestWithoutErrorsEveryMachineCompiles: the linter reports everything that the engine rejects.
func TestWithoutErrorsEveryMachineCompiles(t *testing.T) {
	clean := 0
	rapid.Check(t, func(t *rapid.T) {
		p := personas.Persona{Name: "n", Description: "d", IdentityPrompt: "i", Machines: []personas.Machine{drawMachine(t)}}
		errors := Refusals(&p, personas.Validate(&p))
		_, err := engine.Compile(&p.Machines[0])
		assert.Must(t, err == nil || len(errors) != 0, "no errors found, but: %v", err)
		if len(errors) == 0 {
			clean++
		}
	})
	assert.True(t, clean != 0, "no machine without errors was drawn")
}

// TestAllJoinsFaultsAndFindings: a fault hides only the findings that it may have caused.
func TestAllJoinsFaultsAndFindings(t *testing.T) {
	const doc = `{"name": "x", "description": "d", "persona_identity_prompt": "p", "machines": [{"machine_key": "a",
		"states": [{"state_key": "s", "is_initial_state": true}],
		"transitions": [{"from_state_key": "s", "to_state_key": "s", "decision_type": "nope"}, {"from_state_key": "q", "to_state_key": "s", "decision_type": "pass"}]},
		{"machine_key": "b", "states": [{"state_key": "s", "is_initial_state": "yes"}], "transitions": []}]}`
	p, _, faults := personas.Parse("doc.json", []byte(doc))
	var got []string
	for _, f := range Errors(All(&p, faults)) {
		got = append(got, f.Check+" "+f.Path)
	}
	want := []string{
		FaultCheck + " machines[0].transitions[0].decision_type",
		FaultCheck + " machines[1].states[0].is_initial_state",
		"no-terminal-state machines[0].states",
		"unknown-from-state machines[0].transitions[1].from_state_key",
	}
	assert.EqualSlices(t, got, want)
	whole, _, faults := personas.Parse("doc.json", []byte(`{"name": `))
	found := All(&whole, faults)
	assert.True(t, len(found) == 1 && found[0].Check == FaultCheck, "an unreadable text has the findings %v", found)
}

// The samples are templates for authors: lint finds nothing in them, neither one by one nor together.
func TestSamplesAreClean(t *testing.T) {
	var files []ProjectFile
	for _, name := range examples.Names() {
		src := assert.Value(examples.Read(name))(t)
		p, places, faults := personas.Parse(name, src)
		for _, f := range File(&p, places, faults) {
			t.Errorf("%s: %+v", name, f)
		}
		files = append(files, ProjectFile{name, &p})
	}
	for _, f := range Project(files) {
		t.Errorf("together: %+v", f)
	}
}

// TestMisplacedMembers: a misspelt name is corrected, a misplaced member gets its place, each is reported once.
func TestMisplacedMembers(t *testing.T) {
	links := Example[strings.Index(Example, "machine_links:\n"):]
	tests := []struct{ name, old, changed, says, fix string }{
		{"identity_prompt", "persona_identity_prompt:", "identity_prompt:", `is "identity_prompt" meant to be it?`, "persona_identity_prompt"},
		{"is_terminal", "label: Inside the walls", "is_terminal: true", `did you mean "is_terminal_state"?`, "is_terminal_state"},
		{"score", "score_delta: 3", "score_delta: 3\n        score: 3", `did you mean "score_delta"?`, "score_delta"},
		{"from", "      - from_state_key: outside\n        decision_type: redirect", "      - from: outside\n        decision_type: redirect", `is "from" meant to be it?`, "from_state_key"},
		{"prompt", "label: Inside the walls", "prompt: x", `did you mean "prompt_instruction"?`, "prompt_instruction"},
		{"name of a state", "label: Inside the walls", "name: x", `did you mean "label"?`, ""},
		{"score_delta in a state", "label: Inside the walls", "score_delta: 3", `"score_delta" does not belong here: it belongs to a transition`, ""},
		{"unknown in a state", "label: Inside the walls", "unknown: [What?]", `"unknown" does not belong here: it belongs to lines, in the offline of a state`, ""},
		{"unknown in offline", "label: Inside the walls", "offline: {unknown: [What?]}", `"unknown" does not belong here: it belongs to lines, in the offline of a state`, ""},
		{"pass in offline", "label: Inside the walls", "offline: {follow_up: [What?]}", `"follow_up" does not belong here: it belongs to `, ""},
		{"label in a machine", "scoring_mode: pass_fail", "scoring_mode: pass_fail\n    label: Yard", `"label" does not belong here: it belongs to a state`, ""},
		{"links in a machine", links, "    " + strings.ReplaceAll(links, "\n", "\n    "), `"machine_links" does not belong here: it belongs to the persona, at the outermost level`, ""},
		{"links among the machines", links, "  - " + strings.ReplaceAll(links, "\n", "\n    "), "machine_links does not belong among the machines: it belongs to the persona", ""},
		{"a link among the machines", links, strings.Replace(links, "machine_links:\n", "", 1), "this is not a machine: source_machine_key belongs to an item of machine_links", ""},
		{"a transition among the states", "      - state_key: inside\n", "      - {from_state_key: outside, decision_type: redirect}\n      - state_key: inside\n", "this is not a state: from_state_key belongs to a transition", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found := lintText(strings.Replace(Example, test.old, test.changed, 1))
			assert.Must(t, len(found) == 1 && strings.Contains(found[0].Message, test.says), "%v", found)
			fix := found[0].Fix
			assert.True(t, (test.fix != "" || fix == nil) && (test.fix == "" || fix != nil && fix.Value == test.fix), "fix %+v", fix)
		})
	}
}
