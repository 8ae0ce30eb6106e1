package personas

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// ErrRewrite means that the comments cannot be preserved.
var ErrRewrite = errors.New("the comments cannot be kept")

// Choice is one version of a document with a label for conflict markers.
type Choice struct {
	Label string
	Doc   Persona
}

// Rewrite changes the document in a YAML text to mine.Doc and returns the new text. Unchanged
// members and items keep their notation and comments. Comments of removed members are removed.
//
// Each difference between mine.Doc and theirs.Doc is written as a conflict with the markers
// <<<<<<<, ======= and >>>>>>>. Rewrite returns ErrRewrite for JSON and for lines that cannot be
// moved (see Format).
func Rewrite(name string, src []byte, mine, theirs Choice) ([]byte, error) {
	t, root, fault := readPersonaTree(name, src)
	if fault != nil {
		return nil, fmt.Errorf("%w: %w", ErrRewrite, fault)
	}
	w := &rewriter{formatter: newFormatter(t, memberOrders{}, false), labels: [2]string{mine.Label, theirs.Label}}
	if isJSON(name, t.src) || root.kind != object || !w.isBlock(root) {
		return nil, fmt.Errorf("%w: it is not YAML in block style", ErrRewrite)
	}
	old, _, _ := Parse(name, src)
	s := versions{root, treeOf(old.walkMembers), treeOf(mine.Doc.walkMembers), treeOf(theirs.Doc.walkMembers)}
	header := w.countHeader(root)
	lines := append(w.lines[:header:header], w.rewriteMapping(s, header, len(w.lines))...)
	if w.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRewrite, w.err)
	}
	text := strings.Join(lines, w.lineEnd) + w.lineEnd
	if err := verifyRewritten(name, text, mine.Doc); err != nil {
		return nil, err
	}
	return append(bytes.Clone(src[:len(src)-len(t.src)]), text...), nil
}

func verifyRewritten(name, text string, want Persona) error {
	got, _, faults := Parse(name, []byte(chooseMine(text)))
	if len(faults) > 0 {
		return fmt.Errorf("%w: %w", ErrRewrite, faults[0])
	}
	if !bytes.Equal(treeOf(got.walkMembers).appendJSON(nil), treeOf(want.walkMembers).appendJSON(nil)) {
		return fmt.Errorf("%w: its lines cannot be changed separately", ErrRewrite)
	}
	return nil
}

func chooseMine(text string) string {
	var out strings.Builder
	skip := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, mineMark):
		case strings.HasPrefix(line, middleMark):
			skip = true
		case strings.HasPrefix(line, theirsMark):
			skip = false
		case !skip:
			out.WriteString(line)
		}
	}
	return out.String()
}

// versions contains the source node, the old value and both new values. A missing value is nil.
type versions struct{ raw, old, mine, theirs *node }

type rewriter struct {
	*formatter
	labels [2]string
}

func (w *rewriter) rewriteMapping(values versions, from, to int) []string {
	if i := findDuplicate(values.raw.names); i >= 0 {
		name := values.raw.names[i]
		w.addRefusal(w.lineOf(name.span.start), "%s occurs twice; remove one", quote(clip(name.text)))
		return nil
	}
	parts, rest := w.listMembers(values.raw, from, to)
	if w.err != nil {
		return nil
	}
	byName := make(map[string]*part, len(parts))
	for i := range parts {
		byName[values.raw.names[i].text] = &parts[i]
	}
	indent := w.columnOf(values.raw.names[0].span.start)
	var out []string
	for _, name := range joinOrders(listNames(values.raw), joinOrders(listNames(values.mine), listNames(values.theirs))) {
		inner := versions{
			memberOf(values.raw, name), memberOf(values.old, name),
			memberOf(values.mine, name), memberOf(values.theirs, name),
		}
		out = append(out, w.rewritePart(inner, &partWriter{w, byName[name], indent, name, object})...)
	}
	return append(out, w.lines[rest:to]...)
}

func (w *rewriter) rewriteSequence(values versions, from, to int) []string {
	parts, rest := w.listItems(values.raw, from, to)
	if w.err != nil {
		return nil
	}
	old, mine, theirs := indexItems(values.old), indexItems(values.mine), indexItems(values.theirs)
	byKey := make(map[string]*part, len(parts))
	for i, key := range old.keys {
		byKey[key] = &parts[i]
	}
	indent := w.columnOf(skipProperties(w.t.src, values.raw.span.start))
	var out []string
	for _, key := range joinOrders(mine.keys, theirs.keys) {
		inner := versions{nil, old.items[key], mine.items[key], theirs.items[key]}
		if p := byKey[key]; p != nil {
			inner.raw = p.n
		}
		out = append(out, w.rewritePart(inner, &partWriter{w, byKey[key], indent, "", list})...)
	}
	return append(out, w.lines[rest:to]...)
}

