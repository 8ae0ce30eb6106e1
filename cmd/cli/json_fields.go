package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// FieldNames returns the sorted names of the fields that --json accepts. They include fields that
// the output omits if they are empty. Without a sample FieldNames returns nil.
func (f *JSONFlag) FieldNames() []string {
	if f.Sample == nil {
		return nil
	}
	names := map[string]json.RawMessage{}
	// If the sample cannot be encoded, use only the fields of its type.
	if text, err := json.Marshal(f.Sample); err == nil {
		_ = json.Unmarshal(text, &names)
	}
	addTypeFields(names, reflect.TypeOf(f.Sample))
	return slices.Sorted(maps.Keys(names))
}

// addTypeFields adds the names under which encoding/json encodes the fields of a type.
func addTypeFields(names map[string]json.RawMessage, of reflect.Type) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			addTypeFields(names, field.Type)
		case field.IsExported() && name != "" && name != "-":
			names[name] = nil
		}
	}
}

// ChooseFields returns the requested fields of a JSON object, or of each object in an array. A
// known field that the object omits becomes null. An unknown field is a usage error.
func (f *JSONFlag) ChooseFields(text []byte) ([]byte, error) {
	if len(f.Fields) == 0 {
		return text, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return f.chooseMembers(text)
	}
	chosen := make([]json.RawMessage, 0, len(list))
	for _, item := range list {
		kept, err := f.chooseMembers(item)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, kept)
	}
	return json.Marshal(chosen)
}

func (f *JSONFlag) chooseMembers(object []byte) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	known := f.FieldNames()
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range f.Fields {
		value, ok := members[name]
		switch {
		case ok:
		case slices.Contains(known, name):
			value = json.RawMessage("null")
		default:
			return nil, refuseField(name, slices.Collect(maps.Keys(members)))
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", name, value)
	}
	return append(b.Bytes(), '}'), nil
}

func refuseField(name string, known []string) error {
	return UsageError("unknown field %q; the fields are %s", name, strings.Join(slices.Sorted(slices.Values(known)), ", "))
}
