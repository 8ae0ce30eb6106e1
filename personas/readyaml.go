package personas

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/personas/plaintext"
)

func readYAML(t *sourceText) (*node, *Diagnostic) {
	marks := newOffsets(t)
	root, fault := parseYAML(t, marks)
	if fault == nil {
		return root, nil
	}
	if marks.failedAt >= 0 {
		t.explainYAML(fault, marks)
	}
	return nil, fault
}

func parseYAML(t *sourceText, marks *yamlOffsets) (*node, *Diagnostic) {
	if i := findExcess(t.src); i >= 0 {
		return nil, &Diagnostic{Position: t.positionOf(span{i, i}), Message: tooMany}
	}
	if i := strings.IndexAny(t.src, yamlBreaks); i >= 0 {
		r, _ := utf8.DecodeRuneInString(t.src[i:])
		return nil, &Diagnostic{Position: t.positionOf(span{i, i}), Message: fmt.Sprintf(
			"the separator U+%04X is not supported here; remove it, or write it as \"\\u%04x\"", r, r)}
	}
	text := t.src
	if match := versionDirective().FindStringSubmatchIndex(text); match != nil {
		text = text[:match[2]] + "1" + text[match[3]:]
	}
	loader, err := yaml.NewLoader(strings.NewReader(text), yaml.WithPlugin(depthLimit{}))
	if err != nil {
		return nil, &Diagnostic{Position: startOfText(), Message: err.Error()}
	}
	first, fault := nextDocument(loader, marks)
	if fault != nil || first == nil {
		return nil, fault
	}
	second, fault := nextDocument(loader, marks)
	if fault == nil && second != nil {
		offset := marks.offsetAt(second.Line, second.Column)
		fault = &Diagnostic{
			Position: t.positionOf(span{offset, offset}),
			Message:  "a second document begins here; a persona file has exactly one; move the other to its own file",
		}
	}
	if fault != nil {
		return nil, fault
	}
	marks.isRead = true
	c := &converter{t: t, marks: newOffsets(t), converted: map[*yaml.Node]*node{}}
	root := c.convertNode(first.Content[0])
	marks.failedAt = c.failedAt - 1
	return root, c.fault
}

// yamlBreaks are line breaks in YAML 1.1 and in the library. In YAML 1.2 they are ordinary
// characters.
const yamlBreaks = "\u0085\u2028\u2029"

// versionDirective matches any %YAML directive, because the library accepts only version 1.1.
var versionDirective = plaintext.Pattern(`\A(?:[ \t]*(?:#.*)?\r?\n|%.*\n)*%YAML[ \t]+1\.(\d)[ \t]*(?:#.*)?\r?\n`)

// findExcess returns the offset of the first value separator above the limit, or -1. Without the
// limit, the library would build a large tree before the text is rejected.
func findExcess(s string) int {
	const limit = 1 << 19
	if len(s) <= limit {
		return -1
	}
	count := 0
	for i := range len(s) {
		switch s[i] {
		case ',', ':', '[', '{', '-', '?':
			if count++; count > limit {
				return i
			}
		}
	}
	return -1
}

type depthLimit struct{}

func (depthLimit) CheckDepth(depth int, _ *yaml.DepthContext) error {
	if depth > maxDepth {
		return errors.New(tooDeep)
	}
	return nil
}

func (depthLimit) CheckAlias(int, int) error { return nil }

// nextDocument returns nil at the end, and recovers from panics of the library.
func nextDocument(loader *yaml.Loader, m *yamlOffsets) (doc *yaml.Node, fault *Diagnostic) {
	defer func() {
		if v := recover(); v != nil {
			doc, fault = nil, &Diagnostic{Position: startOfText(), Message: fmt.Sprintf("not valid YAML: %v", v)}
		}
	}()
	doc = &yaml.Node{}
	err := loader.Load(doc)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, m.newFault(err)
	case len(doc.Content) == 0:
		return nil, nil
	}
	return doc, nil
}

type converter struct {
	t         *sourceText
	marks     *yamlOffsets
	converted map[*yaml.Node]*node // nil during conversion, to detect cycles
	merged    int
	fault     *Diagnostic
	failedAt  int // 1 + offset of a value that is probably an unquoted string, or 0
}

func (c *converter) markUnquoted(span span) {
	if c.fault == nil {
		c.failedAt = span.start + 1
	}
}

func (c *converter) addRefusal(span span, format string, args ...any) {
	if c.fault == nil {
		c.fault = &Diagnostic{Position: c.t.positionOf(span), Message: fmt.Sprintf(format, args...)}
	}
}

