package personas

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SetScalar gives the source text with the scalar at a path replaced, and all
// else, comments and layout included, as it was. A string stays a string,
// quoted where it must be; for a number or a boolean, value is what is written.
// It fails when the path is not there or is no scalar, and when the new text
// would not be the same document but for that value (a scalar that YAML
// aliases share, for example). The result was read again to know that.
func SetScalar(src []byte, path, value string) ([]byte, error) {
	t, root, fault := readTree("", src)
	if fault != nil {
		return nil, fmt.Errorf("set %s: %w", path, fault)
	}
	f := SourceMap{t, root}.findPath(path)
	if !f.exact || f.n.kind == list || f.n.kind == object {
		return nil, fmt.Errorf("set %s: there is no such scalar in the document", path)
	}
	mark := src[:len(src)-len(t.src)]
	want := root.replaceAt(path, f.n.withValue(value)).appendJSON(nil)
	for _, written := range valueSpellings(t.src, f.n.at, value, f.n.kind, root.hasFlowAt(t.src, path)) {
		changed := t.src[:f.n.at.start] + written + t.src[f.n.at.end:]
		if _, again, fault := readTree("", []byte(changed)); fault == nil && bytes.Equal(again.appendJSON(nil), want) {
			return append(bytes.Clone(mark), changed...), nil
		}
	}
	return nil, fmt.Errorf("set %s: it cannot be replaced alone by %s; edit the text by hand", path, quote(clip(value)))
}

// NewScalar is what SetScalars writes at a path.
type NewScalar struct{ Path, Value string }

// SetScalars is SetScalar of many scalars at once, which reads the text twice however many
// they are. It gives the indexes of those that are left because a value is no scalar there,
// or none of its kind. It fails when the others cannot all be written in the way that is
// tried first.
func SetScalars(src []byte, scalars []NewScalar) (changed []byte, left []int, err error) {
	t, root, fault := readTree("", src)
	if fault != nil {
		return nil, nil, fmt.Errorf("set several scalars: %w", fault)
	}
	edits, wanted := make([]scalarEdit, 0, len(scalars)), root
	for i, x := range scalars {
		f := SourceMap{t, root}.findPath(x.Path)
		if !f.exact || !f.n.canHold(x.Value) {
			left = append(left, i)
			continue
		}
		written := valueSpellings(t.src, f.n.at, x.Value, f.n.kind, root.hasFlowAt(t.src, x.Path))[0]
		edits = append(edits, scalarEdit{f.n.at, written})
		wanted = wanted.replaceAt(x.Path, f.n.withValue(x.Value))
	}
	text, ok := applyApart(t.src, edits)
	if ok {
		_, again, fault := readTree("", []byte(text))
		ok = fault == nil && bytes.Equal(again.appendJSON(nil), wanted.appendJSON(nil))
	}
	if !ok {
		return nil, nil, errors.New("set several scalars: they cannot be replaced together")
	}
	return append(bytes.Clone(src[:len(src)-len(t.src)]), text...), left, nil
}

// canHold tells whether a scalar can have a value and be of the same kind.
func (n *node) canHold(value string) bool {
	switch n.kind {
	case number:
		_, ok := numberText(value)
		return ok
	case boolean:
		return value == "true" || value == "false"
	}
	return n.kind == str
}

// applyApart replaces spans of a text; it fails where two of them are not apart.
func applyApart(src string, edits []scalarEdit) (changed string, ok bool) {
	slices.SortFunc(edits, func(a, b scalarEdit) int { return cmp.Compare(a.at.start, b.at.start) })
	var out strings.Builder
	done := 0
	for _, e := range edits {
		if e.at.start < done {
			return "", false
		}
		out.WriteString(src[done:e.at.start])
		out.WriteString(e.text)
		done = e.at.end
	}
	return out.String() + src[done:], true
}

// withValue makes a node of the same kind with another value.
func (n *node) withValue(value string) *node {
	switch n.kind {
	case number:
		text, _ := numberText(value)
		return &node{kind: number, text: text}
	case boolean:
		return &node{kind: boolean, text: value}
	}
	return &node{kind: str, text: value}
}

// replaceAt gives the tree with the node at a path replaced; the path exists.
func (n *node) replaceAt(path string, value *node) *node {
	s, rest, ok := nextStep(path)
	if !ok {
		return value
	}
	changed := *n
	changed.items = append([]*node(nil), n.items...)
	i := s.indexIn(n)
	changed.items[i] = n.items[i].replaceAt(rest, value)
	return &changed
}

// hasFlowAt tells whether the node at a path stands in a collection in brackets.
func (n *node) hasFlowAt(src, path string) bool {
	s, rest, ok := nextStep(path)
	return ok && (isFlow(src, n) || n.items[s.indexIn(n)].hasFlowAt(src, rest))
}

// valueSpellings lists the ways to write a value at a place, in brackets or not, the
// most readable first. Reading the result shows which of them mean the value there.
func valueSpellings(src string, at span, value string, k kind, inFlow bool) []string {
	if k == number || k == boolean {
		return []string{value}
	}
	ways := []string{scalarYAML(value), quote(value)}
	if value == "" || isReadOtherwise(ways[0], inFlow) {
		ways[0] = ways[1]
	}
	old := src[at.start:at.end]
	switch {
	case isBlock(value):
		block := string(appendBlock(nil, value, indentAt(src, at.start)))
		if strings.Contains(src, "\r\n") {
			block = strings.ReplaceAll(block, "\n", "\r\n")
		}
		if at.end < len(src) {
			// The line break stands there already.
			block = strings.TrimRight(block, "\r\n")
		}
		ways = append([]string{block}, ways...)
	case strings.HasPrefix(old, `"`):
		ways = ways[1:]
	case strings.HasPrefix(old, "'"):
		ways = append([]string{"'" + strings.ReplaceAll(value, "'", "''") + "'"}, ways...)
	}
	if k == null {
		ways = append(ways, " "+ways[0], " "+quote(value))
	}
	return ways
}

// indentAt gives the indentation of a block whose name stands on the line of a
// place.
func indentAt(src string, at int) int {
	line := src[strings.LastIndexByte(src[:at], '\n')+1:]
	return len(line) - len(strings.TrimLeft(line, " -")) + 2
}
