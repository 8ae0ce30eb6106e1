package personas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/parley-npc/parley/personas/assert"
)

// linkShape is the JSON form of a Link.
type linkShape struct {
	Source      string    `json:"source_machine_key"`
	Target      string    `json:"target_machine_key"`
	Condition   Condition `json:"condition_type"`
	Value       any       `json:"condition_value,omitempty"`
	AutoAdvance bool      `json:"is_auto_advance,omitempty"`
}

func generateSchema() *jsonschema.Schema {
	r := &jsonschema.Reflector{AllowAdditionalProperties: true, Anonymous: true}
	s := r.Reflect(Persona{})
	s.ID, s.Title = SchemaID, "Parley persona"
	s.Description = "A non-player character: an identity prompt, state machines with scores and outcomes, and the links that unlock one machine through another."
	link := (&jsonschema.Reflector{AllowAdditionalProperties: true, Anonymous: true, DoNotReference: true}).Reflect(linkShape{})
	link.Version = ""
	s.Definitions["Link"] = link
	// Link lacks JSON tags, so the reflector took its field Extra for a member.
	delete(s.Definitions, "Members")
	delete(s.Definitions, "Member")
	written := writtenSchema()
	for definition, schema := range s.Definitions {
		for p := schema.Properties.Oldest(); p != nil; p = p.Next() {
			annotateMember(definition, p.Key, p.Value)
			p.Value.Description = written.Definitions[definition].Properties[p.Key].Description
		}
	}
	link.AllOf = []*jsonschema.Schema{
		valueIf([]any{"outcome"}, &jsonschema.Schema{Enum: []any{"ACCEPT", "REJECT", "KICK_OUT"}}),
		valueIf([]any{"score_gte", "score_lte"}, newSchema()),
		{If: conditionIs([]any{"always"}), Then: &jsonschema.Schema{Not: &jsonschema.Schema{Required: []string{"condition_value"}}}},
	}
	persona := s.Definitions["Persona"].Properties
	machines, _ := persona.Get("machines")
	machines.MinItems = lengthOf(1)
	completeOffline(s.Definitions)
	return s
}

// completeOffline adds rules that the types cannot express: an answer has either ask or intent.
func completeOffline(definitions jsonschema.Definitions) {
	example := definitions["Example"]
	text := &jsonschema.Schema{Type: "string", MaxLength: lengthOf(MaxPrompt)}
	definitions["Example"] = &jsonschema.Schema{
		Properties: example.Properties, Required: example.Required,
		Type: "", AnyOf: []*jsonschema.Schema{text, {Type: "object"}},
	}
	answer := definitions["Answer"]
	answer.OneOf = []*jsonschema.Schema{{Required: []string{"ask"}}, {Required: []string{"intent"}}}
	for _, member := range []string{"ask", "say"} {
		list, _ := answer.Properties.Get(member)
		list.MinItems = lengthOf(1)
	}
}

func conditionIs(types []any) *jsonschema.Schema {
	p := jsonschema.NewProperties()
	p.Set("condition_type", &jsonschema.Schema{Enum: types})
	return &jsonschema.Schema{Properties: p, Required: []string{"condition_type"}}
}

func valueIf(types []any, value *jsonschema.Schema) *jsonschema.Schema {
	p := jsonschema.NewProperties()
	p.Set("condition_value", value)
	return &jsonschema.Schema{If: conditionIs(types), Then: &jsonschema.Schema{Properties: p, Required: []string{"condition_value"}}}
}

func newSchema() *jsonschema.Schema {
	limit := json.Number(fmt.Sprint(MaxInteger))
	return &jsonschema.Schema{Type: "integer", Minimum: "-" + limit, Maximum: limit}
}

func lengthOf(n uint64) *uint64 { return &n }

// memberTexts are the descriptions of the members, which are written in the schema itself.
type memberTexts struct {
	Definitions map[string]struct {
		Properties map[string]struct{ Description string }
	} `json:"$defs"`
}

func writtenSchema() (m memberTexts) {
	if err := json.Unmarshal(Schema(), &m); err != nil {
		panic(err)
	}
	return m
}

