package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"pgregory.net/rapid"
)

const testWindow = time.Minute

// openLimits are three servers' counts on one database.
func openLimits(t testing.TB, window time.Duration, clock func() time.Time) []*Limits {
	t.Helper()
	address := newAddress(t)
	var nodes []*Limits
	for range 3 {
		nodes = append(nodes, SharedLimits(openNamed(t, Options{Path: address}), window, clock))
	}
	return nodes
}

// TestFileHasNoSharedLimits: a server with a file is alone, and counts in memory.
func TestFileHasNoSharedLimits(t *testing.T) {
	assert.True(t, SharedLimits(openAt(t, Options{Path: Memory}), testWindow, nil) == nil, "a file is counted in")
}

// TestNeverMoreOverNodes compares random requests to three servers with a brute-force count.
func TestNeverMoreOverNodes(t *testing.T) {
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	nodes := openLimits(t, testWindow, func() time.Time { mu.Lock(); defer mu.Unlock(); return now })
	caller := 0
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 12).Draw(t, "limit")
		caller++
		var passed []time.Time
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			step := rapid.OneOf(rapid.Int64Range(0, int64(time.Second)), rapid.Int64Range(0, int64(40*time.Second))).Draw(t, "step")
			now = now.Add(time.Duration(step).Truncate(time.Microsecond))
			node := nodes[rapid.IntRange(0, 2).Draw(t, "node")]
			c := assert.Value(node.CountRequest(t.Context(), fmt.Sprint("caller ", caller), most))(t)
			standing := slices.DeleteFunc(slices.Clone(passed), func(at time.Time) bool { return now.Sub(at) >= testWindow })
			assert.Must(t, c.Passed == (len(standing) < most), "%+v with %d of %d in the window", c, len(standing), most)
			if c.Passed {
				passed, standing = append(passed, now), append(standing, now)
			}
			assert.Must(t, c.Standing == len(standing) && c.Oldest == now.Sub(standing[0]) && c.At.Equal(now),
				"%+v with %d in the window, the oldest %s ago", c, len(standing), now.Sub(standing[0]))
			want := now.Sub(standing[max(len(standing)-most, 0)])
			assert.Must(t, c.Passed || c.Next == want, "%+v, want one of %s ago", c, want)
		}
	})
}

// TestNeverMoreAtOnce: with many callers at three servers, no window contains more than the limit.
func TestNeverMoreAtOnce(t *testing.T) {
	const window, most, callers = 300 * time.Millisecond, 7, 3
	nodes := openLimits(t, window, nil)
	var mu sync.Mutex
	passed, refused := make([][]time.Time, callers), make([][]time.Time, callers)
	var group sync.WaitGroup
	for worker := range 12 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for until := time.Now().Add(3 * time.Second); time.Now().Before(until); {
				caller := random.IntN(callers)
				c, err := nodes[random.IntN(len(nodes))].CountRequest(t.Context(), fmt.Sprint(caller), most)
				if err != nil {
					t.Error(err)
					return
				}
				into := refused
				if c.Passed {
					into = passed
				}
				mu.Lock()
				into[caller] = append(into[caller], c.At)
				mu.Unlock()
				time.Sleep(time.Duration(random.IntN(10)) * time.Millisecond)
			}
		})
	}
	group.Wait()
	for caller, times := range passed {
		slices.SortFunc(times, time.Time.Compare)
		checkWindows(t, times, window, most)
		for _, at := range refused[caller] {
			n := standingAt(times, at, window)
			assert.True(t, n >= most, "refused at %s with %d in the window", at, n)
		}
		assert.True(t, len(times) > 3*most && len(refused[caller]) != 0,
			"%d passed and %d were refused: too few to show anything", len(times), len(refused[caller]))
	}
}

// checkWindows finds out whether any window has more than the limit.
func checkWindows(t *testing.T, times []time.Time, window time.Duration, most int) {
	t.Helper()
	for i := most; i < len(times); i++ {
		between := times[i].Sub(times[i-most])
		assert.True(t, between >= window, "%d requests in %s", most+1, between)
	}
}

// standingAt counts the requests in the window that ends then.
func standingAt(times []time.Time, at time.Time, window time.Duration) (n int) {
	for _, passed := range times {
		if ago := at.Sub(passed); ago >= 0 && ago < window {
			n++
		}
	}
	return n
}

// TestClockSetBack: a clock that goes back neither raises the limit nor blocks for long.
func TestClockSetBack(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	node := openLimits(t, testWindow, func() time.Time { return now })[0]
	count := func() RequestCount { return assert.Value(node.CountRequest(t.Context(), "ann", 2))(t) }
	count()
	now = now.Add(10 * time.Second)
	count()
	now = now.Add(-time.Hour)
	c := count()
	assert.True(t, !c.Passed && c.Next == 10*time.Second, "right after: %+v", c)
	now = now.Add(49 * time.Second)
	c = count()
	assert.True(t, !c.Passed, "too early: %+v", c)
	now = now.Add(time.Second)
	c = count()
	assert.True(t, c.Passed, "a minute later: %+v", c)
}

