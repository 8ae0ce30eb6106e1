package personas

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestHashes: equal values have the same hash, regardless of the order of members, and others a different one.
func TestHashes(t *testing.T) {
	t.Parallel()
	h := NewHasher()
	a, b := h.HashValue(0, "a"), h.HashValue(0, "b")
	object := h.HashValue(2, "")
	one := h.AddMember(h.AddMember(object, "x", a), "y", b)
	assert.Equal(t, one, h.AddMember(h.AddMember(object, "y", b), "x", a), "the order of members counts")
	list := h.HashValue(1, "")
	all := map[uint64]string{}
	for name, sum := range map[string]uint64{
		"a": a, "b": b, "1": h.HashValue(3, "1"), `"1"`: h.HashValue(0, "1"), "{}": object, "[]": list,
		"[a, b]": h.AddItem(h.AddItem(list, a), b), "[b, a]": h.AddItem(h.AddItem(list, b), a), "[[a], b]": h.AddItem(h.AddItem(list, h.AddItem(list, a)), b),
		"{x: a, y: b}": one, "{x: b, y: a}": h.AddMember(h.AddMember(object, "x", b), "y", a), "{x: a}": h.AddMember(object, "x", a),
	} {
		before, known := all[sum]
		assert.True(t, !known, "%s and %s have the same hash", name, before)
		all[sum] = name
	}
	assert.True(t, NewHasher().HashValue(0, "a") != a, "two hashers have one seed")
}
