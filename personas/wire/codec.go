package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas"
)

// TextOf returns the text of an optional member, or "" for nil.
func TextOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Machine is a document's machine with an ID from the service. JSON contains the ID as id and as
// machine_id.
type Machine struct {
	ID string
	personas.Machine
}

// MarshalJSON writes the ids before the document's members.
func (m Machine) MarshalJSON() ([]byte, error) {
	m.Extra = slices.DeleteFunc(slices.Clone(m.Extra), func(member personas.Member) bool {
		return member.Name == "id" || member.Name == "machine_id"
	})
	doc, err := json.Marshal(m.Machine)
	if err != nil {
		return nil, err
	}
	ids, err := json.Marshal(struct {
		ID        string `json:"id"`
		MachineID string `json:"machine_id"`
	}{m.ID, m.ID})
	if err != nil {
		return nil, err
	}
	return append(append(ids[:len(ids)-1], ','), doc[1:]...), nil
}

// UnmarshalJSON decodes the document's machine. It sets ID from id or machine_id.
func (m *Machine) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &m.Machine); err != nil {
		return err
	}
	m.ID = m.takeMember("id", m.ID)
	m.ID = m.takeMember("machine_id", m.ID)
	return nil
}

func (m *Machine) takeMember(name, fallback string) string {
	m.Extra = slices.DeleteFunc(m.Extra, func(member personas.Member) bool {
		var s string
		if member.Name == name && json.Unmarshal(member.Value, &s) == nil && s != "" {
			fallback = s
		}
		return member.Name == name
	})
	if len(m.Extra) == 0 {
		m.Extra = nil
	}
	return fallback
}

// UnlockedMachines lists the ids of newly unlocked machines. It encodes to an array of strings.
type UnlockedMachines []string

// MarshalJSON encodes a nil list as an empty array.
func (u UnlockedMachines) MarshalJSON() ([]byte, error) {
	if u == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]string(u))
}

// UnmarshalJSON decodes an array of ids or of UnlockedMachine objects.
func (u *UnlockedMachines) UnmarshalJSON(data []byte) error {
	var machines []UnlockedMachine
	if err := json.Unmarshal(data, &machines); err != nil {
		return err
	}
	*u = make(UnlockedMachines, 0, len(machines))
	for _, m := range machines {
		if m.MachineID != "" {
			*u = append(*u, m.MachineID)
		}
	}
	return nil
}

// UnmarshalJSON parses an RFC 3339 time. A time without a zone is UTC. An empty string is the zero
// time.
func (t *Time) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == "" {
		*t = Time{}
		return nil
	}
	text = strings.Replace(text, " ", "T", 1)
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		parsed, err = time.Parse("2006-01-02T15:04:05", text)
	}
	if err != nil {
		return fmt.Errorf("%q is not an ISO 8601 timestamp", text)
	}
	t.Time = parsed
	return nil
}

type core struct {
	Persona
	PerplexityDescription string                  `json:"perplexity_description,omitempty"`
	Language              string                  `json:"language,omitempty"`
	Portrait              string                  `json:"portrait,omitempty"`
	Hue                   *int                    `json:"hue,omitempty"`
	Offline               *personas.SharedOffline `json:"offline,omitempty"`
}

// coreMembers lists the JSON names of core. A client may save the response of GET full as a
// document. FullPersona.Extra then contains these names too, but JSON must not repeat them.
var coreMembers = []string{
	"id", "name", "description", "is_public", "created_at", "persona_identity_prompt", "user_id", "updated_at",
	"perplexity_description", "language", "portrait", "hue", "offline",
}

// MarshalJSON encodes the fields without JSON names in the object "persona".
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

// Document returns the saved document, without the members that the service adds.
func (f FullPersona) Document() personas.Persona {
	doc := personas.Persona{
		Name: f.Persona.Name, Description: f.Persona.Description, IdentityPrompt: f.Persona.IdentityPrompt,
		PerplexityDescription: f.PerplexityDescription, Language: f.Language,
		Portrait: f.Portrait, Hue: f.Hue, Offline: f.Offline, Extra: f.Extra,
	}
	// Parsed documents have nil lists instead of empty lists.
	doc.Variables, doc.Links = append(doc.Variables, f.Variables...), append(doc.Links, f.Links...)
	for _, m := range f.Machines {
		doc.Machines = append(doc.Machines, m.Machine)
	}
	return doc
}
