package conversation

import "sync"

// PlaceKeeper writes places into a memory, one after the other and none behind the last.
// It may be used from several goroutines.
type PlaceKeeper struct {
	mu     sync.Mutex
	memory Memory
	over   bool
}

// NewPlaceKeeper writes into a memory.
func NewPlaceKeeper(m Memory) *PlaceKeeper { return &PlaceKeeper{memory: m} }

// KeepPlace writes a place; after a place with last set, it only writes others with last set.
func (k *PlaceKeeper) KeepPlace(saved SavedSession, last bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over && !last {
		return nil
	}
	k.over = k.over || last
	return k.memory.Remember(saved)
}
