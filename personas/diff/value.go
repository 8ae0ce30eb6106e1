package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

type kind int

const (
	scalar kind = iota
	list
	object
)

// value is a JSON value of a document, with a hash that ignores the order of members.
type value struct {
	kind  kind
	json  string // of a scalar
	names []string
	items []*value
	hash  uint64
}

type hasher struct{ personas.Hasher }

func (h hasher) readNext(d *json.Decoder) (*value, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	v := &value{}
	switch t {
	case json.Delim('{'):
		v.kind = object
	case json.Delim('['):
		v.kind = list
	default:
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		err := e.Encode(t)
		return h.seal(&value{json: strings.TrimSuffix(text.String(), "\n")}), err
	}
	for d.More() {
		if v.kind == object {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v.names = append(v.names, fmt.Sprint(name))
		}
		item, err := h.readNext(d)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, item)
	}
	_, err = d.Token()
	return h.seal(v), err
}

func (h hasher) seal(v *value) *value {
	v.hash = h.HashValue(int(v.kind), v.json)
	for i, item := range v.items {
		if v.kind == object {
			v.hash = h.AddMember(v.hash, v.names[i], item.hash)
		} else {
			v.hash = h.AddItem(v.hash, item.hash)
		}
	}
	return v
}

func isSame(a, b *value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.kind == b.kind && a.hash == b.hash
}

func (v *value) is(k kind) bool { return v != nil && v.kind == k }

func (h hasher) orEmpty(v *value, k kind) *value {
	if v.is(k) {
		return v
	}
	return h.seal(&value{kind: k})
}

func (v *value) text() string {
	if v == nil {
		return ""
	}
	return string(v.appendJSON(nil))
}

func (v *value) appendJSON(b []byte) []byte {
	if v.kind == scalar {
		return append(b, v.json...)
	}
	open, end := byte('['), byte(']')
	if v.kind == object {
		open, end = '{', '}'
	}
	b = append(b, open)
	for i, item := range v.items {
		if i > 0 {
			b = append(b, ',')
		}
		if v.kind == object {
			name, _ := json.Marshal(v.names[i]) // a string can always be encoded
			b = append(append(b, name...), ':')
		}
		b = item.appendJSON(b)
	}
	return append(b, end)
}

func (v *value) byName() map[string]*value {
	all := make(map[string]*value, len(v.names))
	for i, name := range v.names {
		all[name] = v.items[i]
	}
	return all
}

func (v *value) addMember(name string, item *value) {
	if item != nil {
		v.names = append(v.names, name)
		v.items = append(v.items, item)
	}
}

func (v *value) addItem(item *value) {
	if item != nil {
		v.items = append(v.items, item)
	}
}

// itemIndex is a list's items by key, with the keys in order.
type itemIndex struct {
	keys  []string
	items map[string]*value
}

// indexItems returns the items of a list by key. A repeated key gets a suffix that cannot occur in
// other keys: a zero byte, followed by #2, #3 and so on.
func indexItems(v *value) *itemIndex {
	ix := &itemIndex{items: make(map[string]*value, len(v.items))}
	seen := make(map[string]int, len(v.items))
	for _, item := range v.items {
		key := item.key()
		seen[key]++
		if n := seen[key]; n > 1 {
			key = fmt.Sprintf("%s\x00#%d", key, n)
		}
		ix.keys = append(ix.keys, key)
		ix.items[key] = item
	}
	return ix
}

func (v *value) key() string {
	if v.kind == scalar {
		return v.json
	}
	if key := v.joinMembers(personas.IsKeyMember); key != "" {
		return key
	}
	return fmt.Sprintf("%d:%016x", v.kind, v.hash)
}

// group returns the group of items that can replace each other: the transitions from one state with
// one decision, the links between two machines, or all items of another list.
func (v *value) group() string {
	return v.joinMembers(func(name string) bool { return slices.Contains(groupMembers, name) })
}

var groupMembers = []string{"from_state_key", "decision_type", "source_machine_key", "target_machine_key"}

func (v *value) joinMembers(which func(name string) bool) string {
	var parts []string
	for i, name := range v.names {
		if which(name) && v.items[i].kind == scalar {
			parts = append(parts, strings.TrimSuffix(strings.TrimPrefix(v.items[i].json, `"`), `"`))
		}
	}
	return strings.Join(parts, "/")
}
