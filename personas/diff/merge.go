package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Result is a merged persona. Mine and Theirs differ only in the conflicts, where each has the
// value of its side.
type Result struct {
	Mine, Theirs personas.Persona
	Conflicts    []Conflict
	Unchanged    bool // theirs equals base
}

// Conflict is a member or an item that the two sides changed differently. Path identifies machines,
// states and variables by key, such as machines[front].states[gate].label. Base, Mine and Theirs
// are JSON, or "" if the value is absent.
type Conflict struct {
	Path   string `json:"path"`
	Base   string `json:"base,omitempty"`
	Mine   string `json:"mine,omitempty"`
	Theirs string `json:"theirs,omitempty"`
}

// Merge merges the changes from base to mine with those from base to theirs, in time linear in
// their size. It returns an error if a document cannot be encoded.
func Merge(base, mine, theirs *personas.Persona) (*Result, error) {
	m := &merger{hasher: hasher{personas.NewHasher()}}
	var sides [3]*value
	for i, p := range []*personas.Persona{base, mine, theirs} {
		v, err := m.encodeValue(p)
		if err != nil {
			return nil, err
		}
		sides[i] = v
	}
	left, right := m.merge("", sides[0], sides[1], sides[2])
	r := &Result{Conflicts: m.conflicts, Unchanged: isSame(sides[0], sides[2])}
	var err error
	if r.Mine, err = decodeValue(left); err != nil {
		return nil, err
	}
	r.Theirs, err = decodeValue(right)
	return r, err
}

func (h hasher) encodeValue(p *personas.Persona) (*value, error) {
	var text bytes.Buffer
	if err := personas.WriteJSON(&text, *p); err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	d := json.NewDecoder(&text)
	d.UseNumber()
	v, err := h.readNext(d)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	return v, nil
}

func decodeValue(v *value) (personas.Persona, error) {
	p, _, faults := personas.Parse("merged.json", v.appendJSON(nil))
	if len(faults) > 0 {
		return p, fmt.Errorf("merge: %w", faults[0])
	}
	return p, nil
}

type merger struct {
	hasher
	conflicts []Conflict
}

// merge merges a value, or nil if it is absent. At conflicts left has the value of mine, and right
// the value of theirs.
func (m *merger) merge(path string, base, mine, theirs *value) (left, right *value) {
	switch {
	case isSame(mine, theirs), isSame(base, theirs):
		return mine, mine
	case isSame(base, mine):
		return theirs, theirs
	case mine.is(object) && theirs.is(object):
		return m.mergeObjects(path, m.orEmpty(base, object), mine, theirs)
	case mine.is(list) && theirs.is(list) && (base == nil || base.kind == list):
		return m.mergeLists(path, m.orEmpty(base, list), mine, theirs)
	}
	return m.addConflict(path, base, mine, theirs)
}

func (m *merger) addConflict(path string, base, mine, theirs *value) (left, right *value) {
	m.conflicts = append(m.conflicts, Conflict{path, base.text(), mine.text(), theirs.text()})
	return mine, theirs
}

func (m *merger) mergeObjects(path string, base, mine, theirs *value) (left, right *value) {
	left, right = &value{kind: object}, &value{kind: object}
	b, mi, th := base.byName(), mine.byName(), theirs.byName()
	for _, name := range personas.JoinOrders(mine.names, theirs.names) {
		l, r := m.merge(joinMergedPath(path, name), b[name], mi[name], th[name])
		left.addMember(name, l)
		right.addMember(name, r)
	}
	return m.seal(left), m.seal(right)
}

// mergeLists merges two lists item by item, identified by their keys or else by their content. If
// both sides replaced the same string differently, or reordered the items differently, the whole
// list is a conflict.
func (m *merger) mergeLists(path string, base, mine, theirs *value) (left, right *value) {
	b, mi, th := indexItems(base), indexItems(mine), indexItems(theirs)
	if editedTwice(b, mi, th) {
		return m.addConflict(path, base, mine, theirs)
	}
	first, second := mi, th
	if mineMoved, theirsMoved := hasMoved(b, mi), hasMoved(b, th); theirsMoved && mineMoved && hasMoved(mi, th) {
		return m.addConflict(path, base, mine, theirs)
	} else if theirsMoved && !mineMoved {
		first, second = th, mi
	}
	left, right = &value{kind: list}, &value{kind: list}
	for _, key := range personas.JoinOrders(first.keys, second.keys) {
		l, r := m.merge(path+"["+strings.ReplaceAll(key, "\x00", "")+"]", b.items[key], mi.items[key], th.items[key])
		left.addItem(l)
		right.addItem(r)
	}
	return m.seal(left), m.seal(right)
}

func editedTwice(base, mine, theirs *itemIndex) bool {
	newMine, newTheirs := listNew(base, mine, theirs), listNew(base, theirs, mine)
	for _, key := range base.keys {
		group := base.items[key].group()
		if mine.items[key] == nil && theirs.items[key] == nil && newMine[group] && newTheirs[group] {
			return true
		}
	}
	return false
}

func listNew(base, side, other *itemIndex) map[string]bool {
	groups := map[string]bool{}
	for _, key := range side.keys {
		if base.items[key] == nil && other.items[key] == nil {
			groups[side.items[key].group()] = true
		}
	}
	return groups
}

func hasMoved(before, after *itemIndex) bool {
	at := 0
	place := make(map[string]int, len(before.keys))
	for i, key := range before.keys {
		place[key] = i + 1
	}
	for _, key := range after.keys {
		if p := place[key]; p > 0 {
			if p < at {
				return true
			}
			at = p
		}
	}
	return false
}

func joinMergedPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
