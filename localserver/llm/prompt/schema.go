package prompt

import (
	"encoding/json"

	"github.com/parley-npc/parley/localserver/llm/provider"
)

type kind struct {
	// Type is the name of a JSON Schema type, or a list of names.
	Type any      `json:"type"`
	Enum []string `json:"enum,omitempty"`
}

// objectSchema returns the schema of an object with exactly these members. The value of each member
// is its schema. The order matters, because a model answers in the order of the schema.
func objectSchema(members provider.OrderedObject) json.RawMessage {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	return encodeJSON(provider.OrderedObject{{Name: "type", Value: "object"}, {Name: "properties", Value: members}, {Name: "required", Value: names}, {Name: "additionalProperties", Value: false}})
}

// encodeJSON encodes a value that consists of texts. Encoding it never fails.
func encodeJSON(value any) []byte {
	text, _ := json.Marshal(value)
	return text
}