// TestUncountRequest: uncounting a request makes space for another one.
func TestUncountRequest(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	nodes := openLimits(t, testWindow, func() time.Time { return now })
	count := func(want bool) RequestCount {
		t.Helper()
		c, err := nodes[0].CountRequest(t.Context(), "ann", 2)
		assert.Must(t, err == nil && c.Passed == want, "%+v, %v, want %v", c, err, want)
		return c
	}
	count(true)
	now = now.Add(10 * time.Second)
	taken := count(true)
	count(false)
	nodes[1].UncountRequest(t.Context(), "ann", taken)
	nodes[1].UncountRequest(t.Context(), "ann", taken) // It is not there any more.
	nodes[1].UncountRequest(t.Context(), "nobody", taken)
	c := count(true)
	assert.True(t, c.Standing == 2 && c.Oldest == 10*time.Second, "%+v", c)
	count(false)
}

// TestOneCallerTwoLimits: a smaller limit waits for more than the oldest request.
func TestOneCallerTwoLimits(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	nodes := openLimits(t, testWindow, func() time.Time { return now })
	for i := range 5 {
		assert.Value(nodes[i%3].CountRequest(t.Context(), "ann", 5))(t)
		now = now.Add(time.Second)
	}
	now = now.Add(5 * time.Second)
	c, err := nodes[0].CountRequest(t.Context(), "ann", 2)
	assert.True(t, err == nil && !c.Passed && c.Next == 7*time.Second, "%+v, %v: four of five must be a minute ago", c, err)
}

// TestCallersAreSwept: callers without requests in the window are deleted.
func TestCallersAreSwept(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	address := newAddress(t)
	s := openNamed(t, Options{Path: address, Now: func() time.Time { return now }})
	node := SharedLimits(s, testWindow, func() time.Time { return now })
	for i := range 100 {
		assert.Value(node.CountRequest(t.Context(), fmt.Sprint(i), 1))(t)
	}
	n := countRows(t, s, "callers")
	assert.Must(t, n == 100, "%d callers", n)
	now = now.Add(testWindow)
	assert.Value(node.CountRequest(t.Context(), "late", 1))(t)
	assert.Equal(t, countRows(t, s, "callers"), 1, "callers after a window")
	assert.Value(rawPool(t, s).ExecContext(t.Context(), `INSERT INTO callers SELECT 'crowd ' || i, ARRAY[i, 1, i] FROM generate_series(1, 2 * $1) AS i`, maxCallers))(t)
	now = time.UnixMicro(2 * maxCallers) // all of them within the window
	node.forgetIdle(t.Context())
	assert.Equal(t, countRows(t, s, "callers"), maxCallers, "callers past the bound")
}

// fillNodes inserts a row into each of the tables that servers share.
func fillNodes(t *testing.T, s *Store) {
	t.Helper()
	limits, calls, records := SharedLimits(s, testWindow, nil), SharedCalls(s), SharedRecords(s)
	if limits == nil || calls == nil || records == nil {
		return
	}
	assert.Value(limits.CountRequest(t.Context(), "ann", 1))(t)
	assert.Value(calls.ClaimCall(t.Context(), &IdempotentCall{Scope: "s", Key: "k", BodyHash: "h"}, "holder", time.Minute))(t)
	assert.NoError(t, records.Write(t.Context(), func(q *RecordSet) error { return q.Keep("kind", "id", "{}", time.Now().Add(time.Hour)) }))
}

// TestKeysAreBounded: the keys of an account, and its revoked keys, are bounded.
func TestKeysAreBounded(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		s := withUsers(t, open(t, Options{Now: func() time.Time { now = now.Add(time.Second); return now }}))
		create := func(i int) error {
			return s.CreateKey(t.Context(), Key{ID: fmt.Sprintf("%04d", i), OwnerID: alice.ID, Hash: fmt.Sprint("h", i), CreatedAt: now})
		}
		for i := range MaxKeys {
			assert.NoError(t, create(i))
		}
		checkRefuses(t, "one key too many", create(MaxKeys), ErrManyKeys)
		const loops = 2*maxRevokedKeys + 5
		for i := range loops {
			assert.NoError(t, s.RevokeKey(t.Context(), fmt.Sprintf("%04d", i), alice.ID))
			assert.NoError(t, create(MaxKeys+i))
		}
		checkRefuses(t, "one key too many after revoking", create(MaxKeys+loops), ErrManyKeys)
		assert.Equal(t, countRows(t, s, "api_keys"), MaxKeys+maxRevokedKeys, "rows of keys")
		keys, err := s.ListKeys(t.Context(), alice.ID)
		assert.NoError(t, err)
		assert.Must(t, len(keys) == MaxKeys, "%d keys, %v", len(keys), err)
		assert.True(t, !slices.ContainsFunc(keys, func(k Key) bool { return k.ID < fmt.Sprintf("%04d", loops) }),
			"%d keys, %v", len(keys), err)
		assert.NoError(t, s.CreateKey(t.Context(), Key{ID: "bob's", OwnerID: bob.ID, Hash: "bob's"}))
	})
}
