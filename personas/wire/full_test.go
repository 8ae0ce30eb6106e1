package wire_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestFullPersona: members that the view lacks are sent in the object persona, and read back.
func TestFullPersona(t *testing.T) {
	member := func(name, value string) personas.Member {
		return personas.Member{Name: name, Value: json.RawMessage(value)}
	}
	full := wire.FullPersona{
		Persona:               wire.Persona{PersonaItem: wire.PersonaItem{ID: "p1", Name: "Mira"}},
		PerplexityDescription: "find me", Language: "pt-BR",
		Offline:  &personas.SharedOffline{Answers: []personas.Answer{{Intent: personas.IntentJoke, Say: []string{"No."}}}},
		Extra:    personas.Members{member("x-b", `{"z":1,"a":[2]}`), member("x-\"a\"", "null")},
		Machines: []wire.Machine{}, Variables: []personas.Variable{}, Links: []personas.Link{},
	}
	written := assert.Value(json.Marshal(full))(t)
	var read wire.FullPersona
	if err := json.Unmarshal(written, &read); err != nil || !reflect.DeepEqual(read, full) {
		t.Errorf("read %+v, %v, from %s", read, err, written)
	}
	full.Extra = append(full.Extra, member("id", `"mine"`), member("perplexity_description", `"mine"`))
	again := assert.Value(json.Marshal(full))(t)
	assert.True(t, string(again) == string(written), "members of the single view are written twice: %s", again)
	for text, ok := range map[string]bool{`{}`: true, `{"persona": null}`: true, `{"persona": 1}`: false, `{"persona": []}`: false, `[]`: false} {
		t.Run(text, func(t *testing.T) {
			err := json.Unmarshal([]byte(text), new(wire.FullPersona))
			assert.Equal(t, err == nil, ok, "%s: error %v", text, err)
		})
	}
}
