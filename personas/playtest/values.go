package playtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// value is a value of a play file with its path. v is nil, bool, json.Number, string, []any or
// map[string]any. v may contain a cell, which is a value from the table of variants. The path of a
// cell is its path in the table.
type value struct {
	v    any
	path string
}

type cell value

func valueAt(v any, path string) value {
	if c, ok := v.(cell); ok {
		return value(c)
	}
	return value{v, path}
}

func (x value) itemAt(i int, v any) value { return valueAt(v, x.path+"["+strconv.Itoa(i)+"]") }

func (x value) findMember(name string) (value, bool) {
	object, _ := x.v.(map[string]any)
	v, ok := object[name]
	return valueAt(v, personas.JoinPath(x.path, name)), ok && v != nil
}

// fillColumns replaces columns in angle brackets with the row's values. A text that consists of one
// column becomes the row's value, which may be of any kind.
func fillColumns(v any, row value) any {
	switch v := v.(type) {
	case string:
		return fillTextColumns(v, row)
	case []any:
		filled := make([]any, len(v))
		for i := range v {
			filled[i] = fillColumns(v[i], row)
		}
		return filled
	case map[string]any:
		filled := make(map[string]any, len(v))
		for name := range v {
			filled[name] = fillColumns(v[name], row)
		}
		return filled
	}
	return v
}

func fillTextColumns(text string, row value) any {
	if name, ok := strings.CutPrefix(text, "<"); ok && strings.HasSuffix(name, ">") {
		if c, ok := row.findMember(strings.TrimSuffix(name, ">")); ok {
			return cell(c)
		}
	}
	columns, _ := row.v.(map[string]any)
	var pairs []string
	for _, name := range sortedNames(columns) {
		switch v := columns[name].(type) {
		case string, bool, json.Number: // A list cannot be inserted in a text.
			pairs = append(pairs, "<"+name+">", fmt.Sprint(v))
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

type playReader struct {
	places personas.SourceMap
	faults []personas.Diagnostic
	size   int // number of characters in the messages so far
	steps  int // number of steps so far, counted for every variant
	said   int // number of characters in the messages of these steps
	parts  int // number of parts of regular expressions
}

const maxFaults = 100

func (r *playReader) addFaultAt(path, format string, args ...any) {
	r.addFault(personas.Diagnostic{Path: path, Position: r.places.Lookup(path), Message: fmt.Sprintf(format, args...)})
}

func (r *playReader) addFault(f personas.Diagnostic) {
	if len(r.faults) >= maxFaults {
		return
	}
	// A step with variants is read once for each variant, but each fault is reported only once.
	if !slices.ContainsFunc(r.faults, func(other personas.Diagnostic) bool {
		return other.Position == f.Position && other.Message == f.Message || other.Path == f.Path && f.Path != ""
	}) {
		r.faults = append(r.faults, f)
	}
}

// checkMembers adds a fault for each unknown member. It returns false if the value is not an
// object.
func (r *playReader) checkMembers(x value, names ...string) bool {
	object, ok := x.v.(map[string]any)
	if !ok {
		r.addFaultAt(x.path, "%s must be an object with members, but it is %s", titleOf(x.path), describeValue(x.v))
		return false
	}
	for _, name := range sortedNames(object) {
		if slices.Contains(names, name) || strings.HasPrefix(name, "x-") {
			continue
		}
		path := personas.JoinPath(x.path, name)
		hint := "the members are " + strings.Join(names, ", ")
		if near := personas.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		r.addFault(personas.Diagnostic{Path: path, Position: r.places.Key(path), Message: fmt.Sprintf("%s has no member %q; %s", titleOf(x.path), name, hint)})
	}
	return true
}

// titleOf describes the value at a path: "expect of the third step of the first play" for
// "plays[0].steps[2].expect".
func titleOf(path string) string {
	if path == "" {
		return "the play file"
	}
	return (*personas.Persona)(nil).NamePath(path)
}

func describeValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "empty"
	case string:
		return "the text " + strconv.Quote(v)
	case json.Number:
		return "the number " + v.String()
	case bool:
		return "the boolean " + strconv.FormatBool(v)
	case []any:
		return "a list"
	}
	return "an object"
}

func (r *playReader) readText(x value, name string) string {
	m, ok := x.findMember(name)
	if !ok {
		return ""
	}
	return r.textOf(m)
}

func (r *playReader) textOf(x value) string {
	s, ok := x.v.(string)
	if !ok {
		r.addFaultAt(x.path, "%s must be a text, but it is %s", titleOf(x.path), describeValue(x.v))
	}
	return s
}

func (r *playReader) readList(x value, name string) []value {
	m, ok := x.findMember(name)
	if !ok {
		return nil
	}
	items, ok := m.v.([]any)
	if !ok {
		r.addFaultAt(m.path, "%s must be a list, but it is %s", titleOf(m.path), describeValue(m.v))
	}
	list := make([]value, len(items))
	for i, item := range items {
		list[i] = m.itemAt(i, item)
	}
	return list
}

func (r *playReader) readTexts(x value) []value {
	items, ok := x.v.([]any)
	if !ok {
		r.textOf(x)
		return []value{x}
	}
	list := make([]value, len(items))
	for i, item := range items {
		list[i] = x.itemAt(i, item)
		r.textOf(list[i])
	}
	return list
}

func sortedNames(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }
