package draft

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func decodeJSON(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var value map[string]any
	assert.NoError(t, json.Unmarshal(text, &value))
	return value
}

// TestSchemasAreStrict: schemas use only what all providers support, and forbid other members.
func TestSchemasAreStrict(t *testing.T) {
	schemas := map[string][]byte{"step": stepSchema(sceneTask().members), "rewrite": polishSchema}
	for _, part := range OfflineParts {
		schemas["offline "+string(part)] = (&OfflineBrief{Persona: starterPersona(t), Part: part}).buildSchema()
	}
	for name, text := range schemas {
		t.Run(name, func(t *testing.T) {
			var look func(path string, s map[string]any)
			look = func(path string, s map[string]any) {
				for word := range s {
					assert.True(t, slices.Contains([]string{"type", "description", "enum", "items", "properties", "required", "additionalProperties"}, word),
						"%s%s: %q is not understood everywhere", name, path, word)
				}
				switch s["type"] {
				case "object":
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
		})
	}
}
