package store

import "sync"

// viewCache remembers what a viewer was shown of a persona, so that a persona that
// is asked for again and again costs no statement. Each entry is the answer of
// the query to just this viewer, and every change of any persona forgets all of
// them, before the change is acknowledged. This process is the only writer of
// the database (localserver, one server a data folder).
type viewCache struct {
	mu   sync.RWMutex
	age  uint64 // the changes so far
	kept map[viewKey]PersonaSummary
}

// viewKey is who asks for which persona.
type viewKey struct{ persona, viewer string }

// Bounds of the memory: about 8 MiB when it is full of the largest texts.
const (
	maxViews      = 1024
	maxViewedText = 8 << 10
)

// getView returns a remembered answer, and the age to pass to keepView where
// there is none.
func (v *viewCache) getView(of viewKey) (p PersonaSummary, age uint64, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	p, ok = v.kept[of]
	return p, v.age, ok
}

// keepView remembers an answer that was asked for at an age; one that a change
// may have overtaken is dropped.
func (v *viewCache) keepView(of viewKey, p PersonaSummary, age uint64) {
	if len(p.IdentityPrompt)+len(p.Description) > maxViewedText {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if age != v.age {
		return
	}
	if v.kept == nil || len(v.kept) >= maxViews {
		v.kept = make(map[viewKey]PersonaSummary)
	}
	v.kept[of] = p
}

// forgetAll drops everything after a change.
func (v *viewCache) forgetAll() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.age++
	v.kept = nil
}
