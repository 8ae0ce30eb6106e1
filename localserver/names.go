package localserver

import (
	"encoding/json"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/wire"
)

// sessionNames are the parameters that identify a player's session, in any part of a request.
var sessionNames = [...]string{"user_session_id", "machine_id"}

// namesBody is the body of endpoints that take the session in the query: the body may contain it
// instead.
type namesBody struct {
	UserSessionID *string `json:"user_session_id,omitempty" nullable:"true" maxLength:"200"`
	MachineID     *string `json:"machine_id,omitempty" nullable:"true"`
}

// addMachineID lets a body name the machine that the query may name.
func addMachineID(s *huma.Schema) {
	s.Properties["machine_id"] = &huma.Schema{Type: huma.TypeString, Nullable: true}
	s.PrecomputeMessages()
}

// readBodyNames returns the session parameters in a body. It refuses a request with two different
// values for one of them, in the body or in the query: using either could restart the wrong game.
// null and an empty text are ignored.
func readBodyNames(row *api.Route, query url.Values, body []byte) (map[string]string, error) {
	if !row.NamesSession() {
		return nil, nil
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(body, &members) // The schema refuses a body other than an object.
	names := map[string]string{}
	var faults []wire.Detail
	for _, name := range sessionNames {
		var text string
		_ = json.Unmarshal(members[name], &text) // It also refuses a member other than a text.
		if text != "" {
			names[name] = text
		}
		if saysTwoThings(append([]string{text}, query[name]...)) {
			faults = append(faults, wire.Detail{Path: name, Message: "the request says two different things, in its body or its query: say it once"})
		}
	}
	if len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	return names, nil
}

// saysTwoThings reports whether texts that are not empty differ. Ids are the same in both
// cases.
func saysTwoThings(texts []string) bool {
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
