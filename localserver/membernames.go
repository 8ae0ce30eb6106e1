package localserver

import (
	"encoding/json"
	"strings"
)

// dropMisspeltMembers leaves out of a JSON object the members whose names are not spelt
// as the interface spells its own: lower-case letters, digits and underscores.
// They are unknown members, to be ignored; encoding/json would take "Message"
// for "message". Anything else than an object stays as it is.
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
