package personas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrFormat means that Format or EncodeJSON cannot write the document safely.
var ErrFormat = errors.New("not formatted")

// Format returns the text of a document in canonical form. Members are in document order with
// unknown members last, indented by two spaces, without repeated blank lines.
//
// In YAML, a comment stays with the member below it or before it. Values keep their notation, but
// scalars such as yes and 12:30 get quotes, because YAML 1.1 and 1.2 differ. Format parses the
// result and compares the personas.
//
// Format returns ErrFormat if the text is not a document or cannot be reordered safely. Causes are
// merge keys, duplicate members, keys with "?", and anchors that would follow their aliases.
func Format(name string, src []byte) ([]byte, error) {
	t, root, fault := readPersonaTree(name, src)
	if fault != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, fault)
	}
	if root.kind != object {
		return nil, fmt.Errorf("%w: the document is %s, not an object with members", ErrFormat, root.describe())
	}
	mark := bytes.Clone(src[:len(src)-len(t.src)])
	if isJSON(name, t.src) {
		orders, err := ordersOf(t, root)
		if err != nil {
			return nil, err
		}
		if root.indentedSize(0, MaxFile) > MaxFile {
			return nil, fmt.Errorf("%w: indented, the document would have more than %d bytes, the maximum for parsing it again; split it, or nest it less deeply", ErrFormat, MaxFile)
		}
		out := bytes.NewBuffer(mark)
		// appendJSON always returns valid JSON.
		_ = json.Indent(out, root.sortMembers(orders).appendJSON(nil), "", "  ")
		out.WriteByte('\n')
		return out.Bytes(), nil
	}
	text, err := formatYAML(name, t, root)
	if err != nil {
		return nil, err
	}
	return append(mark, text...), nil
}

func formatYAML(name string, t *sourceText, root *node) (string, error) {
	t, root, err := quoteScalars(name, t, root)
	if err != nil {
		return "", err
	}
	orders, err := ordersOf(t, root)
	if err != nil {
		return "", err
	}
	for _, reindent := range []bool{true, false} {
		f := newFormatter(t, orders, reindent)
		if !f.isBlock(root) {
			return t.src, nil // Flow style stays unchanged.
		}
		header := f.countHeader(root)
		lines := append(mergeBlankLines(f.lines[:header], false), f.formatMapping(root, header, len(f.lines), 0)...)
		if f.err != nil {
			return "", f.err
		}
		text := strings.Join(lines, f.lineEnd) + f.lineEnd
		if err = f.verifyResult(name, root, text); err == nil {
			return text, nil
		}
	}
	return "", err
}

type memberOrders map[*node][]int

func (o memberOrders) orderOf(n *node) []int {
	if order, ok := o[n]; ok {
		return order
	}
	order := make([]int, len(n.items))
	for i := range order {
		order[i] = i
	}
	return order
}

func ordersOf(t *sourceText, root *node) (memberOrders, error) {
	all := memberOrders{}
	d := &decoder{t: t}
	d.onObject = func(n *node, known []int) {
		order := slices.Clone(known)
		for i := range n.items {
			if !slices.Contains(known, i) {
				order = append(order, i)
			}
		}
		all[n] = order
	}
	var p Persona
	d.readDocument(root, &p)
	for n := range all {
		if i := findDuplicate(n.names); i >= 0 {
			line := t.positionOf(n.names[i].at).Line
			return nil, newFormatError(line, "%s occurs twice; remove one", quote(clip(n.names[i].text)))
		}
	}
	return all, nil
}

func findDuplicate(names []memberName) int {
	seen := map[string]bool{}
	for i, n := range names {
		if seen[n.text] {
			return i
		}
		seen[n.text] = true
	}
	return -1
}

func newFormatError(line int, format string, args ...any) error {
	return fmt.Errorf("%w: line %d: %s", ErrFormat, line, fmt.Sprintf(format, args...))
}

func (n *node) sortMembers(o memberOrders) *node {
	changed := *n
	changed.index = nil
	changed.items = make([]*node, 0, len(n.items))
	changed.names = make([]memberName, 0, len(n.names))
	for _, i := range o.orderOf(n) {
		changed.items = append(changed.items, n.items[i].sortMembers(o))
		if n.kind == object {
			changed.names = append(changed.names, n.names[i])
		}
	}
	return &changed
}

func (n *node) indentedSize(level, limit int) int {
	size := len(n.text) + 2
	for i, item := range n.items {
		size += 2*(level+1) + 2
		if n.kind == object {
			size += len(n.names[i].text) + 4
		}
		if size += item.indentedSize(level+1, limit-size); size > limit {
			return size
		}
	}
	if len(n.items) > 0 {
		size += 2*level + 1
	}
	return size
}

func (f *formatter) verifyResult(name string, root *node, text string) error {
	t, again, fault := readTree(name, []byte(text))
	if fault != nil {
		return fmt.Errorf("%w: the members cannot be sorted (%w); remove anchors and aliases", ErrFormat, *fault)
	}
	orders, err := ordersOf(t, again)
	if err != nil {
		return err
	}

	want, got := root.sortMembers(f.orders).appendJSON(nil), again.sortMembers(orders).appendJSON(nil)
	if !bytes.Equal(want, got) {
		return fmt.Errorf("%w: the members cannot be sorted without changing their values; remove anchors, aliases and blank lines at the end of block texts", ErrFormat)
	}
	if !slices.Equal(commentLines(f.t.src), commentLines(t.src)) {
		return fmt.Errorf("%w: the members cannot be sorted without losing a comment", ErrFormat)
	}
	return nil
}

func commentLines(src string) []string {
	var found []string
	for line := range strings.Lines(src) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			found = append(found, line)
		}
	}
	slices.Sort(found)
	return found
}
