package personas

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Comment is a YAML comment from the # to the end of the line. Alone is true if the line contains
// nothing else.
type Comment struct {
	Text  string
	Pos   Position
	Alone bool
}

// Comments returns the comments of the text in order. A # inside a value or a member name is not a
// comment. For JSON and unparsable text, the result is empty.
func (m SourceMap) Comments() []Comment {
	var all []Comment
	for _, comment := range m.commentSpans() {
		line := m.t.src[strings.LastIndexAny(m.t.src[:comment.start], "\r\n")+1 : comment.start]
		all = append(all, Comment{
			Text: m.t.src[comment.start:comment.end], Pos: m.t.positionOf(comment), Alone: strings.TrimSpace(line) == "",
		})
	}
	return all
}

func (m SourceMap) commentSpans() []span {
	if m.t == nil || m.root == nil || !strings.Contains(m.t.src, "#") {
		return nil
	}
	src, words := m.t.src, m.textSpans()
	var all []span
	for offset := strings.IndexByte(src, '#'); offset >= 0; {
		end := offset + 1
		isSeparate := offset == 0 || strings.IndexByte(" \t\r\n", src[offset-1]) >= 0
		if isSeparate && !isInside(words, offset) {
			end = lineEnd(src, offset)
			all = append(all, span{offset, end})
		}
		next := strings.IndexByte(src[end:], '#')
		if next < 0 {
			break
		}
		offset = end + next
	}
	return all
}

// textSpans omits the first line of a block scalar, because a comment may follow the indicator.
func (m SourceMap) textSpans() []span {
	var all []span
	m.eachNode(func(n *node) {
		for i := range n.names {
			all = append(all, n.names[i].span)
		}
		if n.kind == list || n.kind == object {
			return
		}
		text := n.span
		if text.start < text.end && strings.IndexByte("|>", m.t.src[text.start]) >= 0 {
			text.start = min(text.end, lineEnd(m.t.src, text.start))
		}
		all = append(all, text)
	})
	slices.SortFunc(all, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	return all
}

func isInside(sorted []span, offset int) bool {
	compare := func(s span, offset int) int { return cmp.Compare(s.start, offset) }
	i, same := slices.BinarySearchFunc(sorted, offset, compare)
	if same {
		return sorted[i].end > offset
	}
	return i > 0 && sorted[i-1].end > offset
}

func (m SourceMap) eachNode(visit func(*node)) {
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		visit(n)
		for _, item := range n.items {
			walk(item)
		}
	}
	walk(m.root)
}

// MemberLines contains the line ranges of all members and list items of a document.
type MemberLines struct {
	// first and last are parallel and sorted by first. If several members start on one line, the
	// outermost counts.
	first, last []int
}

// MemberLines collects the line ranges of all members and items. The cost is linear, and each call
// of Below is a binary search.
func (m SourceMap) MemberLines() (lines MemberLines) {
	if m.t == nil || m.root == nil {
		return lines
	}
	last := map[int]int{}
	m.eachNode(func(n *node) {
		for i, item := range n.items {
			start := item.span.start
			if n.kind == object {
				start = n.names[i].span.start
			}
			begin, _ := m.t.lineAndColumn(start)
			finish, _ := m.t.lineAndColumn(max(start, item.span.end))
			last[begin] = max(last[begin], finish)
		}
	})
	lines.first = slices.Sorted(maps.Keys(last))
	for _, begin := range lines.first {
		lines.last = append(lines.last, last[begin])
	}
	return lines
}

// Below returns the lines of the outermost member or item that starts on the given line. Otherwise
// Below uses the next member or item. If nothing follows, ok is false.
func (l MemberLines) Below(line int) (first, last int, ok bool) {
	i, _ := slices.BinarySearch(l.first, line)
	if i == len(l.first) {
		return 0, 0, false
	}
	return l.first[i], l.last[i], true
}
