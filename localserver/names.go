package localserver

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

var sessionNames = [...]string{"user_session_id", "machine_id"}

type namesBody struct {
	UserSessionID *string `json:"user_session_id,omitempty" nullable:"true" maxLength:"200"`
	MachineID     *string `json:"machine_id,omitempty" nullable:"true"`
}

var bodyLimits = []struct {
	schema, member string
	limit          int
	isNeeded       bool
}{
	{"InitBody", "user_session_id", wire.MaxUserSessionID, true},
	{"InitBody", "player_name", wire.MaxPlayerName, true},
	{"MessageBody", "message", wire.MaxMessage, true},
	{"MessageBody", "user_session_id", wire.MaxUserSessionID, true},
	{"ForkBody", "user_session_id", wire.MaxUserSessionID, true},
	{"ForkBody", "name", wire.MaxBranchName, false},
	{"ValidateBody", "model", api.MaxModelName, false},
	{"NewKeyBody", "name", wire.MaxKeyName, true},
	{"GenerateBody", "description", draft.MaxDescription, true},
	{"GenerateBody", "name", wire.MaxPersonaName, false},
	{"MigrateBody", "old_session_id", wire.MaxUserSessionID, true},
}

func limitBodies(schemas map[string]*huma.Schema) {
	for _, l := range bodyLimits {
		text := schemas[l.schema].Properties[l.member]
		text.MaxLength = &l.limit
		if l.isNeeded {
			text.Pattern = `\S`
		}
		text.PrecomputeMessages()
	}
	gender := schemas["InitBody"].Properties["player_gender"]
	for _, g := range wire.Genders {
		gender.Enum = append(gender.Enum, g)
	}
	gender.PrecomputeMessages()
	property := schemas["ForkBody"].Properties["at"]
	property.Minimum, property.Maximum = new(float64(0)), new(float64(play.MaxTurns))
	property.PrecomputeMessages()
	for _, name := range []string{"InitBody", "MessageBody", "ForkBody"} {
		schemas[name].Properties["machine_id"] = &huma.Schema{Type: huma.TypeString, Nullable: true}
		schemas[name].PrecomputeMessages()
	}
}

func bodyMembers(body []byte) (members map[string]json.RawMessage) {
	_ = json.Unmarshal(body, &members) // The schema validation rejects other bodies.
	return members
}

// readNames returns a fault if body and query differ, because a wrong choice could reset the wrong
// game.
func readNames(query url.Values, members map[string]json.RawMessage) (names map[string]string, faults []wire.Detail) {
	names = map[string]string{}
	for _, name := range sessionNames {
		text := textOf(members[name])
		if text != "" {
			names[name] = text
		}
		if conflict(append([]string{text}, query[name]...)) {
			faults = append(faults, wire.Detail{
				Path:    name,
				Message: "the request has two different values, in its body or its query: send one",
			})
		}
	}
	return names, faults
}

func textOf(member json.RawMessage) (text string) {
	_ = json.Unmarshal(member, &text) // The schema validation rejects other types.
	return text
}

var (
	neededTexts = []string{"user_session_id", "player_name", "message", "old_session_id", "description"}
	freeTexts   = []string{"name", "model"}
)

func checkTexts(row *api.Route, query url.Values, members map[string]json.RawMessage) (faults []wire.Detail) {
	for _, name := range slices.Concat(neededTexts, freeTexts) {
		text := textOf(members[name])
		if name == "user_session_id" && text == "" {
			text = query.Get(name)
		}
		isNeeded := slices.Contains(neededTexts, name) || row.Path == wire.PathAPIKeys
		switch {
		case strings.Contains(text, "\x00"):
			faults = append(faults, wire.Detail{Path: name, Message: api.HasNUL})
		case isNeeded && text != "" && plaintext.IsBlank(text):
			faults = append(faults, wire.Detail{Path: name, Message: api.IsEmpty})
		}
	}
	return faults
}

func conflict(texts []string) bool {
	first := ""
	for _, text := range texts {
		switch text = identity.FoldID(text); {
		case first == "":
			first = text
		case text != "" && text != first:
			return true
		}
	}
	return false
}

// usableMembers removes members such as "Message", because encoding/json ignores case and would
// read "message". It replaces a number that is too large by null, and the schema validation rejects
// null.
func usableMembers(body []byte, members map[string]json.RawMessage) []byte {
	isChanged := false
	for name, raw := range members {
		var value any
		switch {
		case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "":
			delete(members, name)
		case json.Unmarshal(raw, &value) != nil:
			members[name] = json.RawMessage("null")
		default:
			continue
		}
		isChanged = true
	}
	if !isChanged {
		return body
	}
	usable, err := json.Marshal(members)
	if err != nil {
		return body
	}
	return usable
}
