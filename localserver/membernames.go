package localserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// readJSON reads a body into a value. A number that is too large for a number of JSON's
// readers is the largest one: where it is not read it does no harm, and where it is read
// it has the wrong type anyway, since all that is read are texts.
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

// convertNumbers makes of all numbers of a value what validation knows.
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
