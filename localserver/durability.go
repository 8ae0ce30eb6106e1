package localserver

import (
	"fmt"

	"github.com/parley-npc/parley/localserver/store"
)

// Durability says what an acknowledged write survives.
type Durability string

// The values of Durability; the empty one is full.
const (
	// DurabilityFull survives a power cut.
	DurabilityFull Durability = "full"
	// DurabilityNormal survives a killed process, but a power cut may lose the last
	// writes.
	DurabilityNormal Durability = "normal"
)

// durability is the store's word for it. A data folder that goes with the server
// has nothing to survive for, so there no write waits for the disk
// (docs/decisions/localserver.md, durability).
func (o *Options) durability() (store.Durability, error) {
	switch o.Durability {
	case "", DurabilityFull:
		if o.Data == Memory {
			return store.Normal, nil
		}
		return store.Full, nil
	case DurabilityNormal:
		return store.Normal, nil
	}
	return store.Full, fmt.Errorf("durability %q: must be %s or %s", o.Durability, DurabilityFull, DurabilityNormal)
}
