package personas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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
	d.onObject = func(n *node, indexes []int) {
		order := slices.Clone(indexes)
		for i := range n.items {
			if !slices.Contains(indexes, i) {
				order = append(order, i)
			}
		}
		all[n] = order
	}
	var p Persona
	d.readDocument(root, &p)
	for n := range all {
		if i := findDuplicate(n.names); i >= 0 {
			line := t.positionOf(n.names[i].span).Line
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

func (f *formatter) verifyResult(name string, root *node, text string) error {
	t, reread, fault := readTree(name, []byte(text))
	if fault != nil {
		return fmt.Errorf("%w: the members cannot be sorted (%w); remove anchors and aliases", ErrFormat, *fault)
	}
	orders, err := ordersOf(t, reread)
	if err != nil {
		return err
	}

	want, got := root.sortMembers(f.orders).appendJSON(nil), reread.sortMembers(orders).appendJSON(nil)
	if !bytes.Equal(want, got) {
		return fmt.Errorf("%w: the members cannot be sorted without changing their values; remove anchors, aliases and blank lines at the end of block texts", ErrFormat)
	}
	if !slices.Equal(commentLines(f.t.src), commentLines(t.src)) {
		return fmt.Errorf("%w: the members cannot be sorted without losing a comment", ErrFormat)
	}
	return nil
}

func commentLines(src string) []string {
	var comments []string
	for line := range strings.Lines(src) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			comments = append(comments, line)
		}
	}
	slices.Sort(comments)
	return comments
}

// formatter reorders the lines of members. A member moves with its indented lines, and with the
// comments and blank lines above.
type formatter struct {
	t        *sourceText
	orders   memberOrders
	reindent bool
	lines    []string // without line endings
	lineEnd  string
	err      error
}

func newFormatter(t *sourceText, o memberOrders, reindent bool) *formatter {
	f := &formatter{t: t, orders: o, reindent: reindent, lineEnd: "\n", lines: make([]string, 0, len(t.lines))}
	if strings.Contains(t.src, "\r\n") {
		f.lineEnd = "\r\n"
	}
	for i, start := range t.lines {
		if start == len(t.src) && i > 0 {
			break // No line follows the final line break.
		}
		end := len(t.src)
		if i+1 < len(t.lines) {
			end = t.lines[i+1]
		}
		f.lines = append(f.lines, strings.TrimRight(t.src[start:end], "\r\n"))
	}
	return f
}

func (f *formatter) addRefusal(line int, format string, args ...any) {
	if f.err == nil {
		f.err = newFormatError(line+1, format, args...)
	}
}

func (f *formatter) lineOf(offset int) int {
	after, _ := slices.BinarySearch(f.t.lines, offset+1)
	return after - 1
}

func (f *formatter) columnOf(offset int) int { return offset - f.t.lines[f.lineOf(offset)] }

func (f *formatter) countHeader(root *node) int {
	header := 0
	for i, line := range f.lines[:f.lineOf(root.names[0].span.start)] {
		if isBlank(line) || !isComment(line) || strings.Contains(line, "yaml-language-server") {
			header = i + 1
		}
	}
	return header
}

func (f *formatter) isBlock(n *node) bool {
	if n.kind != object && n.kind != list || len(n.items) == 0 {
		return false
	}
	offset := skipProperties(f.t.src, n.span.start)
	return offset < len(f.t.src) && strings.IndexByte("{[*", f.t.src[offset]) < 0
}

type part struct {
	n         *node
	head      int // index of the first comment above
	line, end int // own lines, end exclusive
}

func (f *formatter) formatMapping(n *node, from, to, indent int) []string {
	col := f.columnOf(n.names[0].span.start)
	parts, rest := f.listMembers(n, from, to)
	if f.err != nil {
		return nil
	}
	if !f.reindent {
		indent = col
	}
	return f.joinParts(parts, f.orders.orderOf(n), rest, to, indent, func(p part) []string {
		return f.formatMember(p, col, indent)
	})
}

