package localserver

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
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

func addMachineID(s *huma.Schema) {
	s.Properties["machine_id"] = &huma.Schema{Type: huma.TypeString, Nullable: true}
	s.PrecomputeMessages()
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

// dropMisspeltMembers removes members with names that are not in lower case, such as "Message". The
// interface does not define them, but encoding/json would read them as "message".
func dropMisspeltMembers(body []byte, members map[string]json.RawMessage) []byte {
	isMisspelt := func(name string, _ json.RawMessage) bool {
		return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != ""
	}
	before := len(members)
	if maps.DeleteFunc(members, isMisspelt); len(members) == before {
		return body
	}
	kept, err := json.Marshal(members)
	if err != nil {
		return body
	}
	return kept
}
