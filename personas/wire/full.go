package wire

import (
	"encoding/json"
	"slices"

	"github.com/parley-npc/parley/personas"
)

type core struct {
	Persona
	PerplexityDescription string                  `json:"perplexity_description,omitempty"`
	Language              string                  `json:"language,omitempty"`
	Portrait              string                  `json:"portrait,omitempty"`
	Hue                   *int                    `json:"hue,omitempty"`
	Offline               *personas.SharedOffline `json:"offline,omitempty"`
}

// coreMembers are the names of the members of core. If a client saved such a response as a
// document, Extra contains these members too. FullPersona encodes and decodes Extra without them.
var coreMembers = []string{
	"id", "name", "description", "is_public", "created_at", "persona_identity_prompt", "user_id", "updated_at", "perplexity_description",
	"language", "portrait", "hue", "offline",
}

// MarshalJSON writes the document members that are not in Persona into the object "persona".
func (f FullPersona) MarshalJSON() ([]byte, error) {
	object, err := json.Marshal(core{f.Persona, f.PerplexityDescription, f.Language, f.Portrait, f.Hue, f.Offline})
	if err != nil {
		return nil, err
	}
	if object, err = appendMembers(object, f.Extra); err != nil {
		return nil, err
	}
	type plain FullPersona
	return json.Marshal(struct {
		Persona json.RawMessage `json:"persona"`
		plain
	}{object, plain(f)})
}

func appendMembers(object []byte, extra personas.Members) ([]byte, error) {
	object = object[:len(object)-1]
	for _, m := range extra {
		if slices.Contains(coreMembers, m.Name) {
			continue
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		object = append(append(append(object, ','), name...), ':')
		object = append(object, m.Value...)
	}
	return append(object, '}'), nil
}

// UnmarshalJSON decodes the output of MarshalJSON. It decodes null for "persona" as an empty
// persona.
func (f *FullPersona) UnmarshalJSON(data []byte) error {
	type plain FullPersona
	var object json.RawMessage
	shape := struct {
		Persona *json.RawMessage `json:"persona"`
		*plain
	}{&object, (*plain)(f)}
	if err := json.Unmarshal(data, &shape); err != nil || len(object) == 0 {
		return err
	}
	var c core
	if err := json.Unmarshal(object, &c); err != nil {
		return err
	}
	f.Persona, f.PerplexityDescription, f.Language, f.Offline = c.Persona, c.PerplexityDescription, c.Language, c.Offline
	f.Portrait, f.Hue = c.Portrait, c.Hue
	var doc personas.Persona
	if err := json.Unmarshal(object, &doc); err != nil {
		return err
	}
	f.Extra = slices.DeleteFunc(doc.Extra, func(m personas.Member) bool { return slices.Contains(coreMembers, m.Name) })
	return nil
}

// Document returns the persona as a document. It contains the saved content without the members
// that the service adds.
func (f FullPersona) Document() personas.Persona {
	doc := personas.Persona{
		Name: f.Persona.Name, Description: f.Persona.Description, IdentityPrompt: f.Persona.IdentityPrompt,
		PerplexityDescription: f.PerplexityDescription, Language: f.Language, Portrait: f.Portrait, Hue: f.Hue, Offline: f.Offline, Extra: f.Extra,
	}
	// An empty list is nil in a parsed document.
	doc.Variables, doc.Links = append(doc.Variables, f.Variables...), append(doc.Links, f.Links...)
	for _, m := range f.Machines {
		doc.Machines = append(doc.Machines, m.Machine)
	}
	return doc
}
