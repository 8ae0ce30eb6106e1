package provider

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxBraces is how many opening braces are tried for a beginning of JSON.
const maxBraces = 64

// findJSON finds the JSON object in an answer that may have fences or words
// around it. Of several the last one counts, since models that think aloud end
// with their answer.
func findJSON(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if isObject(text) {
		return text, true
	}
	found := ""
	for tries := 0; tries < maxBraces; tries++ {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		text = text[at:]
		value, ok := firstValue(text)
		if !ok {
			text = text[1:]
			continue
		}
		found, text = value, text[len(value):]
	}
	return found, found != ""
}

func isObject(text string) bool { return strings.HasPrefix(text, "{") && json.Valid([]byte(text)) }

// firstValue returns the JSON value with which a text begins.
func firstValue(text string) (string, bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	if decoder.Decode(&raw) != nil {
		return "", false
	}
	return string(bytes.TrimSpace(raw)), true
}
