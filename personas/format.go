package personas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrFormat refuses a document whose text Format cannot bring in order.
var ErrFormat = errors.New("not formatted")

// Format gives the text of a document in its canonical form: known members in
// the order of the document, unknown ones behind them in their own, two spaces
// of indentation, at most one blank line in a row. In YAML all comments stay,
// each with the member that it stands above or behind; values are kept as they
// are written, flow style ({...}) too. JSON is indented anew. The result is the
// same persona: it was read again to know that. It refuses a text that is no
// document, and one that it cannot change safely (ErrFormat): merge keys,
// members given twice, keys announced by "?", anchors that would come to stand
// behind their aliases.
func Format(name string, src []byte) ([]byte, error) {
	t, root, fault := tree(name, src)
	if fault != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, fault)
	}
	if root.kind != object {
		return nil, fmt.Errorf("%w: the document is %s, not an object with members", ErrFormat, root.describe())
	}
	orders, err := ordersOf(t, root)
	if err != nil {
		return nil, err
	}
	mark := src[:len(src)-len(t.src)]
	if isJSON(name, t.src) {
		return append(bytes.Clone(mark), indented(root, orders)...), nil
	}
	for _, reindent := range []bool{true, false} {
		f := newFormatter(t, orders, reindent)
		if !f.isBlock(root) {
			return src, nil // Flow style is left as it is.
		}
		var lines []string
		if lines, err = f.document(root); err != nil {
			return nil, err
		}
		text := strings.Join(lines, f.lineEnd) + f.lineEnd
		if err = f.verify(name, root, text); err == nil {
			return append(bytes.Clone(mark), text...), nil
		}
	}
	return nil, err
}

// orders are the places of members in the order in which they shall stand.
type orders map[*node][]int

func (o orders) of(n *node) []int {
	if order, ok := o[n]; ok {
		return order
	}
	order := make([]int, len(n.items))
	for i := range order {
		order[i] = i
	}
	return order
}

// ordersOf asks the decoder which members it knows, and in which order.
func ordersOf(t *text, root *node) (orders, error) {
	all := orders{}
	d := &decoder{t: t}
	d.visited = func(n *node, known []int) {
		order := slices.Clone(known)
		for i := range n.items {
			if !slices.Contains(known, i) {
				order = append(order, i)
			}
		}
		all[n] = order
	}
	var p Persona
	d.document(root, &p)
	for n := range all {
		if i := twice(n.names); i >= 0 {
			return nil, unformatted(t.position(n.names[i].at).Line, "%s is given twice; remove one", quote(clip(n.names[i].text)))
		}
	}
	return all, nil
}

func twice(names []name) int {
	seen := map[string]bool{}
	for i, n := range names {
		if seen[n.text] {
			return i
		}
		seen[n.text] = true
	}
	return -1
}

func unformatted(line int, format string, args ...any) error {
	return fmt.Errorf("%w: line %d: %s", ErrFormat, line, fmt.Sprintf(format, args...))
}

// sorted is the tree with its members in order.
func (n *node) sorted(o orders) *node {
	changed := *n
	changed.items = make([]*node, 0, len(n.items))
	changed.names = make([]name, 0, len(n.names))
	for _, i := range o.of(n) {
		changed.items = append(changed.items, n.items[i].sorted(o))
		if n.kind == object {
			changed.names = append(changed.names, n.names[i])
		}
	}
	return &changed
}

func indented(root *node, o orders) []byte {
	var out bytes.Buffer
	// A tree is always valid JSON.
	_ = json.Indent(&out, root.sorted(o).json(nil), "", "  ")
	out.WriteByte('\n')
	return out.Bytes()
}

// verify reads a formatted text and complains when it is not the same document,
// or has lost a comment.
func (f *formatter) verify(name string, root *node, text string) error {
	t, again, fault := tree(name, []byte(text))
	if fault != nil {
		return fmt.Errorf("%w: the members cannot be brought in order (%w); it works without anchors and aliases", ErrFormat, *fault)
	}
	orders, err := ordersOf(t, again)
	if err != nil {
		return err
	}

	want, got := root.sorted(f.orders).json(nil), again.sorted(orders).json(nil)
	if !bytes.Equal(want, got) {
		return fmt.Errorf("%w: the members cannot be brought in order without changing what they say; it works without anchors, aliases and texts that end in blank lines", ErrFormat)
	}
	if !slices.Equal(comments(f.t.src), comments(t.src)) {
		return fmt.Errorf("%w: the members cannot be brought in order without losing a comment", ErrFormat)
	}
	return nil
}

// comments are the lines that begin with a number sign, sorted.
func comments(src string) []string {
	var found []string
	for line := range strings.Lines(src) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			found = append(found, line)
		}
	}
	slices.Sort(found)
	return found
}
