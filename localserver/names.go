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

// sessionNames identify a player's session, in the query or in the body.
var sessionNames = [...]string{"user_session_id", "machine_id"}

// namesBody is the optional body of endpoints that identify a session. The query may contain the
// names instead.
type namesBody struct {
	UserSessionID *string `json:"user_session_id,omitempty" nullable:"true" maxLength:"200"`
	MachineID     *string `json:"machine_id,omitempty" nullable:"true"`
}

// bodyLimits contains the maximum lengths of texts in bodies. A needed text must contain a character
// that is not white space.
var bodyLimits = []struct {
	schema, member string
	most           int
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

// limitBodies adds the limits of the members to the schemas of bodies.
func limitBodies(schemas map[string]*huma.Schema) {
	for _, l := range bodyLimits {
		text := schemas[l.schema].Properties[l.member]
		text.MaxLength = &l.most
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
	at := schemas["ForkBody"].Properties["at"]
	at.Minimum, at.Maximum = new(float64(0)), new(float64(play.MaxTurns))
	at.PrecomputeMessages()
	for _, name := range []string{"InitBody", "MessageBody", "ForkBody"} {
		schemas[name].Properties["machine_id"] = &huma.Schema{Type: huma.TypeString, Nullable: true}
		schemas[name].PrecomputeMessages()
	}
}

// bodyMembers returns the members of a body that is a JSON object. Validation by the schema rejects
// any other body later.
func bodyMembers(body []byte) (members map[string]json.RawMessage) {
	_ = json.Unmarshal(body, &members)
	return members
}

// readNames returns the values of sessionNames in the body. It returns an error if the body and the
// query contain different values, because a wrong choice could reset the wrong game.
func readNames(query url.Values, members map[string]json.RawMessage) (names map[string]string, faults []wire.Detail) {
	names = map[string]string{}
	for _, name := range sessionNames {
		text := textOf(members[name])
		if text != "" {
			names[name] = text
		}
		if conflict(append([]string{text}, query[name]...)) {
			faults = append(faults, wire.Detail{Path: name, Message: "the request has two different values, in its body or its query: send one"})
		}
	}
	return names, faults
}

func textOf(member json.RawMessage) (text string) {
	_ = json.Unmarshal(member, &text) // Validation by the schema rejects other types.
	return text
}

// Members with texts that must not contain NUL. A neededText must also contain a visible character.
var (
	neededTexts = []string{"user_session_id", "player_name", "message", "old_session_id", "description"}
	freeTexts   = []string{"name", "model"}
)

// checkTexts reports texts that contain NUL or consist only of Unicode white space. The schema
// already rejects white space of ASCII in bodies.
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
	said := ""
	for _, text := range texts {
		switch text = identity.FoldID(text); {
		case said == "":
			said = text
		case text != "" && text != said:
			return true
		}
	}
	return false
}

// usableMembers removes members with names that are not in lower case, such as "Message". The
// interface does not define them, but encoding/json would read them as "message". Members with a
// number that is too large become null, which validation rejects in a member that is read.
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
	kept, err := json.Marshal(members)
	if err != nil {
		return body
	}
	return kept
}
