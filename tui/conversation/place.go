package conversation

import "sync"

// PlaceKeeper stores the player's place in a memory. After the final place it ignores places that
// are not final, because they can arrive late. It is safe for concurrent use.
type PlaceKeeper struct {
	mu     sync.Mutex
	memory Memory
	over   bool
}

// NewPlaceKeeper returns a PlaceKeeper that writes to m.
func NewPlaceKeeper(m Memory) *PlaceKeeper { return &PlaceKeeper{memory: m} }

// KeepPlace stores a place. last means that the place is final.
func (k *PlaceKeeper) KeepPlace(saved SavedSession, last bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over && !last {
		return nil
	}
	k.over = k.over || last
	return k.memory.Remember(saved)
}
