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

func (l *limiter) take(key string, limit int, now time.Time) grant {
	_, g := l.countAll(now, tally{caller: key, limit: limit})
	return g
}

func (l *limiter) countKeys() int {
	keys, _ := l.keys.Size()
	return keys
}

var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestTake(t *testing.T) {
	for _, limit := range []int{1, 2, 10, 30, 60, 120} {
		l, now := newLimiter(limiterKeys, nil), begin
		for i := range limit {
			g := l.take("ann", limit, now)
			want := (grant{OK: true, Remaining: limit - 1 - i, Reset: window - now.Sub(begin)})
			assert.Must(t, g == want, "limit %d, request %d: %+v, want %+v", limit, i+1, g, want)
			now = now.Add(100 * time.Millisecond)
		}
		wait := window - now.Sub(begin)
		for range 3 { // refused requests change nothing
			g := l.take("ann", limit, now)
			assert.Must(t, g == (grant{Wait: wait, Reset: wait}), "limit %d, one past it: %+v, want a wait of %s", limit, g, wait)
		}
		g := l.take("bob", limit, now)
		assert.Must(t, g.OK, "limit %d: another key is refused: %+v", limit, g)
		g = l.take("ann", limit, now.Add(wait-1))
		assert.Must(t, !g.OK && g.Wait == 1, "limit %d, a nanosecond early: %+v", limit, g)
		g = l.take("ann", limit, now.Add(wait))
		assert.Must(t, g.OK, "limit %d, after the wait: %+v", limit, g)
	}
}

// TestNeverMore compares with a brute-force count: no sequence of requests exceeds the limit in a
// window, no request is refused below it, and every wait is exact.
func TestNeverMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		l, now := newLimiter(limiterKeys, nil), begin
		var passed []time.Time
		for range rapid.IntRange(1, 120).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.OneOf(rapid.Int64Range(0, int64(time.Second)), rapid.Int64Range(0, int64(40*time.Second))).Draw(t, "step")))
			g := l.take("ann", limit, now)
			inWindow := 0
			for _, at := range passed {
				if now.Sub(at) < window {
					inWindow++
				}
			}
			assert.Must(t, g.OK == (inWindow < limit), "%+v with %d of %d in the window", g, inWindow, limit)
			if g.OK {
				passed = append(passed, now)
				assert.Must(t, g.Remaining == limit-inWindow-1 && g.Reset > 0 && g.Reset <= window,
					"%+v with %d of %d in the window", g, inWindow, limit)
				continue
			}
			assert.Must(t, g.Wait > 0 && g.Wait <= window, "the wait is %s", g.Wait)
			assert.Must(t, wouldPass(passed, limit, now.Add(g.Wait)), "the wait %s is not the true one", g.Wait)
			assert.Must(t, !wouldPass(passed, limit, now.Add(g.Wait-1)), "the wait %s is not the true one", g.Wait)
			whole := time.Duration(WholeSeconds(g.Wait)) * time.Second
			assert.Must(t, whole >= g.Wait && whole-g.Wait < time.Second, "%s in whole seconds is %s", g.Wait, whole)
		}
	})
}

func wouldPass(passed []time.Time, limit int, at time.Time) bool {
	if len(passed) < limit {
		return true
	}
	return at.Sub(passed[len(passed)-limit]) >= window
}

func TestTimesInDisorder(t *testing.T) {
	l := newLimiter(limiterKeys, nil)
	l.take("ann", 2, begin.Add(time.Second))
	g := l.take("ann", 2, begin)
	assert.Must(t, g.OK, "%+v", g)
	// Both count from the later time, or three would be in one window.
	g = l.take("ann", 2, begin.Add(window))
	assert.True(t, !g.OK && g.Wait == time.Second, "%+v, want a wait of a second", g)
	g = l.take("ann", 2, begin.Add(window+time.Second))
	assert.True(t, g.OK, "%+v", g)
}

// TestConcurrent uses one key and separate keys from many goroutines, for the race detector.
func TestConcurrent(t *testing.T) {
	l := newLimiter(limiterKeys, nil)
	var shared, own atomic.Int32
	var group sync.WaitGroup
	for caller := range 16 {
		group.Go(func() {
			for range 50 {
				if l.take("shared", 60, time.Now()).OK {
					shared.Add(1)
				}
				if l.take(fmt.Sprint(caller), 10, time.Now()).OK {
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
	l := newLimiter(limiterKeys, nil)
	before := heapSize()
	for i := range 1_000_000 {
		l.take(fmt.Sprintf("general %d", i), 120, begin.Add(time.Duration(i)*time.Microsecond))
	}
	const most = 48 << 20
	used := heapSize() - before
	assert.True(t, l.countKeys() == limiterKeys && used <= most, "%d keys in %d MiB, want %d in at most %d", l.countKeys(), used>>20, limiterKeys, most>>20)
	g := l.take("general 999999", 1, begin.Add(2*time.Second))
	assert.True(t, !g.OK, "a late one was forgotten: %+v", g)
	g = l.take("general 0", 1, begin.Add(2*time.Second))
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
	l := newLimiter(3, nil)
	for i, key := range []string{"ann", "bob", "cleo"} {
		l.take(key, 1, begin.Add(time.Duration(i)))
	}
	if g := l.take("ann", 1, begin.Add(4)); g.OK {
		t.Fatalf("%+v", g) // refused, and heard of
	}
	l.take("dora", 1, begin.Add(5)) // bob is forgotten
	got := []bool{l.take("ann", 1, begin.Add(6)).OK, l.take("cleo", 1, begin.Add(7)).OK, l.take("bob", 1, begin.Add(8)).OK}
	assert.EqualSlices(t, got, []bool{false, false, true})
}

func TestSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]int{0: 0, 1: 1, time.Second: 1, time.Second + 1: 2, window: 60} {
		t.Run(fmt.Sprint(wait), func(t *testing.T) { assert.Equal(t, WholeSeconds(wait), want, wait) })
	}
}

// TestTakeAll: a request counts for all of its keys or for none.
func TestTakeAll(t *testing.T) {
	l, now := newLimiter(limiterKeys, nil), begin
	key := func(name string) []tally { return []tally{{caller: name, limit: 2}, {caller: "owner", limit: 3}} }
	for i, c := range []struct {
		name     string
		tightest int
		want     grant
	}{
		{"a", 0, grant{OK: true, Remaining: 1, Reset: window}},
		{"a", 0, grant{OK: true, Remaining: 0, Reset: window}},
		{"a", 0, grant{Wait: window, Reset: window}}, // and nothing of the owner's is used
		{"b", 1, grant{OK: true, Remaining: 0, Reset: window}},
		{"b", 1, grant{Wait: window, Reset: window}}, // and nothing of b's is used
		{"b", 1, grant{Wait: window, Reset: window}},
	} {
		tightest, g := l.countAll(now, key(c.name)...)
		assert.True(t, tightest == c.tightest && g == c.want, "request %d, of %s: bound %d, %+v, want %d, %+v", i, c.name, tightest, g, c.tightest, c.want)
	}
	g := l.take("b", 2, now)
	assert.True(t, g.OK && g.Remaining == 0, "b has %+v, want one of two left", g)
	g = l.take("owner", 4, now)
	assert.True(t, g.OK && g.Remaining == 0, "the owner has %+v, want one of four left", g)
}
