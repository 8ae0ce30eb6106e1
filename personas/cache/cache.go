// Package cache contains a least-recently-used cache with a bounded total size.
package cache

import (
	"container/list"
	"sync"
)

// Cache stores values by key. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	lock     sync.Mutex
	bound    int
	size     int        // of all values
	recent   *list.List // entries, most recently used first
	elements map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// New returns a Cache with a bound on the total size of all values. The caller chooses the unit of
// size. A value larger than the bound is stored alone.
func New[K comparable, V any](bound int) *Cache[K, V] {
	return &Cache[K, V]{bound: bound, recent: list.New(), elements: make(map[K]*list.Element)}
}

// Find returns the value for a key. The result ok is false for a missing key.
func (c *Cache[K, V]) Find(key K) (value V, ok bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	e := c.elements[key]
	if e == nil {
		return value, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(entry[K, V]).value, true
}

// Keep stores a value and replaces an existing value with the same key.
func (c *Cache[K, V]) Keep(key K, value V, size int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if e := c.elements[key]; e != nil {
		c.forget(e)
	}
	for len(c.elements) > 0 && c.size+size > c.bound {
		c.forget(c.recent.Back())
	}
	c.elements[key] = c.recent.PushFront(entry[K, V]{key, value, size})
	c.size += size
}

// Drop removes a key. A missing key is ignored.
func (c *Cache[K, V]) Drop(key K) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if e := c.elements[key]; e != nil {
		c.forget(e)
	}
}

func (c *Cache[K, V]) forget(e *list.Element) {
	old := c.recent.Remove(e).(entry[K, V])
	delete(c.elements, old.key)
	c.size -= old.size
}

// Size returns the number of stored values and their total size.
func (c *Cache[K, V]) Size() (values, size int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	return len(c.elements), c.size
}
