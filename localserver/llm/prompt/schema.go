package prompt

import (
	"bytes"
	"encoding/json"
)

type kind struct {
	// Type is the name of a JSON Schema type, or a list of names.
	Type  any             `json:"type"`
	Enum  []string        `json:"enum,omitempty"`
	Items json.RawMessage `json:"items,omitempty"`
}

// member is a member of an object. All members are required.
type member struct {
	name string
	kind kind
}

// objectSchema returns the schema of an object with exactly these members in this order, because a
// model answers in the order of the schema.
func objectSchema(members ...member) json.RawMessage {
	var properties, names bytes.Buffer
	for i, m := range members {
		if i > 0 {
			properties.WriteByte(',')
			names.WriteByte(',')
		}
		name := encodeJSON(m.name)
		properties.Write(name)
		properties.WriteByte(':')
		properties.Write(encodeJSON(m.kind))
		names.Write(name)
	}
	return json.RawMessage(`{"type":"object","properties":{` + properties.String() + `},"required":[` + names.String() + `],"additionalProperties":false}`)
}

// encodeJSON encodes a value that consists of texts, so that encoding never fails.
func encodeJSON(value any) []byte {
	text, _ := json.Marshal(value)
	return text
}
