package personas

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// RenameMember renames the member at path and returns the new source text. A missing path and an
// existing member with that name are errors. RenameMember parses the result and fails if anything
// else changed, for example through a YAML alias.
func RenameMember(src []byte, path, name string) ([]byte, error) {
	edit, err := newEdit(src, path, "rename")
	if err != nil {
		return nil, err
	}
	if edit.key == nil || edit.key.span.start >= edit.key.span.end || edit.owner.findMember(name) >= 0 {
		return nil, fmt.Errorf("rename %s: it is not a member, or its object already has a member %s; edit the text by hand",
			path, quote(clip(name)))
	}
	key := edit.key.span
	spellings := []string{name, quote(name)}
	switch edit.t.src[key.start] {
	case '"':
		spellings = spellings[1:]
	case '\'':
		spellings = []string{"'" + strings.ReplaceAll(name, "'", "''") + "'"}
	}
	want := edit.withOwner(func(owner *node) {
		owner.names = slices.Clone(owner.names)
		owner.names[edit.index].text = name
	})
	return edit.applyFirstSpelling(want, key, spellings...)
}

// RemoveMember removes the member at path, with a comment on the same line, and returns the new
// source text. The only member of an object cannot be removed. RemoveMember otherwise fails like
// RenameMember.
func RemoveMember(src []byte, path string) ([]byte, error) {
	e, err := newEdit(src, path, "remove")
	if err != nil {
		return nil, err
	}
	if e.key == nil || len(e.owner.names) < 2 {
		return nil, fmt.Errorf("remove %s: it is not a member, or it is the only member of its object; edit the text by hand", path)
	}
	want := e.withOwner(func(owner *node) {
		owner.names = slices.Delete(slices.Clone(owner.names), e.index, e.index+1)
		owner.items = slices.Delete(slices.Clone(owner.items), e.index, e.index+1)
	})
	return e.applyFirst(want, e.listCuts())
}

// WrapInList replaces the scalar at path by a list of that scalar and returns the new source text.
// WrapInList fails like RenameMember.
func WrapInList(src []byte, path string) ([]byte, error) {
	edit, err := newEdit(src, path, "make a list of")
	if err != nil {
		return nil, err
	}
	if isCollection(edit.n) || edit.n.kind == null {
		return nil, edit.newRefusal("this path does not lead to a scalar")
	}
	written := edit.t.src[edit.n.span.start:edit.n.span.end]
	spellings := []string{"[" + written + "]"}
	if edit.n.kind == str {
		spellings = append(spellings, "["+quote(edit.n.text)+"]")
	}
	if edit.n.kind == str && written != "" && isReadOtherwise(written, true) {
		spellings = spellings[1:]
	}
	want := edit.root.replaceAt(path, &node{kind: list, items: []*node{edit.n}})
	return edit.applyFirstSpelling(want, edit.n.span, spellings...)
}

type textEdit struct {
	t     *sourceText
	mark  []byte // byte order mark
	root  *node
	path  string
	verb  string
	n     *node
	key   *memberName
	owner *node  // object that contains the member
	place string // path of owner
	index int    // index of the member in owner
}

func newEdit(src []byte, path, verb string) (*textEdit, error) {
	t, root, fault := readTree("", src)
	if fault != nil {
		return nil, fmt.Errorf("%s %s: %w", verb, path, fault)
	}
	f := SourceMap{t, root}.findPath(path)
	e := &textEdit{t: t, mark: src[:len(src)-len(t.src)], root: root, path: path, verb: verb, n: f.n}
	if !f.exact || path == "" {
		return nil, e.newRefusal("the document does not contain this path")
	}
	if f.key == nil {
		return e, nil
	}
	for e.owner = root; ; e.owner = e.owner.items[e.index] {
		s, rest, _ := nextStep(path)
		e.index = s.indexIn(e.owner)
		if !hasStep(rest) {
			e.key, e.place = &e.owner.names[e.index], strings.TrimSuffix(e.path, path)
			return e, nil
		}
		path = rest
	}
}

func (e *textEdit) newRefusal(reason string) error {
	return fmt.Errorf("%s %s: %s; edit the text by hand", e.verb, e.path, reason)
}

func (e *textEdit) withOwner(change func(owner *node)) *node {
	owner := *e.owner
	owner.index = nil
	change(&owner)
	return e.root.replaceAt(e.place, &owner)
}

