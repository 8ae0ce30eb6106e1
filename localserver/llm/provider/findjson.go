package provider

import (
	"encoding/json"
	"strings"
)

// findJSON returns the JSON object in an answer, which may be in a code fence or between words. It
// returns false for several objects, because one may be a quotation of the player.
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
		var raw json.RawMessage
		_ = json.NewDecoder(strings.NewReader(text)).Decode(&raw) // Invalid JSON leaves raw empty.
		if found = string(raw); found == "" {
			return "", false
		}
		text = text[len(found):]
	}
}

// beginsObject reports whether the brace at the beginning of text begins a JSON object. A brace in
// prose does not.
func beginsObject(text string) bool {
	inside := strings.TrimLeft(text[1:], " \t\r\n")
	return inside != "" && (inside[0] == '"' || inside[0] == '}')
}
