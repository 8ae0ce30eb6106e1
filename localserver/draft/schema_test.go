package draft

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

func decodeJSON(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var value map[string]any
	assert.NoError(t, json.Unmarshal(text, &value))
	return value
}

// TestSchemasAreStrict: schemas use only what all providers support, and forbid other members.
func TestSchemasAreStrict(t *testing.T) {
	schemas := map[string][]byte{"draft": generateSchema, "rewrite": polishSchema}
	for _, part := range OfflineParts {
		schemas["offline "+string(part)] = (&OfflineBrief{Persona: starterPersona(t), Part: part}).buildSchema()
	}
	for name, text := range schemas {
		t.Run(name, func(t *testing.T) {
			objects := 0
			var look func(path string, s map[string]any)
			look = func(path string, s map[string]any) {
				for word := range s {
					assert.True(t, slices.Contains([]string{"type", "description", "enum", "items", "properties", "required", "additionalProperties"}, word),
						"%s%s: %q is not understood everywhere", name, path, word)
				}
				switch s["type"] {
				case "object":
					objects++
					members := s["properties"].(map[string]any)
					var required []string
					for _, member := range s["required"].([]any) {
						required = append(required, member.(string))
					}
					slices.Sort(required)
					assert.Equal[any](t, s["additionalProperties"], false, "%s%s is not strict", name, path)
					assert.EqualSlices(t, required, slices.Sorted(maps.Keys(members)), "%s%s is not strict", name, path)
					for member, inner := range members {
						look(path+"."+member, inner.(map[string]any))
					}
				case "array":
					look(path+"[]", s["items"].(map[string]any))
				case "string", "integer", "boolean":
				default:
					t.Errorf("%s%s has the type %v", name, path, s["type"])
				}
			}
			look("", decodeJSON(t, text))
			assert.True(t, name != "draft" || objects >= 10, "only %d objects were looked at", objects)
		})
	}
}

// leftOut are the members of the document that a draft does not have.
var leftOut = map[string]bool{
	"perplexity_description": true, "chat_system_prompt": true, "system_evaluation_prompt": true, "system_summarization_prompt": true,
	"input_variables": true, "display_order": true, "language": true, "portrait": true, "hue": true,
	"State.ending": true, "Transition.ending": true, "Persona.offline": true, "Machine.offline": true,
}

// TestSchemaIsTheDocuments: the draft's members are those of the document that it needs.
func TestSchemaIsTheDocuments(t *testing.T) {
	definitions := decodeJSON(t, personas.Schema())["$defs"].(map[string]any)
	members := func(name string) map[string]any {
		definition, ok := definitions[name].(map[string]any)
		assert.Must(t, ok, "the document has no %s, only %v", name, slices.Sorted(maps.Keys(definitions)))
		return definition["properties"].(map[string]any)
	}
	inner := func(s map[string]any, path ...string) map[string]any {
		for _, name := range path {
			s = s["properties"].(map[string]any)[name].(map[string]any)
			if s["type"] == "array" {
				s = s["items"].(map[string]any)
			}
		}
		return s["properties"].(map[string]any)
	}
	root := decodeJSON(t, generateSchema)
	for name, drafted := range map[string]map[string]any{
		"Persona": inner(root), "Variable": inner(root, "variables"), "Machine": inner(root, "machines"), "Link": inner(root, "machine_links"),
		"State": inner(root, "machines", "states"), "Transition": inner(root, "machines", "transitions"),
		"Criteria": inner(root, "machines", "states", "evaluation_criteria"), "Offline": inner(root, "machines", "states", "offline"),
		"Examples": inner(root, "machines", "states", "offline", "examples"), "Lines": inner(root, "machines", "states", "offline", "lines"), "Answer": inner(root, "machines", "states", "offline", "answers"),
	} {
		t.Run(name, func(t *testing.T) {
			document := members(name)
			for member := range drafted {
				assert.True(t, document[member] != nil, "the document has no %q", member)
			}
			for member := range document {
				assert.True(t, drafted[member] != nil || leftOut[member] || leftOut[name+"."+member] || strings.HasPrefix(member, "$"), "the draft has no %q", member)
			}
		})
	}
}