func (f *formatter) listMembers(n *node, from, to int) (parts []part, rest int) {
	col := f.columnOf(n.names[0].span.start)
	parts = make([]part, len(n.names))
	for i := range n.names {
		offset := n.names[i].span.start
		line := f.lineOf(offset)
		parts[i] = part{n: n.items[i], line: line}
		isMovable := f.columnOf(offset) == col && from <= line && line < to
		if !isMovable || strings.Trim(f.lines[line][:col], " ") != "" {
			f.addRefusal(line, "the lines of %s cannot be determined; merge keys (<<), keys written with \"?\" and anchors on keys cannot be moved",
				quote(clip(n.names[i].text)))
			return nil, to
		}
	}
	return parts, f.divideLines(parts, from, to, col)
}

// joinParts omits blank lines after a block scalar if they would become part of the scalar.
func (f *formatter) joinParts(parts []part, order []int, rest, to, indent int, lines func(part) []string) []string {
	var out []string
	tight := true
	for _, i := range order {
		p := parts[i]
		head := f.formatHead(p.head, p.line, indent)
		if tight {
			head = trimBlankLines(head)
		}
		out = append(append(out, head...), lines(p)...)
		if f.err != nil {
			return nil
		}
		tight = f.keepsBlank(p.n, f.orders.orderOf)
	}
	head := f.formatHead(rest, to, indent)
	if tight {
		head = trimBlankLines(head)
	}
	return append(out, head...)
}

func (f *formatter) divideLines(parts []part, from, to, col int) (rest int) {
	for i := range parts {
		p := &parts[i]
		p.head = from
		next := to
		if i+1 < len(parts) {
			next = parts[i+1].line
		}
		if next <= p.line {
			f.addRefusal(p.line, "this line has two members; put each on its own line")
			return to
		}
		from = f.endOf(p, next, col)
		p.end = from
	}
	return from
}

func (f *formatter) endOf(p *part, next, col int) int {
	end := p.line + 1
	if p.n.span.end > f.t.lines[p.line] {
		end = max(end, min(f.lineOf(p.n.span.end-1)+1, next))
	}
	if f.keepsBlank(p.n, memberOrders{}.orderOf) {
		for end < next && isBlank(f.lines[end]) {
			end++
		}
	}
	for i := end; i < next; i++ {
		switch line := f.lines[i]; {
		case isBlank(line):
		case isComment(line) && indentation(line) > col:
			end = i + 1
		default:
			return end
		}
	}
	return end
}

func (f *formatter) keepsBlank(n *node, order func(*node) []int) bool {
	for f.isBlock(n) {
		n = n.items[last(order(n))]
	}
	offset := n.span.start
	if n.kind != str || offset >= len(f.t.src) || strings.IndexByte("|>", f.t.src[offset]) < 0 {
		return false
	}
	header, _, _ := strings.Cut(f.t.src[offset:], "\n")
	header, _, _ = strings.Cut(header, "#")
	return strings.Contains(header, "+")
}

func (f *formatter) formatHead(from, to, indent int) []string {
	out := make([]string, 0, max(to-from, 0))
	for i := from; i < to; i++ {
		switch line := strings.TrimSpace(f.lines[i]); {
		case line == "":
			out = append(out, "")
		case line[0] == '#':
			out = append(out, strings.Repeat(" ", indent)+line)
		case line == "..." && indent == 0:
			out = append(out, line)
		default:
			f.addRefusal(i, "the member of this line cannot be determined; merge keys (<<) and anchors cannot be moved")
		}
	}
	return mergeBlankLines(out, to == len(f.lines))
}

