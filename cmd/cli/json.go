package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/template"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui/terminal"
)

// JSONFlag holds --json with its optional list of fields (without one, all), and --jq and
// --template, which imply --json and turn the JSON into something else. At most one of JQ
// and Template is set.
type JSONFlag struct {
	On       bool
	Fields   []string
	Sample   any
	JQ       *gojq.Code
	Template *template.Template
}

// AddFlags adds the flags to a command. sample is a value of the type that the command
// prints: a field that it does not have is refused before the command does anything. With
// nil it is refused at printing, which is enough for commands that change nothing.
func (f *JSONFlag) AddFlags(c *cobra.Command, sample any) {
	f.Sample = sample
	c.Flags().Var(f, "json", "print JSON, or with `FIELDS` (comma-separated) only these members")
	c.Flags().Lookup("json").NoOptDefVal = allFields
	c.Flags().Var(&expressionFlag{read: f.setJQ, kind: "jq"}, "jq", "print what the jq `EXPRESSION` makes of the JSON")
	c.Flags().Var(&expressionFlag{read: f.setTemplate, kind: "template"}, "template", "print what the Go `TEMPLATE` makes of the JSON (see `parley help formatting`)")
}

const allFields = "*"

func (f *JSONFlag) String() string { return strings.Join(f.Fields, ",") }

// Type names the value in the help text.
func (f *JSONFlag) Type() string { return "fields" }

// Set reads the list of fields.
func (f *JSONFlag) Set(text string) error {
	f.On = true
	if text == allFields {
		return nil
	}
	f.Fields = strings.Split(text, ",")
	if f.Sample == nil {
		return nil
	}
	example, err := json.Marshal(f.Sample)
	if err == nil {
		_, err = chooseMembers(example, f.Fields)
	}
	return err
}

// expressionFlag is a flag whose value is a small program. It is compiled when the flags
// are read, so that a mistake is found before the command does anything.
type expressionFlag struct {
	text, kind string
	read       func(string) error
}

func (e *expressionFlag) String() string { return e.text }

// Type names the value in the help text.
func (e *expressionFlag) Type() string { return e.kind }

// Set reads the program.
func (e *expressionFlag) Set(text string) error {
	e.text = text
	return e.read(text)
}

// PrintJSON writes a value as JSON on stdout, with the members asked for, or
// what --jq or --template makes of it.
func (s *Streams) PrintJSON(f JSONFlag, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if text, err = ChooseFields(text, f.Fields); err != nil {
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

// writeJSON writes JSON, indented or on one line. Control characters that a terminal would
// obey are escaped, which does not change the value.
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

// WriteJSONLine writes JSON as it is indented and a line end, with control characters
// escaped.
func WriteJSONLine(w io.Writer, text []byte) error {
	_, err := fmt.Fprintln(w, EscapeControls(string(text)))
	return err
}

// EscapeControls escapes in JSON the characters outside of ASCII that terminal.Clean would
// remove. They stand within strings only, so that the value stays the same.
func EscapeControls(text string) string {
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

// ChooseFields keeps the named members of a JSON object, or of each object of an array, in
// the order of fields; without fields it keeps all. An unknown member is a usage error.
func ChooseFields(text []byte, fields []string) ([]byte, error) {
	if len(fields) == 0 {
		return text, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return chooseMembers(text, fields)
	}
	chosen := make([]json.RawMessage, 0, len(list))
	for _, item := range list {
		kept, err := chooseMembers(item, fields)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, kept)
	}
	return json.Marshal(chosen)
}

func chooseMembers(object []byte, fields []string) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for i, name := range fields {
		value, ok := members[name]
		if !ok {
			return nil, UsageError("there is no field %q; the fields are %s", name, strings.Join(SortKeys(members), ", "))
		}
		fmt.Fprintf(&b, "%c%q:%s", separateMembers(i), name, value)
	}
	return append(b.Bytes(), '}'), nil
}

// separateMembers gives what stands before the member with an index.
func separateMembers(i int) rune {
	if i == 0 {
		return '{'
	}
	return ','
}

// SortKeys gives the keys of a map in order.
func SortKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
