package provider

import (
	"encoding/json"
	"strings"
)

// findJSON returns the JSON object in an answer. The object may be in a code fence or between
// words. If there are several objects, it returns false, because one of them may be a quotation of
// the player.
func findJSON(text string) (string, bool) {
	text = dropTrailingCommas(text)
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

func dropTrailingCommas(text string) string {
	var out strings.Builder
	kept, comma, quoted := 0, -1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted, comma = !quoted, -1
		case quoted, strings.IndexByte(" \t\r\n", c) >= 0:
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out.WriteString(text[kept:comma])
			kept, comma = comma+1, -1
		default:
			comma = -1
		}
	}
	if kept == 0 {
		return text
	}
	out.WriteString(text[kept:])
	return out.String()
}
