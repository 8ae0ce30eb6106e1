package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
)

// decodeJSON decodes an answer. The interface calls scores and counts numbers, and variables an
// object. If the service sends 3.0 or a variable other than a text, decodeJSON rounds the number and
// uses the JSON of the variable.
func decodeJSON(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); !ok {
		return err
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return err
	}
	rounded, failed := json.Marshal(roundNumbers(value))
	if failed != nil {
		return err
	}
	return json.Unmarshal(rounded, into)
}

func roundNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Float64(); err == nil && math.Abs(n) <= math.MaxInt32 {
			return int(math.Round(n))
		}
	case []any:
		for i := range v {
			v[i] = roundNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = roundNumbers(v[name])
		}
		if variables, ok := v["cross_machine_vars"].(map[string]any); ok {
			for name, variable := range variables {
				if _, isText := variable.(string); !isText && variable != nil {
					text, _ := json.Marshal(variable)
					variables[name] = string(text)
				}
			}
		}
	}
	return value
}
