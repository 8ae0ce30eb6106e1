package api

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
)

// Take is TakeAll for one key.
func (l *Limiter) Take(key string, limit int, now time.Time) Grant {
	_, g := l.TakeAll(now, Bound{key, limit})
	return g
}

// Len returns the number of stored keys.
func (l *Limiter) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.keys)
}

var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestTake(t *testing.T) {
	for _, limit := range []int{1, 2, 10, 30, 60, 120} {
		l, now := NewLimiter(DefaultKeys), begin
		for i := range limit {
			g := l.Take("ann", limit, now)
			want := (Grant{OK: true, Remaining: limit - 1 - i, Reset: Window - now.Sub(begin)})
			assert.Must(t, g == want, "limit %d, request %d: %+v, want %+v", limit, i+1, g, want)
			now = now.Add(100 * time.Millisecond)
		}
		wait := Window - now.Sub(begin)
		for range 3 { // refused requests change nothing
			g := l.Take("ann", limit, now)
			assert.Must(t, g == (Grant{Wait: wait, Reset: wait}), "limit %d, one past it: %+v, want a wait of %s", limit, g, wait)
		}
		g := l.Take("bob", limit, now)
		assert.Must(t, g.OK, "limit %d: another key is refused: %+v", limit, g)
		g = l.Take("ann", limit, now.Add(wait-1))
		assert.Must(t, !g.OK && g.Wait == 1, "limit %d, a nanosecond early: %+v", limit, g)
		g = l.Take("ann", limit, now.Add(wait))
		assert.Must(t, g.OK, "limit %d, after the wait: %+v", limit, g)
	}
}

func TestOneKeyWithTwoLimits(t *testing.T) {
	l := NewLimiter(DefaultKeys)
	for i := range 5 {
		l.Take("ann", 5, begin.Add(time.Duration(i)*time.Second))
	}
	at := begin.Add(10 * time.Second)
	g := l.Take("ann", 2, at)
	want := 53 * time.Second
	assert.True(t, !g.OK && g.Wait == want, "%+v, want a wait of %s: four of five must be a minute ago", g, want)
	if g := l.Take("ann", 2, at.Add(g.Wait)); !g.OK {
		t.Errorf("after the wait: %+v", g)
	}
	if g := l.Take("cleo", 0, at); !g.OK {
		t.Errorf("a limit of nothing is a limit of one: %+v", g)
	}
}

// TestNeverMore compares with a brute-force count: no sequence of requests exceeds the limit in a
// window, no request is refused below it, and every wait is exact.
func TestNeverMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		l, now := NewLimiter(DefaultKeys), begin
		var passed []time.Time
		for range rapid.IntRange(1, 120).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.OneOf(rapid.Int64Range(0, int64(time.Second)), rapid.Int64Range(0, int64(40*time.Second))).Draw(t, "step")))
			g := l.Take("ann", limit, now)
			inWindow := 0
			for _, at := range passed {
				if now.Sub(at) < Window {
					inWindow++
				}
			}
			assert.Must(t, g.OK == (inWindow < limit), "%+v with %d of %d in the window", g, inWindow, limit)
			if g.OK {
				passed = append(passed, now)
				assert.Must(t, g.Remaining == limit-inWindow-1 && g.Reset > 0 && g.Reset <= Window,
					"%+v with %d of %d in the window", g, inWindow, limit)
				continue
			}
			assert.Must(t, g.Wait > 0 && g.Wait <= Window && wouldPass(passed, limit, now.Add(g.Wait)) && !wouldPass(passed, limit, now.Add(g.Wait-1)),
				"the wait %s is not the true one", g.Wait)
			whole := time.Duration(WholeSeconds(g.Wait)) * time.Second
			assert.Must(t, whole >= g.Wait && whole-g.Wait < time.Second, "%s in whole seconds is %s", g.Wait, whole)
		}
	})
}

func wouldPass(passed []time.Time, limit int, at time.Time) bool {
	if len(passed) < limit {
		return true
	}
	return at.Sub(passed[len(passed)-limit]) >= Window
}

func TestTimesInDisorder(t *testing.T) {
	l := NewLimiter(DefaultKeys)
	l.Take("ann", 2, begin.Add(time.Second))
	g := l.Take("ann", 2, begin)
	assert.Must(t, g.OK, "%+v", g)
	// Both count from the later time, or three would be in one window.
	g = l.Take("ann", 2, begin.Add(Window))
	assert.True(t, !g.OK && g.Wait == time.Second, "%+v, want a wait of a second", g)
	g = l.Take("ann", 2, begin.Add(Window+time.Second))
	assert.True(t, g.OK, "%+v", g)
}

