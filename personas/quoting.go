package personas

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// scalarQuoter collects the edits of a YAML document. Each scalar and each member name has an edit,
// even if it does not change. The gaps between edits are therefore punctuation, white space, comments,
// anchors, tags and aliases. Only the last lines of a block scalar can also be in a gap, because its
// span ends with its last text. An alias has no edit, because its node is visited at the anchor.
type scalarQuoter struct {
	src     string
	edits   map[int]textChange // by the start of the replaced span; the spans are disjoint
	refused int                // offset after a member name that cannot be quoted, or 0
}

// quoteScalars quotes the strings that YAML 1.1 and 1.2 parse differently. For example, a plain "no"
// is a boolean in 1.1 and a string in 1.2. Tabs between tokens become spaces, because some parsers
// reject such tabs. The result is parsed again, and is returned only if it has the same values.
func quoteScalars(name string, t *sourceText, root *node) (*sourceText, *node, error) {
	q := scalarQuoter{src: t.src, edits: map[int]textChange{}}
	q.visitNode(root, false)
	if q.refused > 0 {
		line := t.positionOf(span{q.refused, q.refused}).Line
		return nil, nil, newFormatError(line, "a member has an empty name, or a name with an anchor or a tag, which not all parsers support; quote the name")
	}
	for _, tab := range []byte{' ', '\t'} { // a tab in the last lines of a block scalar stays
		text := q.applyEdits(tab)
		if text == t.src {
			return t, root, nil
		}
		if changed, reread, fault := readTree(name, []byte(text)); fault == nil && isSame(reread, root) {
			return changed, reread, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: some strings need quotes that cannot be added; quote texts like yes, no, 12:30 and 2001-01-01 by hand", ErrFormat)
}

func (q *scalarQuoter) applyEdits(tab byte) string {
	edits := slices.SortedFunc(maps.Values(q.edits), func(a, b textChange) int {
		return cmp.Compare(a.span.start, b.span.start)
	})
	var out []byte
	from := 0
	for _, e := range edits {
		out = append(appendGap(out, q.src[from:e.span.start], tab), e.text...)
		from = e.span.end
	}
	return string(appendGap(out, q.src[from:], tab))
}

// appendGap replaces each tab outside comments by the byte tab.
func appendGap(b []byte, gap string, tab byte) []byte {
	inComment := false
	for _, r := range gap {
		switch {
		case r == '\n':
			inComment = false
		case r == '#' && (len(b) == 0 || strings.IndexByte(" \t\n", b[len(b)-1]) >= 0):
			inComment = true
		case r == '\t' && !inComment:
			r = rune(tab)
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}

func (q *scalarQuoter) visitNode(n *node, inFlow bool) {
	if n.span.start >= len(q.src) || q.src[n.span.start] == '*' {
		return
	}
	q.keepScalar(n.span, n.kind) // visitText may replace this edit
	switch n.kind {
	case str:
		q.visitText(n.span, n.text, inFlow)
	case list, object:
		inFlow = inFlow || isFlow(q.src, n)
		for _, name := range n.names {
			q.visitName(name, inFlow)
		}
		for _, item := range n.items {
			q.visitNode(item, inFlow)
		}
	}
}

func (q *scalarQuoter) keepScalar(span span, k kind) {
	if k != list && k != object && span.start < span.end {
		q.edits[span.start] = textChange{span, q.src[span.start:span.end]}
	}
}

func (q *scalarQuoter) visitName(name memberName, inFlow bool) {
	span, end := name.span, name.span.end
	before := strings.TrimRight(q.src[:span.start], " \t")
	before = before[strings.LastIndexAny(before, " \t\n,[{")+1:]
	if span.start >= span.end || inFlow && (strings.HasPrefix(before, "&") || strings.HasPrefix(before, "!")) {
		q.refused = max(span.end, 1)
		return
	}
	written := q.src[span.start:span.end]
	q.keepScalar(span, str)
	hasColon := end+1 < len(q.src) && q.src[end] == ':' && strings.IndexByte(" \t\r\n", q.src[end+1]) >= 0
	isPlain := strings.IndexByte("*\"'|>", written[0]) < 0
	if isPlain && (strings.Contains(written, "\n") || inFlow && !hasColon) {
		q.edits[span.start] = textChange{span, quote(name.text)}
		return
	}
	q.visitText(span, name.text, inFlow)
}

func (q *scalarQuoter) visitText(span span, text string, inFlow bool) {
	if span.start < span.end && isReadOtherwise(q.src[span.start:span.end], inFlow) {
		q.edits[span.start] = textChange{span, quote(text)}
	}
}

// isReadOtherwise reports whether some parsers read a string differently in its source notation.
func isReadOtherwise(written string, inFlow bool) bool {
	switch written[0] {
	case '*', '|', '>', '\'':
		return false
	case '"':
		return strings.Contains(strings.ReplaceAll(written, `\\`, ""), `\/`)
	}
	return strings.Contains(written, "\t") || inFlow && strings.ContainsAny(written, "?:") ||
		isYAMLWord(written) || isLikeNumber(written)
}

// isLikeNumber returns true for 0o7, 1_000, 12:30, 1e3, .inf and 2001-01-01. Some parsers read
// numbers or dates.
func isLikeNumber(s string) bool {
	if strings.IndexByte("+-.0123456789", s[0]) < 0 {
		return false
	}
	if len(s) > 4 && s[4] == '-' && strings.Trim(s[:4], "0123456789") == "" {
		return true
	}
	return strings.Trim(s, "+-._:0123456789abcdefinotxzABCDEFINOTXZ") == ""
}

func numberYAML(s string) string {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return s
	}
	mantissa, exponent := s[:i], s[i+1:]
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	if strings.IndexByte("+-", exponent[0]) < 0 {
		exponent = "+" + exponent
	}
	return mantissa + s[i:i+1] + exponent
}
