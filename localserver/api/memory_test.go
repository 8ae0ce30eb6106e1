package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

var saving = Route{Access: Optional, MaxBody: wire.MaxSaveBody, Idempotent: true}

type attempt struct {
	call *Call
	err  error
	done atomic.Bool
}

// admit sends a body of the given length. The attempt contains the result once all goroutines wait.
func admit(ctx context.Context, c *Checker, length int) *attempt {
	return admitRequest(ctx, c, strings.NewReader(strings.Repeat(" ", length)))
}

func admitRequest(ctx context.Context, c *Checker, body io.Reader, headers ...string) *attempt {
	a := &attempt{}
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", body)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	go func() {
		a.call, a.err = c.Admit(&saving, httptest.NewRecorder(), r)
		a.done.Store(true)
	}()
	synctest.Wait()
	return a
}

func (a *attempt) release() {
	a.call.Release()
	synctest.Wait()
}

func checkAllFree(t *testing.T, c *Checker) {
	t.Helper()
	for name, b := range map[string]*budget{
		"receiving": c.largeBodies.receiving, "working": c.largeBodies.working,
		"receiving small": c.smallBodies.receiving, "working small": c.smallBodies.working,
		"pages": c.pages, "documents": c.documents, "small answers": c.smallAnswers,
	} {
		assert.True(t, b.free == b.total && len(b.waiting) == 0,
			"%s: %d of %d are free, %d wait", name, b.free, b.total, len(b.waiting))
	}
}

// TestBodiesShareMemory: the budget limits the number of large bodies in work.
func TestBodiesShareMemory(t *testing.T) {
	for name, length := range map[string]int{"the largest": wire.MaxSaveBody, "a quarter": wire.MaxSaveBody / 4, "just large": smallBody + 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := NewChecker(Options{})
				room := maxBodyCost / (length * costOfByte)
				var inside []*attempt
				for range room {
					inside = append(inside, admit(t.Context(), c, length))
				}
				next := admit(t.Context(), c, length)
				for i, a := range inside {
					assert.Must(t, a.done.Load() && a.err == nil, "body %d of %d was not let in: %v", i, room, a.err)
				}
				assert.Must(t, !next.done.Load(), "one more than %d bodies of %d bytes is in work", room, length)
				inside[0].release()
				assert.Must(t, next.done.Load() && next.err == nil, "it waits although there is room: %v", next.err)
				for _, a := range append(inside[1:], next) {
					a.release()
				}
				checkAllFree(t, c)
			})
		})
	}
}

// TestSmallBodiesPassLargeOnes: a body of smallBody bytes does not wait for large ones.
func TestSmallBodiesPassLargeOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewChecker(Options{})
		large := admit(t.Context(), c, wire.MaxSaveBody)
		waiting := admit(t.Context(), c, smallBody+1)
		small := admit(t.Context(), c, smallBody)
		done := [3]bool{large.done.Load(), waiting.done.Load(), small.done.Load()}
		assert.Equal(t, done, [3]bool{true, false, true}, "large, waiting and small")
		for _, a := range []*attempt{large, waiting, small} {
			a.release()
		}
		checkAllFree(t, c)
	})
}

// TestWaitingForMemoryEnds: a wait ends after shareWait with a 503 and the time to retry, and at
// once if the caller disconnects or the server stops.
func TestWaitingForMemoryEnds(t *testing.T) {
	cases := map[string]struct {
		end        func(c *Checker, leave func())
		retryAfter time.Duration
	}{
		"too long": {func(*Checker, func()) { time.Sleep(time.Nanosecond) }, shareRetryAfter},
		"gone":     {func(_ *Checker, leave func()) { leave() }, 0},
		"stopped":  {func(c *Checker, _ func()) { c.Stop() }, 0},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := NewChecker(Options{})
				large := admit(t.Context(), c, wire.MaxSaveBody)
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				waiting := admit(ctx, c, smallBody+1)
				time.Sleep(shareWait - 1)
				synctest.Wait()
				assert.Must(t, !waiting.done.Load(), "it did not wait")
				want.end(c, leave)
				synctest.Wait()
				e, ok := errors.AsType[*Error](waiting.err)
				assert.Must(t, ok, "got %+v", waiting.err)
				assert.Equal(t, e.Status, http.StatusServiceUnavailable)
				assert.Equal(t, e.RetryAfter, want.retryAfter)
				large.release()
				checkAllFree(t, c)
			})
		})
	}
}

