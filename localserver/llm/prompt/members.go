package prompt

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// readMembers decodes a text that must be exactly one JSON object, and returns its members by
// lower-case name. It returns false if a name occurs twice.
func readMembers(answer string) (map[string]json.RawMessage, bool) {
	decoder := json.NewDecoder(strings.NewReader(answer))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil, false
	}
	members := map[string]json.RawMessage{}
	for decoder.More() {
		name, err := decoder.Token()
		text, isText := name.(string)
		key := strings.ToLower(text)
		var value json.RawMessage
		if err != nil || !isText || members[key] != nil || decoder.Decode(&value) != nil {
			return nil, false
		}
		members[key] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, false
	}
	_, err := decoder.Token()
	return members, err == io.EOF
}

func readText(raw json.RawMessage) (string, bool) {
	var text string
	if !bytes.HasPrefix(raw, []byte(`"`)) || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}