func (c *converter) convertNode(y *yaml.Node) *node {
	start := c.marks.offsetAt(y.Line, y.Column)
	if c.fault != nil {
		return &node{}
	}
	if y.Kind == yaml.AliasNode {
		return c.convertAlias(y, span{start, start + 1 + len(y.Value)})
	}
	n := &node{span: span{start, start}}
	if y.Anchor != "" {
		c.converted[y] = nil
	}
	switch y.Kind {
	case yaml.ScalarNode:
		c.convertScalar(n, y)
	case yaml.SequenceNode:
		n.kind = list
		c.checkTag(n, y, "!!seq")
		for _, item := range y.Content {
			n.items = append(n.items, c.convertNode(item))
			n.span.end = max(n.span.end, last(n.items).span.end)
		}
		c.findFlowEnd(n, y, ']')
	default:
		c.convertMapping(n, y)
	}
	if complaint := n.weigh(c.t.maxValues); complaint != "" {
		c.addRefusal(n.span, "%s", complaint)
	}
	if y.Anchor != "" {
		c.converted[y] = n
	}
	return n
}

func (c *converter) convertAlias(y *yaml.Node, span span) *node {
	n := c.converted[y.Alias]
	if n == nil {
		c.addRefusal(span, "the anchor %s contains itself; remove the alias", quote(clip(y.Value)))
		return &node{}
	}
	clone := *n
	clone.span = span
	return &clone
}

func (c *converter) convertScalar(n *node, y *yaml.Node) {
	start := n.span.start
	n.span.start = skipProperties(c.t.src, start)
	n.span.end = scalarEnd(c.t.src, n.span.start, y)
	switch tag := y.ShortTag(); tag {
	case "!!null":
		n.kind = null
	case "!!bool":
		n.kind, n.text, n.written = boolean, strings.ToLower(y.Value), y.Value
	case "!!int", "!!float":
		value, ok := numberText(y.Value)
		if !ok {
			c.addRefusal(n.span, tooLargeNumber)
		}
		n.kind, n.text, n.written = number, value, y.Value
	case "!!str", "!!timestamp", "!!merge":
		n.kind, n.text = str, y.Value
	default:
		if !strings.HasPrefix(tag, "!!") {
			n.span.start = start
			c.markUnquoted(n.span)
		}
		c.addRefusal(n.span, "the tag %s is not supported; remove it", quote(clip(tag)))
	}
	if n.kind == boolean && n.text != "true" && n.text != "false" {
		c.addRefusal(n.span, "%s is not a boolean; write true or false", quote(clip(y.Value)))
	}
}

func (c *converter) checkTag(n *node, y *yaml.Node, want string) {
	if tag := y.ShortTag(); tag != want {
		c.addRefusal(n.span, "the tag %s is not supported; remove it", quote(clip(tag)))
	}
}

func (c *converter) findFlowEnd(n *node, y *yaml.Node, bracket byte) {
	if y.Style&yaml.FlowStyle == 0 {
		return
	}
	from := skipProperties(c.t.src, n.span.start) + 1
	from = skipSpace(c.t.src, max(from, n.span.end), ",")
	if from < len(c.t.src) && c.t.src[from] == bracket {
		n.span.end = from + 1
	}
}

func (c *converter) convertMapping(n *node, y *yaml.Node) {
	n.kind = object
	c.checkTag(n, y, "!!map")
	var merges []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merges = append(merges, c.convertNode(value))
			n.span.end = max(n.span.end, last(merges).span.end)
			continue
		}
		n.names = append(n.names, c.convertName(key))
		n.items = append(n.items, c.convertNode(value))
		n.span.end = max(n.span.end, last(n.items).span.end, last(n.names).span.end)
	}
	c.findFlowEnd(n, y, '}')
	if len(merges) == 0 {
		return
	}
	names := map[string]bool{}
	for _, name := range n.names {
		names[name.text] = true
	}
	for _, from := range merges {
		c.mergeMembers(n, from, names)
	}
}

func (c *converter) convertName(key *yaml.Node) memberName {
	n := c.convertNode(key)
	if n.kind == list || n.kind == object {
		c.markUnquoted(n.span)
		c.addRefusal(n.span, "the name of a member must be text, but it is %s; "+
			"if it is part of a text such as {{name}}, quote the text", n.describe())
	}
	if key.Kind == yaml.AliasNode {
		return memberName{n.source(), n.span}
	}
	return memberName{key.Value, n.span}
}

// names contains the names of target's members.
func (c *converter) mergeMembers(target, from *node, names map[string]bool) {
	sources := from.items
	if from.kind == object {
		sources = []*node{from}
	} else if from.kind != list {
		c.addRefusal(from.span, "a merge key (<<) needs an object or a list of objects, but it is %s", from.describe())
	}
	for _, source := range sources {
		c.mergeSource(target, source, names)
	}
}

