package nlu

import "sync"

// maxMemory is how many stems, and how many corrections, are kept.
const maxMemory = 4096

// memory keeps at most maxMemory results; when it is full it begins anew. It is safe for
// concurrent use.
type memory[K comparable, V any] struct {
	lock  sync.RWMutex
	known map[K]V
}

func (m *memory[K, V]) find(key K) (V, bool) {
	m.lock.RLock()
	defer m.lock.RUnlock()
	v, ok := m.known[key]
	return v, ok
}

func (m *memory[K, V]) keep(key K, v V) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.known == nil || len(m.known) >= maxMemory {
		m.known = make(map[K]V)
	}
	m.known[key] = v
}