func (w *rewriter) rewritePart(values versions, writer *partWriter) []string {
	isGone := values.mine == nil && values.theirs == nil
	isAgreed := isSame(values.mine, values.theirs)
	switch {
	case isGone && (values.old != nil || writer.part == nil):
		return nil
	case isGone, isAgreed && isSame(values.old, values.mine) && writer.part != nil:
		return append(writer.head(), writer.written()...)
	case isAgreed:
		return append(writer.head(), writer.change(values, values.mine)...)
	}
	if lines := writer.descend(values); lines != nil && !strings.HasPrefix(firstText(lines), mineMark) {
		return append(writer.head(), lines...)
	}
	out := append(writer.head(), mineMark+w.labels[0])
	out = append(append(out, writer.change(values, values.mine)...), middleMark)
	return append(append(out, writer.change(values, values.theirs)...), theirsMark+w.labels[1])
}

func firstText(lines []string) string {
	for _, line := range lines {
		if !isBlank(line) && !isComment(line) {
			return strings.TrimLeft(line, "- ")
		}
	}
	return ""
}

type partWriter struct {
	*rewriter
	part   *part // nil for a new part
	indent int
	name   string // name of a member
	parent kind   // object or list
}

func (p *partWriter) head() []string {
	if p.part == nil {
		return nil
	}
	return p.lines[p.part.head:p.part.line:p.part.line]
}

func (p *partWriter) written() []string {
	return p.lines[p.part.line:p.part.end:p.part.end]
}

func (p *partWriter) change(values versions, value *node) []string {
	switch {
	case value == nil:
		return nil
	case p.part == nil:
		return p.encode(value)
	case isSame(values.old, value):
		return p.written()
	}
	if lines := p.descend(versions{values.raw, values.old, value, value}); lines != nil {
		return lines
	}
	if lines := p.splice(values.raw, value); lines != nil {
		return lines
	}
	return append(p.trailingComment(values.raw), p.encode(value)...)
}

func (p *partWriter) encode(value *node) []string {
	b := appendIndent(nil, p.indent)
	if p.parent == object {
		b = appendName(b, p.name, p.indent)
	} else {
		b = append(b, '-')
	}
	b = appendItem(b, value, p.parent, p.indent)
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// trailingComment returns the comment after a value. If the value is encoded again, the comment
// moves above the value.
func (p *partWriter) trailingComment(raw *node) []string {
	end := lineEnd(p.t.src, raw.span.start)
	rest := strings.TrimSpace(p.t.src[min(raw.span.end, end):end])
	if p.lineOf(raw.span.start) != p.part.line || !strings.HasPrefix(rest, "#") {
		return nil
	}
	return []string{strings.Repeat(" ", p.indent) + rest}
}

func (p *partWriter) descend(values versions) []string {
	if p.part == nil || !p.isBlock(values.raw) || values.old == nil {
		return nil
	}
	if !isFilled(values.mine, values.raw.kind) || !isFilled(values.theirs, values.raw.kind) {
		return nil
	}
	if values.raw.kind == list && (values.old.kind != list || len(values.old.items) != len(values.raw.items)) {
		return nil
	}
	first, from := p.firstLine(values.raw), p.part.line+1
	switch {
	case first > p.part.line && values.raw.kind == object:
		return append(p.written()[:1:1], p.rewriteMapping(values, from, p.part.end)...)
	case first > p.part.line:
		return append(p.written()[:1:1], p.rewriteSequence(values, from, p.part.end)...)
	case p.parent == list && values.raw.kind == object:
		return p.rewriteBehindDash(values)
	}
	return nil
}

func isFilled(n *node, k kind) bool { return n != nil && n.kind == k && len(n.items) > 0 }

func (p *partWriter) rewriteBehindDash(values versions) []string {
	line := p.lines[p.part.line]
	p.lines[p.part.line] = line[:p.indent] + " " + line[p.indent+1:]
	inner := p.rewriteMapping(values, p.part.line, p.part.end)
	p.lines[p.part.line] = line
	for i := range inner {
		switch {
		case isBlank(inner[i]) || isComment(inner[i]):
		case len(inner[i]) <= p.indent || inner[i][p.indent] != ' ': // a conflict marker
			return inner
		default:
			inner[i] = inner[i][:p.indent] + "-" + inner[i][p.indent+1:]
			return inner
		}
	}
	return inner
}

func (p *partWriter) splice(raw, value *node) []string {
	start := p.t.lines[p.part.line]
	if isCollection(raw) || isCollection(value) {
		return nil
	}
	if raw.span.start < start || raw.span.end > lineEnd(p.t.src, start) {
		return nil // The value of an alias is elsewhere.
	}
	written := p.t.src[raw.span.start:raw.span.end]
	text := string(value.appendJSON(nil))
	switch {
	case written == "" || strings.IndexByte("|>", written[0]) >= 0 || strings.ContainsAny(value.text, "\n\r"):
		return nil
	case value.kind == number:
		text = numberYAML(value.text)
	case value.kind == str && written[0] != '"' && value.text != "" && !isReadOtherwise(scalarYAML(value.text), false):
		text = scalarYAML(value.text)
	}
	changed := textChange{raw.span, text}.apply(p.t.src)
	return []string{changed[start:lineEnd(changed, start)]}
}
