package personas

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// ErrRewrite means that the text cannot be changed to the new document with its comments preserved.
var ErrRewrite = errors.New("the comments cannot be kept")

// Choice is one version of a document, and the label for it in conflict markers.
type Choice struct {
	Label string
	Doc   Persona
}

// Rewrite returns a YAML text with the document changed to mine.Doc. Unchanged members and items
// keep their notation and their comments. Comments of removed members and items are removed too.
// Where theirs.Doc differs from mine.Doc, Rewrite writes both versions between the conflict markers
// <<<<<<<, ======= and >>>>>>>, which no parser accepts. It parses the result to check that
// choosing mine yields mine.Doc. It returns ErrRewrite for JSON and for a text with lines that
// cannot be moved (see Format).
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

// versions holds a value in four forms. raw is its node in the source, old is its old value, and
// mine and theirs are its new values. A missing value is nil.
type versions struct{ raw, old, mine, theirs *node }

type rewriter struct {
	*formatter
	labels [2]string
}

// rewriteMapping returns the changed lines of an object. The members of the object are in the lines
// [from, to). New members are inserted in document order.
func (w *rewriter) rewriteMapping(s versions, from, to int) []string {
	if i := findDuplicate(s.raw.names); i >= 0 {
		w.addRefusal(w.lineOf(s.raw.names[i].at.start), "%s occurs twice; remove one", quote(clip(s.raw.names[i].text)))
		return nil
	}
	parts, rest := w.listMembers(s.raw, from, to)
	if w.err != nil {
		return nil
	}
	byName := make(map[string]*part, len(parts))
	for i := range parts {
		byName[s.raw.names[i].text] = &parts[i]
	}
	indent := w.columnOf(s.raw.names[0].at.start)
	var out []string
	for _, name := range joinOrders(listNames(s.raw), joinOrders(listNames(s.mine), listNames(s.theirs))) {
		inner := versions{memberOf(s.raw, name), memberOf(s.old, name), memberOf(s.mine, name), memberOf(s.theirs, name)}
		out = append(out, w.rewritePart(inner, &partWriter{w, byName[name], indent, name, object})...)
	}
	return append(out, w.lines[rest:to]...)
}