// TestConcurrent uses one key and separate keys from many goroutines, for the race detector.
func TestConcurrent(t *testing.T) {
	l := NewLimiter(DefaultKeys)
	var shared, own atomic.Int32
	var group sync.WaitGroup
	for caller := range 16 {
		group.Go(func() {
			for range 50 {
				if l.Take("shared", 60, time.Now()).OK {
					shared.Add(1)
				}
				if l.Take(fmt.Sprint(caller), 10, time.Now()).OK {
					own.Add(1)
				}
			}
		})
	}
	group.Wait()
	assert.Equal(t, shared.Load(), 60)
	assert.Equal(t, own.Load(), 160)
}

// TestMillionKeys counts a million addresses in one window: memory is bounded.
func TestMillionKeys(t *testing.T) {
	l := NewLimiter(DefaultKeys)
	before := heapSize()
	for i := range 1_000_000 {
		l.Take(fmt.Sprintf("general %d", i), 120, begin.Add(time.Duration(i)*time.Microsecond))
	}
	const most = 48 << 20
	used := heapSize() - before
	assert.True(t, l.Len() == DefaultKeys && used <= most, "%d keys in %d MiB, want %d in at most %d", l.Len(), used>>20, DefaultKeys, most>>20)
	g := l.Take("general 999999", 1, begin.Add(2*time.Second))
	assert.True(t, !g.OK, "a late one was forgotten: %+v", g)
	g = l.Take("general 0", 1, begin.Add(2*time.Second))
	assert.True(t, g.OK, "a forgotten one is locked out: %+v", g)
	runtime.KeepAlive(l)
}

func heapSize() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestForgetting: a full limiter removes the key that was idle for the longest time.
func TestForgetting(t *testing.T) {
	l := NewLimiter(3)
	for i, key := range []string{"ann", "bob", "cleo"} {
		l.Take(key, 1, begin.Add(time.Duration(i)))
	}
	if g := l.Take("ann", 1, begin.Add(4)); g.OK {
		t.Fatalf("%+v", g) // refused, and heard of
	}
	l.Take("dora", 1, begin.Add(5)) // bob is forgotten
	got := []bool{l.Take("ann", 1, begin.Add(6)).OK, l.Take("cleo", 1, begin.Add(7)).OK, l.Take("bob", 1, begin.Add(8)).OK}
	assert.EqualSlices(t, got, []bool{false, false, true})
}

// TestMemoryGoesBack counts many keys and then only one, and checks that memory shrinks.
func TestMemoryGoesBack(t *testing.T) {
	l := NewLimiter(DefaultKeys)
	for i := range 1000 {
		l.Take(fmt.Sprint(i), 1, begin)
	}
	for i := range 501 {
		l.Take("ann", 120, begin.Add(Window+time.Duration(i)*time.Second))
	}
	assert.Equal(t, l.Len(), 1, "keys are remembered")
}

func TestSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]int{0: 0, 1: 1, time.Second: 1, time.Second + 1: 2, Window: 60} {
		t.Run(fmt.Sprint(wait), func(t *testing.T) { assert.Equal(t, WholeSeconds(wait), want, wait) })
	}
}

// TestTakeAll: a request counts for all of its keys or for none.
func TestTakeAll(t *testing.T) {
	l, now := NewLimiter(DefaultKeys), begin
	key := func(name string) []Bound { return []Bound{{name, 2}, {"owner", 3}} }
	for i, c := range []struct {
		name     string
		tightest int
		want     Grant
	}{
		{"a", 0, Grant{OK: true, Remaining: 1, Reset: Window}},
		{"a", 0, Grant{OK: true, Remaining: 0, Reset: Window}},
		{"a", 0, Grant{Wait: Window, Reset: Window}}, // and nothing of the owner's is used
		{"b", 1, Grant{OK: true, Remaining: 0, Reset: Window}},
		{"b", 1, Grant{Wait: Window, Reset: Window}}, // and nothing of b's is used
		{"b", 1, Grant{Wait: Window, Reset: Window}},
	} {
		tightest, g := l.TakeAll(now, key(c.name)...)
		assert.True(t, tightest == c.tightest && g == c.want, "request %d, of %s: bound %d, %+v, want %d, %+v", i, c.name, tightest, g, c.tightest, c.want)
	}
	g := l.Take("b", 2, now)
	assert.True(t, g.OK && g.Remaining == 0, "b has %+v, want one of two left", g)
	g = l.Take("owner", 4, now)
	assert.True(t, g.OK && g.Remaining == 0, "the owner has %+v, want one of four left", g)
}
