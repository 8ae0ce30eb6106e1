package personas

import "hash/maphash"

// Hasher makes hashes of 64 bits. Only those of one Hasher can be compared.
type Hasher struct{ seed maphash.Seed }

// New returns a Hasher with a new seed.
func New() Hasher { return Hasher{maphash.MakeSeed()} }

// HashValue returns the hash of a scalar, or of an empty list or object. kind distinguishes kinds
// of values.
func (h Hasher) HashValue(kind int, text string) uint64 { return h.hashPair(text, 1<<kind) }

// AddItem returns the hash of a list that has one item more, at its end.
func (h Hasher) AddItem(list, item uint64) uint64 { return h.hashPair("-", list*31+item) }

// AddMember returns the hash of an object that has one member more. The order of members
// does not count.
func (h Hasher) AddMember(object uint64, name string, value uint64) uint64 {
	return object + h.hashPair(name, value)
}

func (h Hasher) hashPair(text string, n uint64) uint64 {
	return maphash.Comparable(h.seed, struct {
		text string
		n    uint64
	}{text, n})
}
