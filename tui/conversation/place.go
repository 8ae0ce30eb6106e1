package conversation

import "sync"

// PlaceKeeper writes places to a memory, one at a time, and none after the last. It is safe for
// concurrent use.
type PlaceKeeper struct {
	mu     sync.Mutex
	memory Memory
	over   bool
}

// NewPlaceKeeper returns a PlaceKeeper that writes to m.
func NewPlaceKeeper(m Memory) *PlaceKeeper { return &PlaceKeeper{memory: m} }

// KeepPlace writes a place. After a call with last set, it ignores calls without last.
func (k *PlaceKeeper) KeepPlace(saved SavedSession, last bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over && !last {
		return nil
	}
	k.over = k.over || last
	return k.memory.Remember(saved)
}
