package personas

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// AddItem appends a JSON item to the list at path and returns the new source text. Missing lists
// and parent objects are created. Another kind of value at path is an error. AddItem parses the
// result and fails if anything else changed.
func AddItem(src []byte, path, value string) ([]byte, error) { return addAt(src, path, value, true) }

// AddMember adds a JSON member at a new path and returns the new source text. An existing member is
// an error. AddMember otherwise behaves like AddItem.
func AddMember(src []byte, path, value string) ([]byte, error) {
	return addAt(src, path, value, false)
}

func addAt(src []byte, path, value string, item bool) ([]byte, error) {
	t, root, fault := readTree("", src)
	if fault != nil {
		return nil, fmt.Errorf("add to %s: %w", path, fault)
	}
	_, added, fault := readTree(".json", []byte(value))
	if fault != nil {
		return nil, fmt.Errorf("add to %s: %w", path, fault)
	}
	mark := src[:len(src)-len(t.src)]
	a := &addition{
		textEdit: textEdit{t: t, mark: mark, root: root, path: path, verb: "add to"},
		isJSON:   json.Valid([]byte(t.src)),
	}
	if !a.findOwner(path, added, item) {
		return nil, a.newRefusal("there is already a value of another kind")
	}
	return a.write()
}

type addition struct {
	textEdit

	isJSON bool
	member string // name of the new member, or "" for a list
	added  *node
}

func (a *addition) findOwner(path string, added *node, item bool) bool {
	a.owner, a.added = a.root, added
	rest := path
	for {
		s, next, more := nextStep(rest)
		i := s.indexIn(a.owner)
		if !more || i < 0 {
			break
		}
		a.owner, rest = a.owner.items[i], next
	}
	a.place = strings.TrimSuffix(path, rest)
	if !hasStep(rest) {
		return item && (a.owner.kind == list || a.owner.kind == null)
	}
	if a.owner.kind != object && a.owner.kind != null {
		return false
	}
	return a.wrapMissing(rest, item)
}

func (a *addition) wrapMissing(rest string, item bool) bool {
	var names []string
	for {
		s, next, more := nextStep(rest)
		if !more {
			break
		}
		if s.index >= 0 {
			return false
		}
		names, rest = append(names, s.member), next
	}
	if item {
		a.added = &node{kind: list, items: []*node{a.added}}
	}
	for _, name := range slices.Backward(names[1:]) {
		outer := &node{kind: object}
		outer.addMember(name, a.added)
		a.added = outer
	}
	a.member = names[0]
	return true
}

func (a *addition) write() ([]byte, error) {
	var changes []textChange
	for _, text := range a.wordings() {
		changes = append(changes, a.placeWays(text)...)
	}
	return a.applyFirst(a.root.replaceAt(a.place, a.withAdded()), changes)
}

func (a *addition) withAdded() *node {
	owner := *a.owner
	owner.index = nil
	owner.items, owner.names = slices.Clone(a.owner.items), slices.Clone(a.owner.names)
	if a.member != "" {
		owner.kind = object
		owner.addMember(a.member, a.added)
		return &owner
	}
	owner.kind = list
	owner.items = append(owner.items, a.added)
	return &owner
}

func (a *addition) wordings() []string {
	strict := string(a.added.appendJSON(nil))
	if a.isJSON && a.member != "" {
		return []string{quote(a.member) + ": " + strict}
	}
	if a.isJSON {
		return []string{strict}
	}
	loose := flowYAML(a.added)
	if a.member != "" {
		return []string{a.member + ": " + loose, quote(a.member) + ": " + strict}
	}
	return []string{loose, strict}
}

func flowYAML(n *node) string {
	switch n.kind {
	case list:
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = flowYAML(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case object:
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = n.names[i].text + ": " + flowYAML(item)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return string(n.appendJSON(nil))
}

func (a *addition) placeWays(text string) []textChange {
	src, brackets := a.t.src, "[]"
	if a.member != "" {
		brackets = "{}"
	}
	inBrackets := brackets[:1] + text + brackets[1:]
	switch {
	case a.owner.kind == null:
		return []textChange{{a.owner.span, inBrackets}, {a.owner.span, " " + inBrackets}}
	case len(a.owner.items) == 0:
		return []textChange{{a.owner.span, inBrackets}}
	case isFlow(src, a.owner):
		return flowPlace(src, a.owner, text)
	}
	end := lineEnd(src, contentEnd(a.owner))
	line := "\n"
	if strings.Contains(src, "\r\n") {
		line = "\r\n"
	}
	return []textChange{{span{end, end}, line + a.blockIndent() + text}}
}

func (a *addition) blockIndent() string {
	src, offset := a.t.src, a.owner.items[len(a.owner.items)-1].span.start
	if a.member != "" {
		offset = a.owner.names[0].span.start
	}
	line := src[strings.LastIndexByte(src[:offset], '\n')+1 : offset]
	if a.member != "" {
		return strings.Repeat(" ", len(line))
	}
	return strings.Repeat(" ", max(0, strings.LastIndexByte(line, '-'))) + "- "
}

func flowPlace(src string, n *node, text string) []textChange {
	start := len(strings.TrimRight(src[:n.span.end-1], " \t\r\n"))
	glue := ", "
	if strings.Contains(src[start:n.span.end], "\n") {
		last := src[strings.LastIndexByte(src[:start], '\n')+1 : start]
		glue = ",\n" + last[:len(last)-len(strings.TrimLeft(last, " \t"))]
	}
	return []textChange{{span{start, start}, glue + text}}
}

func contentEnd(n *node) int {
	end := 0
	for i, item := range n.items {
		if n.kind == object {
			end = max(end, n.names[i].span.end)
		}
		end = max(end, item.span.end, contentEnd(item))
	}
	return end
}
