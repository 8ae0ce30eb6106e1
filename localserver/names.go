package localserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"strconv"
	"strings"

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

// readJSON reads a body into a value. It clamps a number that is too large for Go's JSON decoder to
// the largest one: in an unread member it does not matter, and in a read one it has the wrong type
// anyway, since all read members are texts.
func readJSON(body []byte, into any) error {
	value, ok := into.(*any)
	if !ok {
		return json.Unmarshal(body, into)
	}
	var syntax json.RawMessage
	if err := json.Unmarshal(body, &syntax); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	err := decoder.Decode(value)
	*value = convertNumbers(*value)
	return err
}

// convertNumbers converts all numbers of a value to the type that validation supports.
func convertNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		number, err := strconv.ParseFloat(v.String(), 64)
		if errors.Is(err, strconv.ErrRange) && math.IsInf(number, 0) {
			number = math.Copysign(math.MaxFloat64, number)
		}
		return number
	case []any:
		for i := range v {
			v[i] = convertNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = convertNumbers(v[name])
		}
	}
	return value
}

// dropMisspeltMembers removes from a JSON object the members with names other than lower-case
// letters, digits and underscores, the spelling of the interface. They are unknown members, to be
// ignored; encoding/json would take "Message" for "message". It returns anything but an object
// unchanged.
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