// annotateMember adds what the types cannot express: limits, forms, allowed words.
func annotateMember(definition, member string, s *jsonschema.Schema) {
	text := s
	if s.Type == "array" && s.Items != nil && s.Items.Type == "string" {
		text = s.Items
	}
	switch words, isEnum := enums[member]; {
	case isEnum:
		s.Enum = words
	case s.Type == "integer":
		s.Minimum, s.Maximum = newSchema().Minimum, newSchema().Maximum
	case text.Type == "string":
		text.MaxLength = lengthOf(longestText(member))
	}
	switch member {
	case "machine_key":
		s.Pattern = "^[a-z0-9][a-z0-9_-]*$"
	case "max_redirects":
		s.Minimum = "0"
	case "patience":
		s.Minimum = "1"
	case "language":
		s.Pattern, s.MaxLength = "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$", lengthOf(maxLanguage)
	case "hue":
		s.Minimum, s.Maximum = "0", json.Number(fmt.Sprint(MaxHue))
	case "pass_threshold":
		s.Default = DefaultPassThreshold
	case "early_fail_bound":
		s.Default = DefaultEarlyFailBound
	}
	isKey := slices.Contains([]string{"machine_key", "state_key", "key"}, member)
	isOptional := member == "perplexity_description" || member == "portrait"
	isText := definition == "Persona" && longestText(member) > 0 && s.Type == "string"
	if isKey || isText && !isOptional {
		s.MinLength = lengthOf(1)
	}
}

func longestText(member string) uint64 {
	switch {
	case member == "name" || member == "label" || member == "ending":
		return MaxName
	case strings.HasSuffix(member, "_key") || member == "key":
		return MaxKey
	case member == "portrait":
		return MaxPortrait
	case strings.HasSuffix(member, "description"), member == "player_goal":
		return MaxDescription
	}
	return MaxPrompt
}

var enums = map[string][]any{
	"scoring_mode":     {"scoring", "pass_fail", "numeric", "pass/fail", "binary"},
	"terminal_outcome": {"ACCEPT", "REJECT"},
	"decision_type":    {"pass", "redirect", "reject", "kick_out"},
	"condition_type":   {"outcome", "score_gte", "score_lte", "always"},
	"intent":           intentWords(),
}

func intentWords() (words []any) {
	for _, name := range Intents {
		words = append(words, name)
	}
	return words
}

func TestSchemaIsFresh(t *testing.T) {
	want := assert.Value(json.MarshalIndent(generateSchema(), "", "  "))(t)
	want = append(want, '\n')
	if assert.Updating() {
		assert.NoError(t, os.WriteFile("persona.schema.json", want, 0o644))
		return
	}
	assert.True(t, bytes.Equal(Schema(), want), "persona.schema.json is stale; run go test ./personas -run TestSchemaIsFresh -update")
}

// TestSchemaKnowsEveryMember: the schema, the walk and the order of paths contain the same members.
func TestSchemaKnowsEveryMember(t *testing.T) {
	known := map[string][]string{}
	for definition, walk := range map[string]func(*memberWalker){
		"Persona": (&Persona{}).walkMembers, "Variable": (&Variable{}).walkMembers, "Machine": (&Machine{}).walkMembers, "OutputVariable": (&OutputVariable{}).walkMembers,
		"InputVariable": (&InputVariable{}).walkMembers, "State": (&State{}).walkMembers, "Criteria": (&Criteria{}).walkMembers, "SharedOffline": (&SharedOffline{}).walkMembers,
		"Answer": (&Answer{}).walkMembers, "Example": (&Example{}).walkMembers, "Offline": (&Offline{}).walkMembers, "Examples": (&Examples{}).walkMembers,
		"Lines": (&Lines{}).walkMembers, "Transition": (&Transition{}).walkMembers, "TransitionOffline": (&TransitionOffline{}).walkMembers, "Link": (&Link{}).walkMembers,
	} {
		v := &memberWalker{n: &node{kind: object}, collect: func(Unknown) {}}
		walk(v)
		known[definition] = v.memberNames
	}
	generated := generateSchema()
	assert.Equal(t, len(generated.Definitions), len(known), "the schema")
	for definition, want := range known {
		t.Run(definition, func(t *testing.T) {
			var got []string
			for p := generated.Definitions[definition].Properties.Oldest(); p != nil; p = p.Next() {
				got = append(got, p.Key)
				assert.True(t, p.Value.Description != "", "%s.%s has no description in persona.schema.json", definition, p.Key)
			}
			assert.EqualSlices(t, got, want, "%s: the schema", definition)
			assert.True(t, slices.IsSortedFunc(want, ComparePaths), "%s: the order of paths is not that of %v", definition, want)
			isUnknown := func(member string) bool { return memberRank(member) == len(memberOrder) }
			assert.True(t, !slices.ContainsFunc(want, isUnknown), "%s: the order of paths is not that of %v", definition, want)
		})
	}
}

