package cache

import (
	"slices"
	"sync"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestKeepRemovesLeastRecentlyUsed: values are kept up to the bound; one more removes the least recently used value.
func TestKeepRemovesLeastRecentlyUsed(t *testing.T) {
	c := New[int, string](4)
	for key := range 4 {
		c.Keep(key, "v", 1)
	}
	n, size := c.Size()
	assert.Must(t, n == 4 && size == 4, "at the bound %d values of %d", n, size)
	c.Find(0)
	c.Keep(4, "v", 1)
	checkKept(t, c, []int{0, 2, 3, 4}, []int{1})
	c.Keep(5, "v", 3)
	checkKept(t, c, []int{4, 5}, []int{0, 2, 3})
}

// TestKeepValueLargerThanBound: a value that is too large is kept alone, until the next one.
func TestKeepValueLargerThanBound(t *testing.T) {
	c := New[int, string](4)
	c.Keep(0, "small", 1)
	c.Keep(1, "large", 5)
	checkKept(t, c, []int{1}, []int{0})
	c.Keep(2, "small", 1)
	checkKept(t, c, []int{2}, []int{1})
}

// TestKeepReplaces: Keep replaces the value of a key, and only the size of the new value counts.
func TestKeepReplaces(t *testing.T) {
	c := New[int, string](4)
	c.Keep(0, "old", 3)
	c.Keep(0, "new", 2)
	v, ok := c.Find(0)
	assert.True(t, v == "new" && ok, "got %q, %v", v, ok)
	n, size := c.Size()
	assert.True(t, n == 1 && size == 2, "%d values of %d", n, size)
}

func TestConcurrentUse(t *testing.T) {
	c := New[int, int](8)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 1000 {
				v, ok := c.Find(i % 16)
				assert.True(t, !ok || v == i%16, "key %d has %d", i%16, v)
				c.Keep(i%16, i%16, 1)
			}
		})
	}
	group.Wait()
	n, size := c.Size()
	assert.True(t, n == 8 && size == 8, "%d values of %d", n, size)
}

// checkKept looks up the keys that should be stored, in the given order, and those that should not.
func checkKept(t *testing.T, c *Cache[int, string], kept, gone []int) {
	t.Helper()
	for i, key := range slices.Concat(kept, gone) {
		_, ok := c.Find(key)
		assert.Equal(t, ok, i < len(kept), "%d is kept", key)
	}
}
