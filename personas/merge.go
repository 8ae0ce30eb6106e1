package personas

import (
	"fmt"
	"slices"
	"strings"
)

// Merged is the result of a merge. Mine and Theirs differ only in the conflicts.
type Merged struct {
	Mine, Theirs Persona
	Conflicts    []Conflict
	Unchanged    bool // theirs equals base
}

// Conflict is a member or an item with different changes on both sides. Path identifies items by
// key, such as machines[front].states[gate].label. Base, Mine and Theirs are JSON, or "" if absent.
type Conflict struct {
	Path   string `json:"path"`
	Base   string `json:"base,omitempty"`
	Mine   string `json:"mine,omitempty"`
	Theirs string `json:"theirs,omitempty"`
}

// Merge performs a three-way merge. An invalid side or an invalid result is an error.
func Merge(base, mine, theirs *Persona) (*Merged, error) {
	b, mi, th := treeOf(base.walkMembers), treeOf(mine.walkMembers), treeOf(theirs.walkMembers)
	var m merger
	left, right := m.merge("", b, mi, th)
	merged := &Merged{Conflicts: m.conflicts, Unchanged: isSame(b, th)}
	var faults, others []Diagnostic
	merged.Mine, faults = readTreeDocument(left)
	merged.Theirs, others = readTreeDocument(right)
	if faults = append(faults, others...); len(faults) > 0 {
		return nil, fmt.Errorf("merge: %w", faults[0])
	}
	return merged, nil
}

type merger struct{ conflicts []Conflict }

// merge returns two results that differ only at conflicts. An absent value is nil.
func (m *merger) merge(path string, base, mine, theirs *node) (left, right *node) {
	switch {
	case isSame(mine, theirs), isSame(base, theirs):
		return mine, mine
	case isSame(base, mine):
		return theirs, theirs
	case mine == nil || theirs == nil || mine.kind != theirs.kind || !isCollection(mine):
	case mine.kind == object:
		return m.mergeObjects(path, base, mine, theirs)
	case base == nil || base.kind == list:
		return m.mergeLists(path, base, mine, theirs)
	}
	return m.addConflict(path, base, mine, theirs)
}

func (m *merger) addConflict(path string, base, mine, theirs *node) (left, right *node) {
	m.conflicts = append(m.conflicts, Conflict{path, base.textOf(), mine.textOf(), theirs.textOf()})
	return mine, theirs
}

func (n *node) textOf() string {
	if n == nil {
		return ""
	}
	return string(n.appendJSON(nil))
}

func (m *merger) mergeObjects(path string, base, mine, theirs *node) (left, right *node) {
	left, right = &node{kind: object}, &node{kind: object}
	for _, name := range joinOrders(listNames(mine), listNames(theirs)) {
		inner := strings.TrimPrefix(path+"."+name, ".")
		l, r := m.merge(inner, memberOf(base, name), memberOf(mine, name), memberOf(theirs, name))
		if l != nil {
			left.addMember(name, l)
		}
		if r != nil {
			right.addMember(name, r)
		}
	}
	return left, right
}

func (m *merger) mergeLists(path string, base, mine, theirs *node) (left, right *node) {
	baseItems, mineItems, theirItems := indexItems(base), indexItems(mine), indexItems(theirs)
	mineMoved, theirsMoved := hasMoved(baseItems, mineItems), hasMoved(baseItems, theirItems)
	movedTwice := mineMoved && theirsMoved && hasMoved(mineItems, theirItems)
	if movedTwice || editedTwice(baseItems, mineItems, theirItems) {
		return m.addConflict(path, base, mine, theirs)
	}
	first, second := mineItems, theirItems
	if theirsMoved && !mineMoved {
		first, second = theirItems, mineItems
	}
	left, right = &node{kind: list}, &node{kind: list}
	for _, key := range joinOrders(first.keys, second.keys) {
		inner := path + "[" + strings.ReplaceAll(key, "\x00", "") + "]"
		l, r := m.merge(inner, baseItems.items[key], mineItems.items[key], theirItems.items[key])
		if l != nil {
			left.items = append(left.items, l)
		}
		if r != nil {
			right.items = append(right.items, r)
		}
	}
	return left, right
}

func editedTwice(base, mine, theirs *itemIndex) bool {
	hasNew := func(side, other *itemIndex) bool {
		return slices.ContainsFunc(side.keys, func(key string) bool {
			return base.items[key] == nil && other.items[key] == nil
		})
	}
	isRemoved := func(key string) bool { return mine.items[key] == nil && theirs.items[key] == nil }
	return slices.ContainsFunc(base.keys, isRemoved) && hasNew(mine, theirs) && hasNew(theirs, mine)
}

func hasMoved(before, after *itemIndex) bool {
	last := 0
	place := make(map[string]int, len(before.keys))
	for i, key := range before.keys {
		place[key] = i + 1
	}
	for _, key := range after.keys {
		if p := place[key]; p > 0 {
			if p < last {
				return true
			}
			last = p
		}
	}
	return false
}

func isSame(a, b *node) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	if a.kind != b.kind || a.text != b.text || len(a.items) != len(b.items) {
		return false
	}
	for i, item := range a.items {
		other := b.items[i]
		if a.kind == object {
			other = memberOf(b, a.names[i].text)
		}
		if !isSame(item, other) {
			return false
		}
	}
	return true
}

func listNames(n *node) []string {
	if n == nil {
		return nil
	}
	names := make([]string, len(n.names))
	for i := range n.names {
		names[i] = n.names[i].text
	}
	return names
}

func memberOf(n *node, name string) *node {
	if n == nil {
		return nil
	}
	n.indexMembers()
	if i := n.findMember(name); i >= 0 {
		return n.items[i]
	}
	return nil
}

type itemIndex struct {
	keys  []string
	items map[string]*node
}

// indexItems adds a suffix to a repeated key. The suffix starts with a zero byte, absent from all
// other keys.
func indexItems(n *node) *itemIndex {
	if n == nil {
		return &itemIndex{}
	}
	ix := &itemIndex{items: make(map[string]*node, len(n.items))}
	seen := make(map[string]int, len(n.items))
	for _, item := range n.items {
		key := item.key()
		if seen[key]++; seen[key] > 1 {
			key = fmt.Sprintf("%s\x00#%d", key, seen[key])
		}
		ix.keys = append(ix.keys, key)
		ix.items[key] = item
	}
	return ix
}

var keyMembers = []string{
	"machine_key", "state_key", "key",
	"from_state_key", "decision_type", "to_state_key",
	"source_machine_key", "target_machine_key", "condition_type",
	"intent", "say",
}

func (n *node) key() string {
	var parts []string
	for i, name := range n.names {
		if slices.Contains(keyMembers, name.text) && !isCollection(n.items[i]) {
			parts = append(parts, n.items[i].text)
		}
	}
	if key := strings.Join(parts, "/"); key != "" {
		return key
	}
	return n.textOf()
}

// joinOrders returns the names of first. Each additional name of second follows its predecessor in
// second.
func joinOrders(first, second []string) []string {
	isFirst := make(map[string]bool, len(first))
	for _, name := range first {
		isFirst[name] = true
	}
	var all []string // names without a predecessor
	followers := map[string][]string{}
	previous, hasBegun := "", false
	for _, name := range second {
		switch {
		case isFirst[name]:
			previous, hasBegun = name, true
		case hasBegun:
			followers[previous] = append(followers[previous], name)
		default:
			all = append(all, name)
		}
	}
	for _, name := range first {
		all = append(append(all, name), followers[name]...)
	}
	return all
}