func (w *rewriter) rewriteSequence(s versions, from, to int) []string {
	parts, rest := w.listItems(s.raw, from, to)
	if w.err != nil {
		return nil
	}
	old, mine, theirs := indexItems(s.old), indexItems(s.mine), indexItems(s.theirs)
	byKey := make(map[string]*part, len(parts))
	for i, key := range old.keys {
		byKey[key] = &parts[i]
	}
	indent := w.columnOf(skipProperties(w.t.src, s.raw.at.start))
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

func (w *rewriter) rewritePart(s versions, p *partWriter) []string {
	switch {
	case s.mine == nil && s.theirs == nil && (s.old != nil || p.part == nil):
		return nil
	case s.mine == nil && s.theirs == nil, isSame(s.mine, s.theirs) && isSame(s.old, s.mine) && p.part != nil:
		return append(p.head(), p.written()...)
	case isSame(s.mine, s.theirs):
		return append(p.head(), p.change(s, s.mine)...)
	}
	if lines := p.descend(s); lines != nil && !strings.HasPrefix(firstText(lines), mineMark) {
		return append(p.head(), lines...)
	}
	out := append(p.head(), mineMark+w.labels[0])
	out = append(append(out, p.change(s, s.mine)...), middleMark)
	return append(append(out, p.change(s, s.theirs)...), theirsMark+w.labels[1])
}

func firstText(lines []string) string {
	for _, line := range lines {
		if !isBlank(line) && !isComment(line) {
			return strings.TrimLeft(line, "- ")
		}
	}
	return ""
}

const foldWidth = 100

type partWriter struct {
	*rewriter
	part   *part // nil for a new one
	indent int
	name   string // of a member
	in     kind   // of the collection: object or list
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

func (p *partWriter) change(s versions, value *node) []string {
	switch {
	case value == nil:
		return nil
	case p.part == nil:
		return p.encode(value)
	case isSame(s.old, value):
		return p.written()
	}
	if lines := p.descend(versions{s.raw, s.old, value, value}); lines != nil {
		return lines
	}
	if lines := p.splice(s.raw, s.old, value); lines != nil {
		return lines
	}
	return append(p.trailingComment(s.raw), p.encode(value)...)
}

func (p *partWriter) encode(value *node) []string {
	b := appendIndent(nil, p.indent)
	if p.in == object {
		b = appendName(b, p.name, p.indent)
	} else {
		b = append(b, '-')
	}
	if folded := p.fold(value); folded != "" {
		return strings.Split(string(b)+folded, "\n")
	}
	b = appendItem(b, value, p.in, p.indent)
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// fold returns a long one-line string in folded style if the old string was folded, or else "".
func (p *partWriter) fold(value *node) string {
	if p.part == nil || value.kind != str || !strings.HasPrefix(p.t.src[p.part.n.at.start:], ">") {
		return ""
	}
	words := strings.Split(strings.TrimSuffix(value.text, "\n"), " ")
	header := " >"
	if !strings.HasSuffix(value.text, "\n") {
		header = " >-"
	}
	var out strings.Builder
	out.WriteString(header)
	width := foldWidth
	for _, word := range words {
		if word == "" || strings.ContainsAny(word, "\n\t\r") {
			return ""
		}
		if width += len(word) + 1; width > foldWidth {
			out.WriteString("\n" + strings.Repeat(" ", p.indent+2) + word)
			width = p.indent + 2 + len(word)
			continue
		}
		out.WriteString(" " + word)
	}
	return out.String()
}

// trailingComment returns the comment after a value. If the value is encoded again, its comment
// moves above it.
func (p *partWriter) trailingComment(raw *node) []string {
	line := p.lineOf(raw.at.start)
	rest := p.t.src[min(raw.at.end, lineEnd(p.t.src, raw.at.start)):lineEnd(p.t.src, raw.at.start)]
	if rest = strings.TrimSpace(rest); line != p.part.line || !strings.HasPrefix(rest, "#") {
		return nil
	}
	return []string{strings.Repeat(" ", p.indent) + rest}
}

// descend changes a collection member by member, or item by item. It returns nil if that is not
// possible.
func (p *partWriter) descend(s versions) []string {
	if p.part == nil || !p.isBlock(s.raw) || s.old == nil || !isFilled(s.mine, s.raw.kind) || !isFilled(s.theirs, s.raw.kind) {
		return nil
	}
	if s.raw.kind == list && (s.old.kind != list || len(s.old.items) != len(s.raw.items)) {
		return nil
	}
	first, from := p.firstLine(s.raw), p.part.line+1
	switch {
	case first > p.part.line && s.raw.kind == object:
		return append(p.written()[:1:1], p.rewriteMapping(s, from, p.part.end)...)
	case first > p.part.line:
		return append(p.written()[:1:1], p.rewriteSequence(s, from, p.part.end)...)
	case p.in == list && s.raw.kind == object:
		return p.rewriteBehindDash(s)
	}
	return nil
}

func isFilled(n *node, k kind) bool { return n != nil && n.kind == k && len(n.items) > 0 }

func (p *partWriter) rewriteBehindDash(s versions) []string {
	line := p.lines[p.part.line]
	p.lines[p.part.line] = line[:p.indent] + " " + line[p.indent+1:]
	inner := p.rewriteMapping(s, p.part.line, p.part.end)
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

// splice replaces the old value, or the scalars of an old flow collection, in the existing lines.
// It returns nil if the new value has another shape.
func (p *partWriter) splice(raw, old, value *node) []string {
	text, ok := p.spell(raw, old, value, false)
	if !ok {
		return nil
	}
	start, end := p.t.lines[p.part.line], len(p.t.src)
	if p.part.end < len(p.t.lines) {
		end = p.t.lines[p.part.end]
	}
	if raw.at.start < start || raw.at.end > end {
		return nil // the text is an alias
	}
	changed := strings.TrimRight(p.t.src[start:raw.at.start]+text+p.t.src[raw.at.end:end], "\r\n")
	return strings.Split(strings.ReplaceAll(changed, "\r\n", "\n"), "\n")
}

func (p *partWriter) spell(raw, old, value *node, inFlow bool) (string, bool) {
	written := p.t.src[raw.at.start:raw.at.end]
	switch {
	case value == nil || old == nil:
		return written, value == old
	case isSame(old, value):
		return written, true
	case raw.kind == object && value.kind == object && isFlow(p.t.src, raw):
		return p.spellObject(raw, old, value)
	case raw.kind == list && value.kind == list && isFlow(p.t.src, raw) && len(raw.items) == len(value.items) && len(old.items) == len(value.items):
		return p.spellItems(raw, old.items, value.items)
	case raw.kind == list, raw.kind == object, value.kind == list, value.kind == object:
		return "", false
	}
	return spellScalar(written, value, inFlow)
}

func (p *partWriter) spellObject(raw, old, value *node) (string, bool) {
	olds, values := make([]*node, len(raw.items)), make([]*node, len(raw.items))
	found := 0
	for i := range raw.names {
		olds[i], values[i] = memberOf(old, raw.names[i].text), memberOf(value, raw.names[i].text)
		if values[i] != nil {
			found++
		}
	}
	if found != len(value.names) {
		return "", false
	}
	return p.spellItems(raw, olds, values)
}

func (p *partWriter) spellItems(raw *node, olds, values []*node) (string, bool) {
	var out strings.Builder
	at := raw.at.start
	for i, item := range raw.items {
		text, ok := p.spell(item, olds[i], values[i], true)
		if !ok || item.at.start < at {
			return "", false
		}
		out.WriteString(p.t.src[at:item.at.start] + text)
		at = item.at.end
	}
	return out.String() + p.t.src[at:raw.at.end], true
}

func spellScalar(written string, value *node, inFlow bool) (string, bool) {
	switch {
	case strings.Contains(written, "\n") || written == "" || isBlock(value.text) || strings.ContainsAny(value.text, "\n\r"):
		return "", false
	case value.kind == number:
		return numberYAML(value.text), true
	case value.kind != str:
		return string(value.appendJSON(nil)), true
	}
	plain := scalarYAML(value.text)
	if strings.HasPrefix(written, `"`) || value.text == "" || isReadOtherwise(plain, inFlow) || inFlow && strings.ContainsAny(plain, ",[]{}") {
		return quote(value.text), true
	}
	return plain, true
}