func compileSchema(t *testing.T) *validator.Schema {
	t.Helper()
	doc := assert.Value(validator.UnmarshalJSON(bytes.NewReader(Schema())))(t)
	c := validator.NewCompiler()
	c.DefaultDraft(validator.Draft2020)
	assert.NoError(t, c.AddResource(SchemaID, doc))
	return c.MustCompile(SchemaID)
}

const full = `
name: Ada
description: d
persona_identity_prompt: You are Ada.
perplexity_description: p
language: pt-BR
x-own: {a: 1}
variables: [{key: k, value: v, description: d}]
machines:
  - machine_key: a
    scoring_mode: pass/fail
    pass_threshold: 3
    states:
      - state_key: s
        is_initial_state: true
        max_redirects: 0
        evaluation_criteria: {pass: p}
        offline:
          opening: [o]
          examples: {pass: [e, {say: e2, answer: a}]}
          lines: {enter: [l], unknown: [u]}
          answers: [{ask: [q], say: [s]}, {intent: greeting, say: [t]}]
          patience: 2
      - {state_key: e, is_terminal_state: true, terminal_outcome: REJECT}
    transitions:
      - {from_state_key: s, to_state_key: e, decision_type: pass, score_delta: 1, offline: {examples: [x]}}
    output_variables: [{key: o, extraction_prompt: q}]
    input_variables: [{key: k}]
    offline: {language: fr, answers: [{intent: bot, say: [no]}]}
machine_links:
  - {source_machine_key: a, target_machine_key: a, condition_type: outcome, condition_value: KICK_OUT}
  - {source_machine_key: a, target_machine_key: a, condition_type: score_gte, condition_value: -1}
  - {source_machine_key: a, target_machine_key: a, condition_type: always, is_auto_advance: true}
offline: {answers: [{intent: joke, say: [j]}]}
`

func validateText(t *testing.T, s *validator.Schema, src string) error {
	t.Helper()
	_, root, fault := readTree("x.yaml", []byte(src))
	assert.Must(t, fault == nil, "%v in\n%s", fault, src)
	value := assert.Value(validator.UnmarshalJSON(bytes.NewReader(root.appendJSON(nil))))(t)
	return s.Validate(value)
}