func hasStep(path string) bool {
	_, _, ok := nextStep(path)
	return ok
}

func (e *textEdit) applyFirstSpelling(want *node, span span, spellings ...string) ([]byte, error) {
	changes := make([]textChange, len(spellings))
	for i, spelling := range spellings {
		changes[i] = textChange{span, spelling}
	}
	return e.applyFirst(want, changes)
}

func (e *textEdit) applyFirst(want *node, changes []textChange) ([]byte, error) {
	wanted := want.appendJSON(nil)
	for _, c := range changes {
		if changed := c.apply(e.t.src); parsesTo(changed, wanted) {
			return append(bytes.Clone(e.mark), changed...), nil
		}
	}
	return nil, e.newRefusal("it cannot be changed without changing something else")
}

type textChange struct {
	span span
	text string
}

func (c textChange) apply(src string) string { return src[:c.span.start] + c.text + src[c.span.end:] }

func (c textChange) line(src string) string {
	changed := c.apply(src)
	start, end := lineStart(changed, c.span.start), lineEnd(changed, min(c.span.start, len(changed)))
	return strings.TrimSpace(changed[start:end])
}

func (c textChange) fix(src, path string) *Fix {
	return &Fix{
		Kind: FixText, Path: path, Value: c.text,
		Start: c.span.start, End: c.span.end, Old: src[c.span.start:c.span.end],
	}
}

func parsesTo(text string, want []byte) bool {
	_, n, fault := readTree("", []byte(text))
	return fault == nil && bytes.Equal(n.appendJSON(nil), want)
}

func (e *textEdit) listCuts() []textChange {
	src, start, end := e.t.src, e.key.span.start, max(e.key.span.end, e.n.span.end)
	first, cutEnd := strings.LastIndexAny(src[:start], "\r\n")+1, len(src)
	if i := strings.IndexByte(src[end:], '\n'); i >= 0 {
		cutEnd = end + i + 1
	}
	var all []textChange
	rest := strings.TrimSpace(src[end:cutEnd])
	if strings.TrimSpace(src[first:start]) == "" && (rest == "" || rest[0] == '#') {
		all = append(all, textChange{span: span{first, cutEnd}})
	}
	if i := e.index + 1; i < len(e.owner.names) && e.owner.names[i].span.start > end {
		all = append(all, textChange{span: span{start, e.owner.names[i].span.start}})
	}
	if e.index > 0 && e.owner.items[e.index-1].span.end < start {
		all = append(all, textChange{span: span{e.owner.items[e.index-1].span.end, end}})
	}
	return slices.DeleteFunc(all, e.takesComment)
}

func (e *textEdit) takesComment(cut textChange) bool {
	member := span{e.key.span.start, lineEnd(e.t.src, max(e.key.span.end, e.n.span.end))}
	return slices.ContainsFunc(SourceMap{e.t, e.root}.commentSpans(), func(c span) bool {
		isOwn := member.start <= c.start && c.start < member.end
		return !isOwn && cut.span.start <= c.start && c.start < cut.span.end
	})
}

// Apply returns the source text with the fix applied. Apply fails like the function for the kind of
// the fix.
func (f Fix) Apply(src []byte) ([]byte, error) {
	switch f.Kind {
	case FixSet:
		return SetScalar(src, f.Path, f.Value)
	case FixRename:
		return RenameMember(src, f.Path, f.Value)
	case FixRemove:
		return RemoveMember(src, f.Path)
	case FixWrap:
		return WrapInList(src, f.Path)
	case FixRetype:
		return Replace(src, f.Path, f.Value)
	case FixText:
		return f.replaceText(src)
	}
	return nil, fmt.Errorf("fix %s: unknown kind of fix %q", f.Path, f.Kind)
}

// replaceText does not parse the result, because the text was usually invalid before the fix.
func (f Fix) replaceText(src []byte) ([]byte, error) {
	mark := len(src) - len(bytes.TrimPrefix(src, []byte(byteOrderMark)))
	start, end := f.Start+mark, f.End+mark
	if start < mark || start > end || end > len(src) || string(src[start:end]) != f.Old {
		return nil, fmt.Errorf("fix the text: it has changed since it was checked; edit it by hand")
	}
	return slices.Concat(src[:start], []byte(f.Value), src[end:]), nil
}

