package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui/terminal"
)

// JSONFlag holds the values of --json, --jq and --template. At most one of JQ and Template is set.
type JSONFlag struct {
	On       bool
	Fields   []string
	Sample   any
	JQ       *gojq.Code
	Template *template.Template
}

const JSONName = "json"

// AddFlags adds the flags to a command. sample has the printed type, or is nil for several types.
func (f *JSONFlag) AddFlags(c *cobra.Command, sample any) {
	f.Sample = sample
	c.Flags().Var(f, JSONName, "print JSON, with `[FIELDS]` (comma-separated) only these members")
	c.Flags().Lookup(JSONName).NoOptDefVal = allFields
	c.Flags().Var(&expressionFlag{read: f.setJQ, kind: "jq"}, "jq", "filter the JSON with a jq `EXPRESSION`")
	c.Flags().Var(&expressionFlag{read: f.setTemplate, kind: "template"}, "template",
		"format the JSON with a Go `TEMPLATE` (see `parley help formatting`)")
}

const allFields = "*"

func (f *JSONFlag) String() string { return strings.Join(f.Fields, ",") }

func (f *JSONFlag) Type() string { return "fields" }

func (f *JSONFlag) Set(text string) error {
	f.On = true
	if text == allFields {
		return nil
	}
	f.Fields = strings.Split(text, ",")
	known := f.FieldNames()
	for _, name := range f.Fields {
		if known != nil && !slices.Contains(known, name) {
			return refuseField(name, known)
		}
	}
	return nil
}

type expressionFlag struct {
	text, kind string
	read       func(string) error
}

func (e *expressionFlag) String() string { return e.text }

func (e *expressionFlag) Type() string { return e.kind }

func (e *expressionFlag) Set(text string) error {
	e.text = text
	return e.read(text)
}

// PrintJSON writes the selected fields of value, or the output of --jq or --template.
func (s *Streams) PrintJSON(f JSONFlag, value any) error {
	if list := reflect.ValueOf(value); list.Kind() == reflect.Slice && list.Len() == 0 {
		return s.PrintEncoded(f, []byte("[]"))
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.PrintEncoded(f, text)
}

func (s *Streams) PrintEncoded(f JSONFlag, text []byte) (err error) {
	if text, err = f.ChooseFields(text); err != nil {
		return err
	}
	switch {
	case f.JQ != nil:
		return s.printJQ(f.JQ, text)
	case f.Template != nil:
		return s.printTemplate(f.Template, text)
	}
	return s.writeJSON(text, "  ")
}

func (s *Streams) writeJSON(text []byte, indent string) error {
	if indent == "" {
		return WriteJSONLine(s.Out, text)
	}
	var shown bytes.Buffer
	if err := json.Indent(&shown, text, "", indent); err != nil {
		return err
	}
	return WriteJSONLine(s.Out, shown.Bytes())
}

// WriteJSONLine writes JSON and a line break. It escapes control characters.
func WriteJSONLine(w io.Writer, text []byte) error {
	_, err := fmt.Fprintln(w, EscapeControls(string(text)))
	return err
}

// EscapeControls escapes control characters and runner commands in JSON. The values stay the same.
func EscapeControls(text string) string {
	text = EscapeCommands(text)
	if !strings.ContainsFunc(text, isControl) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !isControl(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func isControl(r rune) bool {
	return r >= utf8.RuneSelf-1 && r != utf8.RuneError && terminal.Clean(string(r)) != string(r)
}

// FieldNames returns the sorted fields that --json accepts, or nil without a sample.
func (f *JSONFlag) FieldNames() []string {
	if f.Sample == nil {
		return nil
	}
	names := map[string]json.RawMessage{}
	if text, err := json.Marshal(f.Sample); err == nil {
		_ = json.Unmarshal(text, &names)
	}
	addTypeFields(names, reflect.TypeOf(f.Sample))
	return slices.Sorted(maps.Keys(names))
}

func addTypeFields(names map[string]json.RawMessage, typ reflect.Type) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return
	}
	for i := range typ.NumField() {
		field := typ.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			addTypeFields(names, field.Type)
		case field.IsExported() && name != "" && name != "-":
			names[name] = nil
		}
	}
}

// ChooseFields returns the requested fields of an object, or of each object in an array. An omitted
// field becomes null. An unknown field is a usage error.
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
