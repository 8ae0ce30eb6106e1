package localserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

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