// TestSamplesAsDrafts: every sample can be converted to a draft and back without a change.
func TestSamplesAsDrafts(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	parsed := assert.Value(jsonschema.UnmarshalJSON(bytes.NewReader(generateSchema)))(t)
	assert.NoError(t, compiler.AddResource("draft.json", parsed))
	schema := assert.Value(compiler.Compile("draft.json"))(t)
	for _, name := range examples.Names() {
		source := assert.Value(examples.Read(name))(t)
		doc, _, faults := personas.Parse(name, source)
		assert.Empty(t, faults)
		clearUndrafted(&doc)
		want := assert.Value(personas.EncodeJSON(doc))(t)
		draft := fillMembers(decodeJSON(t, generateSchema), decodeJSON(t, want))
		assert.NoError(t, schema.Validate(draft), "%s is no draft", name)
		text := assert.Value(json.Marshal(draft))(t)
		a := readAttempt(provider.Answer{Text: string(text)}, "")
		got, err := personas.EncodeJSON(a.persona)
		// A draft cannot declare x-goes-on.
		a.findings = slices.DeleteFunc(a.findings, func(f personas.Diagnostic) bool { return f.Check == "reject-leads-like-pass" })
		assert.True(t, err == nil && bytes.Equal(got, want) && len(a.findings) == 0, "%s: %v, findings %v; it is now\n%s\nand was\n%s", name, err, a.findings, got, want)
	}
	assert.NoError(t, schema.Validate(decodeJSON(t, []byte(harbourDraft(t)))), "the fixture is no draft")
}

// clearUndrafted removes everything from a persona that a draft cannot express.
func clearUndrafted(p *personas.Persona) {
	p.PerplexityDescription, p.Language, p.Portrait, p.Hue, p.Offline, p.Extra = "", "", "", nil, nil, nil
	for i := range p.Machines {
		m := &p.Machines[i]
		m.ChatPrompt, m.EvaluationPrompt, m.SummarizationPrompt, m.InputVariables, m.Offline, m.Extra = "", "", "", nil, nil, nil
		if m.ScoringMode = m.Mode(); m.ScoringMode == personas.Scoring {
			m.PassThreshold, m.EarlyFailBound = new(m.Threshold()), new(m.FailBound())
		}
		for j := range m.States {
			m.States[j].DisplayOrder = nil
			clearUndraftedOffline(m.States[j].Offline)
		}
		for j := range m.Transitions {
			if o := m.Transitions[j].Offline; o != nil {
				clearReplies(o.Examples)
			}
		}
	}
	dropFormFields(p)
}

func clearUndraftedOffline(o *personas.Offline) {
	if o == nil {
		return
	}
	o.Answers, o.Patience, o.Lines.Unknown = nil, nil, nil
	x := &o.Examples
	for _, list := range [][]personas.Example{x.Pass, x.Redirect, x.Reject, x.KickOut, x.FollowUp} {
		clearReplies(list)
	}
}

func clearReplies(examples []personas.Example) {
	for i := range examples {
		examples[i].Answer = ""
	}
}

// fillMembers adds to a value all missing members that a schema requires, empty.
func fillMembers(schema map[string]any, value any) any {
	switch schema["type"] {
	case "object":
		has, _ := value.(map[string]any)
		full := map[string]any{}
		for member, inner := range schema["properties"].(map[string]any) {
			full[member] = fillMembers(inner.(map[string]any), has[member])
		}
		return full
	case "array":
		has, _ := value.([]any)
		full := []any{}
		for _, item := range has {
			full = append(full, fillMembers(schema["items"].(map[string]any), item))
		}
		return full
	case "integer":
		if value == nil {
			return 0.0
		}
	case "boolean":
		return value == true
	case "string":
		if number, ok := value.(float64); ok {
			return strconv.Itoa(int(number))
		}
		if choices, ok := schema["enum"].([]any); ok && value == nil {
			return choices[0]
		}
		if value == nil {
			return ""
		}
	}
	return value
}