func (f *formatter) formatMember(p part, col, indent int) []string {
	if !f.isBlock(p.n) || f.firstLine(p.n) <= p.line {
		return f.shiftLines(p.line, p.end, indent-col)
	}
	out := f.shiftLines(p.line, p.line+1, indent-col)
	if p.n.kind == object {
		return append(out, f.formatMapping(p.n, p.line+1, p.end, indent+2)...)
	}
	return append(out, f.formatSequence(p.n, p.line+1, p.end, indent+2)...)
}

func (f *formatter) firstLine(n *node) int {
	if n.kind == object {
		return f.lineOf(n.names[0].span.start)
	}
	return f.lineOf(skipProperties(f.t.src, n.span.start))
}

func (f *formatter) formatSequence(n *node, from, to, indent int) []string {
	dash := f.columnOf(skipProperties(f.t.src, n.span.start))
	parts, rest := f.listItems(n, from, to)
	if f.err != nil {
		return nil
	}
	if !f.reindent {
		indent = dash
	}
	return f.joinParts(parts, memberOrders{}.orderOf(n), rest, to, indent, func(p part) []string {
		return f.formatItem(p, dash, indent)
	})
}

func (f *formatter) listItems(n *node, from, to int) (parts []part, rest int) {
	dash := f.columnOf(skipProperties(f.t.src, n.span.start))
	for i := from; i < to; i++ {
		line := f.lines[i]
		if indentation(line) != dash || len(parts) == len(n.items) {
			continue
		}
		if line[dash:] == "-" || strings.HasPrefix(line[dash:], "- ") {
			parts = append(parts, part{n: n.items[len(parts)], line: i})
		}
	}
	if len(parts) != len(n.items) {
		f.addRefusal(from, "the items of this list cannot be determined; put each on its own line, all with the same indentation")
		return nil, to
	}
	return parts, f.divideLines(parts, from, to, dash)
}

func (f *formatter) formatItem(p part, dash, indent int) []string {
	if !f.isBlock(p.n) || p.n.kind != object {
		return f.shiftLines(p.line, p.end, indent-dash)
	}
	first := f.lineOf(p.n.names[0].span.start)
	if first > p.line {
		out := f.shiftLines(p.line, p.line+1, indent-dash)
		return append(out, f.formatMapping(p.n, p.line+1, p.end, indent+2)...)
	}
	line := f.lines[p.line]
	f.lines[p.line] = line[:dash] + " " + line[dash+1:]
	inner := f.formatMapping(p.n, p.line, p.end, indent+2)
	f.lines[p.line] = line
	gap := f.columnOf(p.n.names[0].span.start) - dash - 1
	if f.reindent {
		gap = 1
	}
	for i := range inner {
		switch text := strings.TrimLeft(inner[i], " "); {
		case text == "":
		case isComment(text):
			// Comments above the new first member stay above the dash.
			inner[i] = strings.Repeat(" ", indent) + text
		default:
			inner[i] = strings.Repeat(" ", indent) + "-" + strings.Repeat(" ", gap) + text
			return inner
		}
	}
	return inner
}

func (f *formatter) shiftLines(from, to, delta int) []string {
	out := make([]string, 0, to-from)
	for _, line := range f.lines[from:to] {
		switch {
		case delta > 0 && !isBlank(line):
			line = strings.Repeat(" ", delta) + line
		case delta < 0:
			line = line[min(-delta, indentation(line)):]
		}
		if to == from+1 {
			line = strings.TrimRight(line, " \t")
		}
		out = append(out, line)
	}
	return out
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

func isComment(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") }

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func mergeBlankLines(lines []string, atEnd bool) []string {
	var out []string
	for _, line := range lines {
		line = strings.TrimRight(line, " \t")
		if line != "" || len(out) == 0 || last(out) != "" {
			out = append(out, line)
		}
	}
	if atEnd && len(out) > 0 && last(out) == "" {
		out = out[:len(out)-1]
	}
	return out
}

func trimBlankLines(lines []string) []string {
	for len(lines) > 0 && isBlank(lines[0]) {
		lines = lines[1:]
	}
	return lines
}
