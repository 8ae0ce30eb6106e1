package conversation

import "sync"

// PlaceKeeper writes the player's place to a memory. It writes one place at a time, and none after
// the final one. It is safe for concurrent use.
type PlaceKeeper struct {
	mu     sync.Mutex
	memory Memory
	over   bool
}

// NewPlaceKeeper returns a PlaceKeeper that writes to m.
func NewPlaceKeeper(m Memory) *PlaceKeeper { return &PlaceKeeper{memory: m} }

// KeepPlace writes a place. If last is set, the place is the final one, and later places that are
// not final are ignored.
func (k *PlaceKeeper) KeepPlace(saved SavedSession, last bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over && !last {
		return nil
	}
	k.over = k.over || last
	return k.memory.Remember(saved)
}