func (c *converter) mergeSource(target, source *node, names map[string]bool) {
	if source.kind != object {
		c.addRefusal(source.span, "a merge key (<<) needs objects, but this is %s", source.describe())
		return
	}
	if c.merged += len(source.items); c.merged > maxMerged {
		c.addRefusal(target.span, tooMany)
		return
	}
	for i, member := range source.names {
		if !names[member.text] {
			names[member.text] = true
			target.names = append(target.names, member)
			target.items = append(target.items, source.items[i])
		}
	}
}

func last[T any](s []T) T { return s[len(s)-1] }

// yamlOffsets converts lines and columns to byte offsets. Each call continues from the previous
// offset, because lines may be long.
type yamlOffsets struct {
	t            *sourceText
	line, column int
	offset       int
	failedAt     int  // offset of the error, or -1
	from         int  // offset of the unfinished construct, or -1
	isRead       bool // the text is valid YAML
}

func newOffsets(t *sourceText) *yamlOffsets {
	return &yamlOffsets{t: t, line: 1, column: 1, failedAt: -1, from: -1}
}

func (m *yamlOffsets) offsetAt(line, column int) int {
	line = min(max(line, 1), len(m.t.lines))
	if line != m.line || column < m.column {
		m.line, m.column, m.offset = line, 1, m.t.lines[line-1]
	}
	for ; m.column < column && m.offset < len(m.t.src); m.column++ {
		m.offset++
		for m.offset < len(m.t.src) && m.t.src[m.offset]&0xC0 == 0x80 {
			m.offset++
		}
	}
	return m.offset
}

func (m *yamlOffsets) newFault(err error) *Diagnostic {
	load, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &Diagnostic{Position: startOfText(), Message: "not valid YAML: " + err.Error()}
	}
	offset := m.offsetAt(load.Mark.Line, load.Mark.Column)
	if !strings.Contains(load.Message, tooDeep) {
		m.failedAt = offset
	}
	if load.ContextMark.Line > 0 {
		m.from = newOffsets(m.t).offsetAt(load.ContextMark.Line, load.ContextMark.Column)
	}
	return &Diagnostic{Position: m.t.positionOf(span{offset, offset}), Message: m.explainError(load, offset)}
}

func (m *yamlOffsets) explainError(load *yaml.LoadError, offset int) string {
	line := m.t.src[:offset]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	rest := m.t.src[offset:]
	msg := load.Message
	switch {
	case strings.Contains(msg, tooDeep):
		return tooDeep
	case strings.TrimSpace(line) == "" && (strings.Contains(line, "\t") || strings.HasPrefix(rest, "\t")):
		return "not valid YAML: a tab is used for indentation; use spaces"
	}
	for _, problem := range [][2]string{
		{"mapping values are not allowed", `a ":" is not allowed here; quote the text if the ":" is part of it, or check the indentation`},
		{"could not find expected ':'", `a ":" is missing after the member's name here or on the line before; quote or indent a text of several lines`},
		{"did not find expected key", "a member or a list item was expected; check that the indentation is that of the lines before"},
		{"expected '-' indicator", "a member or a list item was expected; check that the indentation is that of the lines before"},
		{"cannot start any token", "a text cannot begin with this character; quote it"},
		{"did not find expected ',' or", "a comma is missing here, a text with : or brackets is not in quotes, or the bracket that opens on line %d is never closed"},
		{"unexpected end of stream", "the text ends inside a quote that began on line %d; close it"},
	} {
		if strings.Contains(msg, problem[0]) {
			return "not valid YAML: " + strings.Replace(problem[1], "%d", strconv.Itoa(load.ContextMark.Line), 1)
		}
	}
	return "not valid YAML: " + msg
}

func skipProperties(s string, offset int) int {
	for offset < len(s) && (s[offset] == '&' || s[offset] == '!') {
		for offset < len(s) && !slices.Contains([]byte(" \t\r\n,]}"), s[offset]) {
			offset++
		}
		offset = skipSpace(s, offset, "")
	}
	return offset
}

func skipSpace(s string, offset int, also string) int {
	for offset < len(s) {
		switch c := s[offset]; {
		case c == '#' && (offset == 0 || strings.IndexByte(" \t\r\n,", s[offset-1]) >= 0):
			for offset < len(s) && s[offset] != '\n' {
				offset++
			}
		case strings.IndexByte(" \t\r\n", c) >= 0 || strings.IndexByte(also, c) >= 0:
			offset++
		default:
			return offset
		}
	}
	return offset
}

func isFlow(src string, n *node) bool {
	offset := skipProperties(src, n.span.start)
	return (n.kind == list || n.kind == object) && offset < len(src) && strings.IndexByte("{[", src[offset]) >= 0
}
