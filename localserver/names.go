package localserver

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
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

// readBodyNames returns the values of sessionNames in the body. It returns an error if the body and
// the query contain different values, because a wrong choice could reset the wrong game.
func readBodyNames(row *api.Route, query url.Values, body []byte) (map[string]string, error) {
	if !row.NamesSession() {
		return nil, nil
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members) // Validation by the schema rejects a body other than an object.
	names := map[string]string{}
	var faults []wire.Detail
	for _, name := range sessionNames {
		var text string
		_ = json.Unmarshal(members[name], &text) // It also rejects a member other than a text.
		if text != "" {
			names[name] = text
		}
		if conflict(append([]string{text}, query[name]...)) {
			faults = append(faults, wire.Detail{Path: name, Message: "the request has two different values, in its body or its query: send one"})
		}
	}
	if len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	return names, nil
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
func dropMisspeltMembers(body []byte) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body
	}
	before := len(members)
	for name := range members {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			delete(members, name)
		}
	}
	if len(members) == before {
		return body
	}
	kept, err := json.Marshal(members)
	if err != nil {
		return body
	}
	return kept
}
