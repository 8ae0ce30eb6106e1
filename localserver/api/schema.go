package api

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

const schemaPrefix = "#/components/schemas/"

// DocumentPrefix is the name prefix of the schemas from personas.Schema.
const DocumentPrefix = "Document"

func documentSchema(name string) *huma.Schema {
	return &huma.Schema{Ref: schemaPrefix + DocumentPrefix + name}
}

func registerAlias[T, A any](r huma.Registry) {
	r.RegisterTypeAlias(reflect.TypeFor[T](), reflect.TypeFor[A]())
}

// NewRegistry returns a registry that describes the custom JSON of types in personas and wire.
func NewRegistry() huma.Registry {
	r := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	registerAlias[wire.Time, timeSchema](r)
	registerAlias[wire.UnlockedMachines, machineIDs](r)
	registerAlias[wire.Machine, savedMachine](r)
	registerAlias[wire.FullPersona, fullPersona](r)
	registerAlias[personas.Persona, documentPersona](r)
	registerAlias[personas.Machine, documentMachine](r)
	registerAlias[personas.Variable, documentVariable](r)
	registerAlias[personas.Link, documentLink](r)
	return r
}

type timeSchema struct{}

func (timeSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Format: "date-time", Pattern: `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
		Description: "ISO 8601, UTC, with milliseconds.", Examples: []any{"2026-01-31T12:00:00.000Z"},
	}
}

type machineIDs struct{}

func (machineIDs) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString},
		Description: "Ids of the machines that this message unlocked; empty if there are none.",
	}
}

type savedMachine struct{}

func (savedMachine) Schema(huma.Registry) *huma.Schema {
	id := &huma.Schema{
		Type: huma.TypeString, Description: "The machine's id, which stays the same as long as the machine_key does.",
	}
	added := &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{"id": id, "machine_id": id},
		Required: []string{"id", "machine_id"},
	}
	return &huma.Schema{
		Description: "A machine as it was saved, with its id in two members.",
		AllOf:       []*huma.Schema{documentSchema("Machine"), added},
	}
}

type fullPersona struct {
	Persona   personaCore         `json:"persona"`
	Machines  []wire.Machine      `json:"machines"`
	Variables []personas.Variable `json:"variables"`
	Links     []personas.Link     `json:"machine_links"`
}

type personaCore struct {
	wire.Persona
	PerplexityDescription string                `json:"perplexity_description,omitempty"`
	Language              string                `json:"language,omitempty"`
	Portrait              string                `json:"portrait,omitempty"`
	Hue                   *int                  `json:"hue,omitempty"`
	Offline               documentSharedOffline `json:"offline,omitempty"`
}

type (
	documentPersona       struct{}
	documentMachine       struct{}
	documentVariable      struct{}
	documentLink          struct{}
	documentSharedOffline struct{}
)

func (documentPersona) Schema(huma.Registry) *huma.Schema { return documentSchema("Persona") }

func (documentMachine) Schema(huma.Registry) *huma.Schema { return documentSchema("Machine") }

func (documentVariable) Schema(huma.Registry) *huma.Schema { return documentSchema("Variable") }

func (documentLink) Schema(huma.Registry) *huma.Schema { return documentSchema("Link") }

func (documentSharedOffline) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		AllOf:       []*huma.Schema{documentSchema("SharedOffline")},
		Description: "Answers of the built-in offline model in all machines; absent if there are none.",
	}
}
