package provider

import (
	"encoding/json"
	"strings"
)

// findJSON finds the JSON object in an answer that may have fences or words around it.
// There is one or none: of several, or of one behind the beginning of another, nobody can
// tell which is the model's and which a quotation of a player's. It looks at each
// character a fixed number of times.
func findJSON(text string) (string, bool) {
	found := ""
	for {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			return found, found != ""
		}
		text = text[at:]
		if !beginsObject(text) {
			text = text[1:]
			continue
		}
		if found != "" {
			return "", false
		}
		if found = firstValue(text); found == "" {
			return "", false
		}
		text = text[len(found):]
	}
}

// beginsObject tells the beginning of an object from a brace in prose.
func beginsObject(text string) bool {
	inside := strings.TrimLeft(text[1:], " \t\r\n")
	return inside != "" && (inside[0] == '"' || inside[0] == '}')
}

// firstValue returns the JSON value with which a text begins; "" where it breaks off.
func firstValue(text string) string {
	var raw json.RawMessage
	// What is no JSON leaves raw empty.
	_ = json.NewDecoder(strings.NewReader(text)).Decode(&raw)
	return string(raw)
}
