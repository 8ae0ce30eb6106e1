// Package cache keeps values that are costly to make, within a bound on their size
// together: those that were used the longest ago are forgotten first.
package cache

import (
	"container/list"
	"sync"
)

// Cache keeps values by key. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	lock   sync.Mutex
	bound  int
	size   int        // of all values
	recent *list.List // of entry, the most recently used first
	kept   map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// New returns a Cache of values with a total size of at most bound, in the caller's unit. A single
// larger value is kept alone.
func New[K comparable, V any](bound int) *Cache[K, V] {
	return &Cache[K, V]{bound: bound, recent: list.New(), kept: make(map[K]*list.Element)}
}

// Find returns the value that is kept for a key, and whether there is one.
func (c *Cache[K, V]) Find(key K) (value V, ok bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	e := c.kept[key]
	if e == nil {
		return value, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(entry[K, V]).value, true
}

// Keep keeps a value, in place of one that has the same key.
func (c *Cache[K, V]) Keep(key K, value V, size int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if e := c.kept[key]; e != nil {
		c.forget(e)
	}
	for len(c.kept) > 0 && c.size+size > c.bound {
		c.forget(c.recent.Back())
	}
	c.kept[key] = c.recent.PushFront(entry[K, V]{key, value, size})
	c.size += size
}

// forget wants the lock.
func (c *Cache[K, V]) forget(e *list.Element) {
	old := c.recent.Remove(e).(entry[K, V])
	delete(c.kept, old.key)
	c.size -= old.size
}

// Size returns how many values are kept, and their size together.
func (c *Cache[K, V]) Size() (values, size int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	return len(c.kept), c.size
}