// broken contains replacements that make a full document invalid.
var broken = []struct{ from, to, path string }{
	{"name: Ada", "name: 5", "name"},
	{"name: Ada", "nam: Ada", "name"},
	{"description: d\n", "", "description"},
	{"machine_key: a\n", "machine_key: A b\n", "machines[0].machine_key"},
	{"machine_key: a\n", "machine_key: " + strings.Repeat("a", MaxKey+1) + "\n", "machines[0].machine_key"},
	{"state_key: e,", "state_key: " + strings.Repeat("é", MaxKey+1) + ",", "machines[0].states[1].state_key"},
	{"machine_key: a\n", "machine_key: ''\n", "machines[0].machine_key"},
	{"scoring_mode: pass/fail", "scoring_mode: passfail", "machines[0].scoring_mode"},
	{"pass_threshold: 3", "pass_threshold: 3.5", "machines[0].pass_threshold"},
	{"pass_threshold: 3", "pass_threshold: 1000000001", "machines[0].pass_threshold"},
	{"pass_threshold: 3", "pass_threshold: -1000000001", "machines[0].pass_threshold"},
	{"pass_threshold: 3", "pass_threshold: '3'", "machines[0].pass_threshold"},
	{"is_initial_state: true", "is_initial_state: yes", "machines[0].states[0].is_initial_state"},
	{"state_key: s\n", "state_key: ''\n", "machines[0].states[0].state_key"},
	{"evaluation_criteria: {pass: p}", "evaluation_criteria: [p]", "machines[0].states[0].evaluation_criteria"},
	{"opening: [o]", "opening: o", "machines[0].states[0].offline.opening"},
	{"opening: [o]", "opening: [1]", "machines[0].states[0].offline.opening[0]"},
	{"language: pt-BR", "language: Portuguese", "language"},
	{"language: fr", "language: fr_FR", "machines[0].offline.language"},
	{"pass: [e, ", "pass: [5, ", "machines[0].states[0].offline.examples.pass[0]"},
	{"{say: e2, answer: a}", "{answer: a}", "machines[0].states[0].offline.examples.pass[1].say"},
	{"answer: a}", "answer: [a]}", "machines[0].states[0].offline.examples.pass[1].answer"},
	{"intent: greeting", "intent: gretting", "machines[0].states[0].offline.answers[1].intent"},
	{"ask: [q]", "ask: [q], intent: help", "machines[0].states[0].offline.answers[0]"},
	{"ask: [q], ", "", "machines[0].states[0].offline.answers[0]"},
	{"ask: [q], say: [s]", "ask: [q]", "machines[0].states[0].offline.answers[0]"},
	{"say: [s]", "say: []", "machines[0].states[0].offline.answers[0]"},
	{"patience: 2", "patience: 0", "machines[0].states[0].offline.patience"},
	{"offline: {answers: [{intent: joke", "offline: {answers: [{intent: jokes", "offline.answers[0].intent"},
	{"terminal_outcome: REJECT", "terminal_outcome: KICK_OUT", "machines[0].states[1].terminal_outcome"},
	{"from_state_key: s", "from: s", "machines[0].transitions[0].from_state_key"},
	{"decision_type: pass", "decision_type: follow_up", "machines[0].transitions[0].decision_type"},
	{"score_delta: 1", "score_delta: one", "machines[0].transitions[0].score_delta"},
	{"input_variables: [{key: k}]", "input_variables: [k]", "machines[0].input_variables[0]"},
	{"condition_value: KICK_OUT", "condition_value: 3", "machine_links[0].condition_value"},
	{", condition_value: KICK_OUT", "", "machine_links[0].condition_value"},
	{"condition_value: -1", "condition_value: ACCEPT", "machine_links[1].condition_value"},
	{"condition_type: always", "condition_type: always, condition_value: 1", "machine_links[2].condition_value"},
	{"condition_type: always", "condition_type: ever", "machine_links[2].condition_type"},
}

// TestSchemaAndParseAgree: the schema and Parse report the same faults. Parse also reports the position.
func TestSchemaAndParseAgree(t *testing.T) {
	s := compileSchema(t)
	assert.NoError(t, validateText(t, s, full), "the full document")
	_, _, faults := Parse("x.yaml", []byte(full))
	assert.Empty(t, faults, "the full document")
	longest := strings.NewReplacer("machine_key: a\n", "machine_key: "+strings.Repeat("a", MaxKey)+"\n", "state_key: e,", "state_key: "+strings.Repeat("é", MaxKey)+",").Replace(full)
	_, _, faults = Parse("x.yaml", []byte(longest))
	assert.True(t, len(faults) == 0 && validateText(t, s, longest) == nil, "the longest keys: %v", faults)
	for _, b := range broken {
		t.Run(fmt.Sprintf("%q becomes %.40q", b.from, b.to), func(t *testing.T) {
			src := strings.Replace(full, b.from, b.to, 1)
			assert.Must(t, src != full, "%q is not in the document", b.from)
			assert.True(t, validateText(t, s, src) != nil, "the schema accepts %q", b.to)
			_, _, faults := Parse("x.yaml", []byte(src))
			assert.True(t, len(faults) == 1 && faults[0].Path == b.path, "%q: faults %v, not one at %s", b.to, faults, b.path)
		})
	}
}

func TestExamplesFitTheSchema(t *testing.T) {
	s := compileSchema(t)
	files := assert.Value(os.ReadDir("examples"))(t)
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".yaml") || strings.HasSuffix(file.Name(), ".play.yaml") {
			continue
		}
		src := assert.Value(os.ReadFile("examples/" + file.Name()))(t)
		assert.NoError(t, validateText(t, s, string(src)), file.Name())
	}
}
