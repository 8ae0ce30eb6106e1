package provider

import (
	"encoding/json"
	"strings"
)

// findJSON returns the only JSON object in an answer, which may be in a code fence or between
// words. It drops commas before closing brackets. It returns false if there are several objects, or
// if an incomplete object precedes another, because one of them may be a quotation of the player.
// It runs in linear time.
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
		if found = firstValue(text); found == "" {
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

// dropTrailingCommas removes commas before a closing bracket, except inside quoted strings.
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

// firstValue returns the JSON value at the beginning of a text, or "" if it is incomplete.
func firstValue(text string) string {
	var raw json.RawMessage
	// Invalid JSON leaves raw empty.
	_ = json.NewDecoder(strings.NewReader(text)).Decode(&raw)
	return string(raw)
}