// TestAnswersShareMemory: the budget limits long answers at once, with a quarter for one caller.
func TestAnswersShareMemory(t *testing.T) {
	const page, document = 256 << 10, 4 << 20
	for name, c := range map[string]struct {
		bytes, room, each int64
		reserve           func(*Call, context.Context, int64) error
	}{
		"pages":     {page, maxAnswers / (page * costOfAnswerByte), maxAnswers / 4 / (page * costOfAnswerByte), (*Call).ReserveAnswer},
		"documents": {document, maxDocuments / (document * costOfDocumentByte), maxDocuments / 4 / (document * costOfDocumentByte), (*Call).ReserveDocument},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				checker := NewChecker(Options{})
				reserve := func(caller byte, bytes int64) *attempt {
					a := &attempt{call: &Call{checker: checker}}
					ctx := identity.WithRequestInfo(t.Context(), identity.RequestInfo{Address: netip.AddrFrom4([4]byte{192, 0, 2, caller})})
					go func() {
						a.err = c.reserve(a.call, ctx, bytes)
						a.done.Store(true)
					}()
					synctest.Wait()
					return a
				}
				var inside []*attempt
				for i := range c.room {
					inside = append(inside, reserve(byte(i), c.bytes))
				}
				next, late, short := reserve(100, c.bytes), reserve(101, c.bytes), reserve(102, smallAnswer)
				last := inside[len(inside)-1]
				done := [3]bool{last.done.Load(), next.done.Load(), short.done.Load()}
				assert.Equal(t, done, [3]bool{true, false, true}, "the last with room, the next and a short one")
				assert.NoError(t, last.err, "the last one with room")
				assert.NoError(t, short.err, "a short one")
				inside[0].release()
				assert.True(t, next.done.Load() && next.err == nil, "it waits although there is room: %v", next.err)
				time.Sleep(shareWait)
				synctest.Wait()
				e, ok := errors.AsType[*Error](late.err)
				assert.Must(t, ok, "got %v", late.err)
				assert.Equal(t, e.Status, http.StatusServiceUnavailable)
				assert.Equal(t, e.RetryAfter, shareRetryAfter)
				limits := map[string]string{"pages": "64", "documents": "256"}
				assert.Contains(t, e.Message, "answers ("+limits[name]+" MiB)")
				assert.NoError(t, c.reserve(next.call, t.Context(), smallAnswer), "an answer that is opened again")
				for _, a := range append(inside[1:], next, late, short) {
					a.release()
				}
				checkAllFree(t, checker)
				greedy := []*attempt{reserve(1, c.bytes)}
				for greedy[len(greedy)-1].done.Load() {
					greedy = append(greedy, reserve(1, c.bytes))
				}
				if other := reserve(2, c.bytes); int64(len(greedy)-1) != c.each || !other.done.Load() || other.err != nil {
					t.Errorf("one caller has %d, want %d; another one: %v", len(greedy)-1, c.each, other.err)
				} else {
					other.release()
				}
				for _, a := range greedy {
					a.release()
				}
				checkAllFree(t, checker)
			})
		})
	}
}

// TestBodiesOnTheirWay: while a body is received, only its size or the maximum is reserved.
func TestBodiesOnTheirWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewChecker(Options{})
		body, sender := io.Pipe()
		var slow []*attempt
		for range maxReceived / wire.MaxSaveBody {
			slow = append(slow, admitRequest(t.Context(), c, body))
		}
		late := admit(t.Context(), c, smallBody+1)
		assert.Equal(t, c.largeBodies.receiving.free, 0)
		assert.True(t, !late.done.Load(), "the next body is let in")
		assert.Equal(t, c.largeBodies.working.free, maxBodyCost, "a body that is not there takes memory for work")
		_ = sender.Close()
		synctest.Wait()
		for _, a := range append(slow, late) {
			a.release()
		}
		checkAllFree(t, c)
	})
}

// TestMemoryOfRefusedBodies: the memory of a refused body is returned at once.
func TestMemoryOfRefusedBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewChecker(Options{})
		for name, a := range map[string]*attempt{
			"type":    admitRequest(t.Context(), c, strings.NewReader("{}"), "Content-Type", "text/plain"),
			"UTF-8":   admitRequest(t.Context(), c, strings.NewReader("\xff")),
			"key":     admitRequest(t.Context(), c, strings.NewReader("{}"), wire.HeaderIdempotencyKey, strings.Repeat("k", wire.MaxIdempotencyKey+1)),
			"length":  admit(t.Context(), c, wire.MaxSaveBody+1),
			"chunked": admitRequest(t.Context(), c, io.MultiReader(strings.NewReader(strings.Repeat(" ", wire.MaxSaveBody+1)))),
		} {
			assert.True(t, a.err != nil, "%s: it was let in", name)
		}
		checkAllFree(t, c)
	})
}

// TestFinishParsing: a call that waits for a model holds only the size of its body.
func TestFinishParsing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewChecker(Options{})
		a := admit(t.Context(), c, 1000)
		assert.Equal(t, maxSmallBodyCost-c.smallBodies.working.free, 1000*costOfByte)
		a.call.FinishParsing()
		assert.Equal(t, maxSmallBodyCost-c.smallBodies.working.free, 1000)
		a.release()
		a.release()
		checkAllFree(t, c)
	})
}
