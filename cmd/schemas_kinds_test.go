package cmd

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/parley-npc/parley/cmd/persona"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/prove"
	"github.com/parley-npc/parley/personas/wire"
)

func (row jsonRow) schema(flags string) *jsonschema.Schema {
	kinds, several := row.prints.(anyOf)
	if !several {
		kinds = anyOf{row.prints}
	}
	s := &jsonschema.Schema{}
	for _, kind := range kinds {
		s.AnyOf = append(s.AnyOf, schemaOf(reflect.TypeOf(kind)))
	}
	if !several {
		s = s.AnyOf[0]
	}
	s.Version = jsonschema.Version
	s.Title = "parley " + row.command + " " + flags
	return s
}

// schemaOf is the schema of a type's JSON. A pointer that is always written may be null.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	r := &jsonschema.Reflector{AllowAdditionalProperties: true, Anonymous: true, Mapper: mapped, DoNotReference: true}
	s := r.ReflectFromType(t)
	s.Version = ""
	nullable(t, s)
	return s
}

func nullable(t reflect.Type, s *jsonschema.Schema) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case s == nil || mapped(t) != nil:
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		nullable(t.Elem(), s.Items)
	case t.Kind() == reflect.Struct && s.Properties != nil:
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			member, ok := s.Properties.Get(name)
			if !ok {
				continue
			}
			nullable(f.Type, member)
			if f.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omitempty") {
				s.Properties.Set(name, &jsonschema.Schema{AnyOf: []*jsonschema.Schema{member, {Type: "null"}}})
			}
		}
	}
}

// linkShape is the wire form of a personas.Link.
type linkShape struct {
	Source      string `json:"source_machine_key"`
	Target      string `json:"target_machine_key"`
	Condition   string `json:"condition_type"`
	Value       any    `json:"condition_value,omitempty"`
	AutoAdvance bool   `json:"is_auto_advance,omitempty"`
}

// exampleShape is a personas.Example that has a reply.
type exampleShape struct {
	Say    string `json:"say"`
	Answer string `json:"answer,omitempty"`
}

// machineShape and fullShape are the wire forms of wire.Machine and wire.FullPersona.
type machineShape struct {
	ID        string `json:"id"`
	MachineID string `json:"machine_id"`
	personas.Machine
}

type fullShape struct {
	Persona struct {
		wire.Persona
		PerplexityDescription string                  `json:"perplexity_description,omitempty"`
		Language              string                  `json:"language,omitempty"`
		Portrait              string                  `json:"portrait,omitempty"`
		Hue                   *int                    `json:"hue,omitempty"`
		Offline               *personas.SharedOffline `json:"offline,omitempty"`
	} `json:"persona"`
	Machines  []wire.Machine      `json:"machines"`
	Variables []personas.Variable `json:"variables"`
	Links     []personas.Link     `json:"machine_links"`
}

// mapped are types that write their JSON themselves.
func mapped(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[wire.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[personas.Members]():
		return &jsonschema.Schema{}
	case reflect.TypeFor[personas.Link]():
		return schemaOf(reflect.TypeFor[linkShape]())
	case reflect.TypeFor[personas.Example]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, schemaOf(reflect.TypeFor[exampleShape]())}}
	case reflect.TypeFor[wire.Machine]():
		return schemaOf(reflect.TypeFor[machineShape]())
	case reflect.TypeFor[wire.FullPersona]():
		return schemaOf(reflect.TypeFor[fullShape]())
	case reflect.TypeFor[persona.SavedItem]():
		return savedSchema()
	case reflect.TypeFor[prove.Score]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer"}, {Enum: []any{"-inf", "inf"}}}}
	case reflect.TypeFor[prove.Way]():
		verdict := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "integer"}, {Enum: []any{"redirect", personas.FollowUpName}}}}
		step := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), Required: []string{"machine_key", "verdict"}}
		step.Properties.Set("machine_key", &jsonschema.Schema{Type: "string"})
		step.Properties.Set("verdict", verdict)
		return &jsonschema.Schema{Type: "array", Items: step}
	}
	return nil
}

// savedSchema is the schema of SavedItem, with null for a missing reply of the service.
func savedSchema() *jsonschema.Schema {
	type plain persona.SavedItem
	s := schemaOf(reflect.TypeFor[plain]())
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		if pair.Key != "file" && pair.Key != "result" && pair.Key != "error" {
			pair.Value = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{pair.Value, {Type: "null"}}}
		}
	}
	return s
}
