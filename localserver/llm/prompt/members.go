package prompt

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// readMembers reads exactly one JSON object: its members by their lower-case names, each name once.
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

// readText reads a JSON string; ok is false for null.
func readText(raw json.RawMessage) (string, bool) {
	var text string
	if !bytes.HasPrefix(raw, []byte(`"`)) || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return text, true
}
