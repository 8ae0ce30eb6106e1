package personas

import (
	"strconv"
	"strings"
)

// SourceMap knows where in the source text the values of a document stand. The
// zero SourceMap knows nothing and answers with the start of the text.
type SourceMap struct {
	t    *sourceText
	root *node
}

// Lookup gives the place of the value at a path, or of its nearest ancestor
// that the text has. Columns count code points from 1, a byte order mark does
// not count. A value that came through a YAML alias stands at the alias; what
// is inside it stands where it was written.
func (m SourceMap) Lookup(path string) Position {
	f := m.findPath(path)
	return m.positionOf(f.n)
}

// Key gives the place of the member name at a path. A list item has no name;
// then, and when the text has no such member, Key is what Lookup is.
func (m SourceMap) Key(path string) Position {
	f := m.findPath(path)
	if f.exact && f.key != nil {
		return m.t.positionOf(f.key.at)
	}
	return m.positionOf(f.n)
}

func (m SourceMap) positionOf(n *node) Position {
	if m.t == nil || n == nil {
		return startOfText()
	}
	return m.t.positionOf(n.at)
}

// pathMatch is how far a path leads: to a node, by its name if it has one.
type pathMatch struct {
	n     *node
	key   *memberName
	exact bool
}

func (m SourceMap) findPath(path string) pathMatch {
	f := pathMatch{n: m.root, exact: true}
	for f.n != nil {
		s, rest, ok := nextStep(path)
		if !ok {
			return f
		}
		i := s.indexIn(f.n)
		if i < 0 {
			return pathMatch{n: f.n}
		}
		f.key = nil
		if f.n.kind == object {
			f.key = &f.n.names[i]
		}
		f.n, path = f.n.items[i], rest
	}
	return pathMatch{}
}

// step is one part of a path: a member or, with index >= 0, a list item.
type step struct {
	member string
	index  int
}

// indexIn finds the step's item in a node, or -1.
func (s step) indexIn(n *node) int {
	switch {
	case s.index < 0 && n.kind == object:
		return n.findMember(s.member)
	case s.index >= 0 && s.index < len(n.items) && n.kind == list:
		return s.index
	}
	return -1
}

// nextStep takes the first step of a path: `name`, `.name`, `[3]` or `["a name"]`.
func nextStep(path string) (s step, rest string, ok bool) {
	path = strings.TrimPrefix(path, ".")
	if path == "" {
		return step{}, "", false
	}
	if strings.HasPrefix(path, `["`) {
		if quoted, err := strconv.QuotedPrefix(path[1:]); err == nil {
			member, _ := strconv.Unquote(quoted)
			return step{member: member, index: -1}, strings.TrimPrefix(path[1+len(quoted):], "]"), true
		}
	}
	if path[0] == '[' {
		digits, rest, _ := strings.Cut(path[1:], "]")
		index, err := strconv.Atoi(digits)
		if err != nil || index < 0 {
			return step{member: path, index: -1}, "", true
		}
		return step{index: index}, rest, true
	}
	end := strings.IndexAny(path+".", ".[")
	return step{member: path[:end], index: -1}, path[end:], true
}

// place is where a value stands in the document, linked from the inside to the
// outside.
type place struct {
	up     *place
	member string
	index  int // of a list item; -1 for a member
}

// pathOf writes a place as `machines[1].states[0].state_key`.
func (p *place) pathOf() string {
	switch {
	case p == nil:
		return ""
	case p.index >= 0:
		return p.up.pathOf() + "[" + strconv.Itoa(p.index) + "]"
	}
	return joinPath(p.up.pathOf(), p.member)
}

// joinPath adds a member to a path; a name that is not a plain word is quoted.
func joinPath(path, member string) string {
	if member == "" || strings.ContainsAny(member, ".[]\"\\ \t\r\n") || strings.IndexFunc(member, isHidden) >= 0 {
		return path + "[" + strconv.Quote(member) + "]"
	}
	if path == "" {
		return member
	}
	return path + "." + member
}

// Has tells whether the text has a value at a path.
func (m SourceMap) Has(path string) bool {
	f := m.findPath(path)
	return f.exact && f.n != nil
}

// findConflict finds the first line with which a merge, of parley or of git, marks two
// sides. It is looked for where a text cannot be read.
func findConflict(t *sourceText) *Fault {
	for _, start := range t.lines {
		if strings.HasPrefix(t.src[start:], mineMark) {
			return &Fault{Pos: t.positionOf(span{start, start + len(mineMark) - 1}), Message: "a merge has left two sides here: choose between the lines <<<<<<< and =======, and ======= and >>>>>>>, and take out these three"}
		}
	}
	return nil
}