// Line returns the first line changed by a FixText, without surrounding spaces.
func (f Fix) Line(changed []byte) string {
	text := string(bytes.TrimPrefix(changed, []byte(byteOrderMark)))
	start := min(f.Start, len(text))
	begin := strings.LastIndexAny(text[:start], "\r\n") + 1
	return strings.TrimSpace(text[begin:lineEnd(text, start)])
}

// SetScalar replaces the scalar at path and returns the new source text. A string remains a string,
// with quotes if necessary. Numbers and booleans are written unchanged. SetScalar fails like
// RenameMember, or if the value at path is not a scalar.
func SetScalar(src []byte, path, value string) ([]byte, error) {
	e, err := newEdit(src, path, "set")
	if err != nil {
		return nil, err
	}
	if isCollection(e.n) {
		return nil, e.newRefusal("this path does not lead to a scalar")
	}
	spellings := valueSpellings(e.t.src, e.n.span, value, e.n.kind, e.root.hasFlowAt(e.t.src, path))
	return e.applyFirstSpelling(e.root.replaceAt(path, e.n.withValue(value)), e.n.span, spellings...)
}

// NewScalar is a path with a new value for SetScalars.
type NewScalar struct{ Path, Value string }

// SetScalars replaces many scalars and parses the text only twice. The result unapplied contains the
// indexes of scalars that do not fit the value at their path. SetScalars fails if anything else
// changed.
func SetScalars(src []byte, scalars []NewScalar) (changed []byte, unapplied []int, err error) {
	t, root, fault := readTree("", src)
	if fault != nil {
		return nil, nil, fmt.Errorf("set several scalars: %w", fault)
	}
	edits, wanted := make([]textChange, 0, len(scalars)), root
	for i, scalar := range scalars {
		match := SourceMap{t, root}.findPath(scalar.Path)
		if !match.exact || !match.n.canHold(scalar.Value) {
			unapplied = append(unapplied, i)
			continue
		}
		old, inFlow := match.n, root.hasFlowAt(t.src, scalar.Path)
		written := valueSpellings(t.src, old.span, scalar.Value, old.kind, inFlow)[0]
		edits = append(edits, textChange{old.span, written})
		wanted = wanted.replaceAt(scalar.Path, old.withValue(scalar.Value))
	}
	text, ok := applyApart(t.src, edits)
	if !ok || !parsesTo(text, wanted.appendJSON(nil)) {
		return nil, nil, errors.New("set several scalars: they cannot be replaced together without changing something else")
	}
	return append(bytes.Clone(src[:len(src)-len(t.src)]), text...), unapplied, nil
}

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

func applyApart(src string, edits []textChange) (changed string, ok bool) {
	slices.SortFunc(edits, func(a, b textChange) int { return cmp.Compare(a.span.start, b.span.start) })
	var out strings.Builder
	done := 0
	for _, e := range edits {
		if e.span.start < done {
			return "", false
		}
		out.WriteString(src[done:e.span.start])
		out.WriteString(e.text)
		done = e.span.end
	}
	return out.String() + src[done:], true
}

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

func (n *node) hasFlowAt(src, path string) bool {
	s, rest, ok := nextStep(path)
	return ok && (isFlow(src, n) || n.items[s.indexIn(n)].hasFlowAt(src, rest))
}

func valueSpellings(src string, span span, value string, kind kind, inFlow bool) []string {
	if kind == number || kind == boolean {
		return []string{value}
	}
	spellings := []string{scalarYAML(value), quote(value)}
	if value == "" || isReadOtherwise(spellings[0], inFlow) {
		spellings[0] = spellings[1]
	}
	old := src[span.start:span.end]
	switch {
	case isBlock(value):
		block := string(appendBlock(nil, value, indentAt(src, span.start)))
		if strings.Contains(src, "\r\n") {
			block = strings.ReplaceAll(block, "\n", "\r\n")
		}
		if span.end < len(src) {
			block = strings.TrimRight(block, "\r\n")
		}
		spellings = append([]string{block}, spellings...)
	case strings.HasPrefix(old, `"`):
		spellings = spellings[1:]
	case strings.HasPrefix(old, "'"):
		spellings = append([]string{"'" + strings.ReplaceAll(value, "'", "''") + "'"}, spellings...)
	}
	if kind == null {
		spellings = append(spellings, " "+spellings[0], " "+quote(value))
	}
	return spellings
}

func indentAt(src string, offset int) int {
	line := src[strings.LastIndexByte(src[:offset], '\n')+1:]
	return len(line) - len(strings.TrimLeft(line, " -")) + 2
}
