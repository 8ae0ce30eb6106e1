package store

import (
	"sync"
)

// viewCache caches a persona as a viewer sees it, so that repeated requests for a persona run no
// statement. Each entry is the query's result for exactly this viewer, and every change of any
// persona clears all entries before it is acknowledged. This process is the only writer of the
// database (localserver, one server per data directory). Without it a request takes 1.5 times the
// processor time (BenchmarkGetPersona).
type viewCache struct {
	mu   sync.RWMutex
	age  uint64 // the changes so far
	kept map[viewKey]PersonaSummary
	text int // bytes of the texts in kept
}

// viewKey is who asks for which persona.
type viewKey struct{ persona, viewer string }

// Bounds of the memory. Every answer fits, so that however long its texts are, each
// version of a persona is read once for a viewer and not with every call.
const (
	maxViews      = 1024
	maxViewedText = 8 << 20 // of all answers together
)

// getView returns a cached answer, or else the age to pass to keepView.
func (v *viewCache) getView(of viewKey) (p PersonaSummary, age uint64, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	p, ok = v.kept[of]
	return p, v.age, ok
}

// keepView remembers an answer that was asked for at an age; one that a change
// may have overtaken is dropped.
func (v *viewCache) keepView(of viewKey, p PersonaSummary, age uint64) {
	text := len(p.IdentityPrompt) + len(p.Description) + len(p.Name)
	if text > maxViewedText {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, twice := v.kept[of]; twice || age != v.age {
		return
	}
	if v.kept == nil || len(v.kept) >= maxViews || v.text+text > maxViewedText {
		v.kept, v.text = make(map[viewKey]PersonaSummary), 0
	}
	v.kept[of] = p
	v.text += text
}

// forgetAll drops everything after a change.
func (v *viewCache) forgetAll() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.age++
	v.kept, v.text = nil, 0
}
