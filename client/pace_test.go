package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// limitedService is a service without a network that allows a number of calls in any minute and
// takes a moment for each. If silent, it does not report how many are left.
type limitedService struct {
	most    int
	silent  bool
	latency func(n int) time.Duration

	mu              sync.Mutex
	times           []time.Time
	calls, refusals int
}

func (l *limitedService) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	l.calls++
	n, now := l.calls, time.Now()
	for len(l.times) > 0 && now.Sub(l.times[0]) >= time.Minute {
		l.times = l.times[1:]
	}
	h, status, body := http.Header{"Content-Type": {"application/json"}}, http.StatusOK, "[]"
	if len(l.times) < l.most {
		l.times = append(l.times, now)
	} else {
		status, body = http.StatusTooManyRequests, `{"error": "the limit is reached"}`
		l.refusals++
	}
	wait := fmt.Sprint(int((l.times[0].Add(time.Minute).Sub(now) + time.Second - 1) / time.Second))
	if status != http.StatusOK {
		h.Set("Retry-After", wait)
	}
	if !l.silent {
		h.Set("RateLimit-Remaining", fmt.Sprint(l.most-len(l.times)))
		h.Set("RateLimit-Reset", wait)
	}
	l.mu.Unlock()
	time.Sleep(l.latency(n))
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(bytes.NewBufferString(body)), Request: r}, nil
}

func callMany(t *testing.T, l *limitedService, p *client.Pace, calls, workers int) (failed []error) {
	t.Helper()
	c := assert.Value(client.New(client.Options{BaseURL: "http://127.0.0.1:1", HTTPClient: &http.Client{Transport: l}}))(t)
	c = c.WithPace(p)
	var mu sync.Mutex
	var group sync.WaitGroup
	next := make(chan struct{}, calls)
	for range calls {
		next <- struct{}{}
	}
	close(next)
	for range workers {
		group.Go(func() {
			for range next {
				if _, err := c.Personas(context.Background(), client.PersonaList{}); err != nil {
					mu.Lock()
					failed = append(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return failed
}

// TestPaceKeepsTheLimit: all calls succeed, few are refused, and none waits longer than needed.
func TestPaceKeepsTheLimit(t *testing.T) {
	for _, workers := range []int{1, 4, 16} {
		synctest.Test(t, func(t *testing.T) {
			l := &limitedService{most: 120, latency: func(n int) time.Duration { return time.Duration(n*7%13) * 5 * time.Millisecond }}
			pauses := 0
			p := client.NewPace(nil, func(time.Duration) { pauses++ })
			began := time.Now()
			assert.Empty(t, callMany(t, l, p, 300, workers))
			// 300 calls at 120 a minute: the last 60 go in the third minute.
			took := time.Since(began)
			assert.True(t, l.refusals <= 2*(workers-1), "%d workers: %d calls, %d refused, %s", workers, l.calls, l.refusals, took)
			assert.True(t, took >= 2*time.Minute && took <= 2*time.Minute+30*time.Second, "%d workers: %d calls, %d refused, %s", workers, l.calls, l.refusals, took)
			assert.Equal(t, pauses, 2, "%d workers", workers)
		})
	}
}

// TestPaceWithoutHeaders: a service that only refuses makes all workers wait once, not each for itself.
func TestPaceWithoutHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limitedService{most: 20, silent: true, latency: func(int) time.Duration { return 10 * time.Millisecond }}
		var pauses []time.Duration
		p := client.NewPace(nil, func(wait time.Duration) { pauses = append(pauses, wait) })
		assert.Empty(t, callMany(t, l, p, 30, 4))
		assert.True(t, l.refusals <= 4, "%d refused, pauses %v", l.refusals, pauses)
		assert.Must(t, len(pauses) == 1, "%d refused, pauses %v", l.refusals, pauses)
		assert.True(t, pauses[0] <= time.Minute, "%d refused, pauses %v", l.refusals, pauses)
	})
}

func TestPaceStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limitedService{most: 1, latency: func(int) time.Duration { return time.Second }}
		stop := make(chan struct{})
		p := client.NewPace(stop, nil)
		time.AfterFunc(100*time.Millisecond, func() { close(stop) })
		began := time.Now()
		failed := callMany(t, l, p, 3, 3)
		isStopped := len(failed) == 2 && errors.Is(failed[0], client.ErrStopped) && errors.Is(failed[1], context.Canceled)
		if !isStopped || l.calls != 3 || time.Since(began) > 2*time.Second {
			t.Errorf("%d calls, %s, %v", l.calls, time.Since(began), failed)
		}
	})
}

func TestPaceDoesNotWaitForHours(t *testing.T) {
	url, _ := serveScript(t, answer{status: http.StatusTooManyRequests, retryAfter: "86400", body: `{"error": "tomorrow"}`})
	c, err := client.New(client.Options{BaseURL: url})
	assert.NoError(t, err)
	_, err = c.WithPace(client.NewPace(nil, nil)).Personas(t.Context(), client.PersonaList{})
	assert.Equal(t, assert.ErrorAs[*wire.Error](t, err).Status, http.StatusTooManyRequests)
}

// pacedCalls are a call and both kinds of streams.
func pacedCalls(c *client.Client) map[string]func() error {
	ctx := context.Background()
	return map[string]func() error{
		"call":   func() error { _, err := c.SendMessage(ctx, "p", "", wire.Message{}); return err },
		"stream": func() error { _, err := c.StreamMessage(ctx, "p", "", wire.Message{}, nil); return err },
		"forwarded stream": func() error {
			_, err := c.Send(ctx, client.Request{Method: "GET", Path: "/stream", Stream: func(*client.Response) io.Writer { return io.Discard }})
			return err
		},
	}
}

// timedService answers with a status and headers. It records the time of each request.
func timedService(t *testing.T, status int, header http.Header) (*client.Client, *[]time.Duration) {
	began, times := time.Now(), new([]time.Duration)
	answer := roundTrip(func(r *http.Request) (*http.Response, error) {
		*times = append(*times, time.Since(began))
		h, body := header.Clone(), "{}"
		if strings.HasSuffix(r.URL.Path, "/stream") && status == http.StatusOK {
			h.Set("Content-Type", "text/event-stream")
			body = "event: done\ndata: {}\n\n"
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	})
	c, _ := newTestClient(t, "http://127.0.0.1:1", func(o *client.Options) {
		o.HTTPClient, o.Sleep = &http.Client{Transport: answer}, nil
	})
	return c, times
}

// TestPaceWaits: after each failure, the longest of backoff, Retry-After and pause passes before the
// next attempt, and at most two minutes in all.
func TestPaceWaits(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	for _, tt := range []struct {
		status int
		after  string
		want   []time.Duration
	}{
		{429, "", []time.Duration{0, 250 * ms, 750 * ms, 1750 * ms}},
		{429, "5", []time.Duration{0, 5 * s, 10 * s, 15 * s}},
		{429, "50", []time.Duration{0, 50 * s, 100 * s}},
		{503, "5", []time.Duration{0, 5 * s, 10 * s, 15 * s}},
	} {
		for kind := range pacedCalls(nil) {
			t.Run(fmt.Sprintf("%d after %q, %s", tt.status, tt.after, kind), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c, times := timedService(t, tt.status, http.Header{"Retry-After": {tt.after}})
					err := pacedCalls(c.WithPace(client.NewPace(nil, nil)))[kind]()
					assert.Equal(t, wire.ErrorStatus(err), tt.status)
					assert.DeepEqual(t, *times, tt.want)
				})
			})
		}
	}
}

// TestPaceOfStreams: a stream waits for the reset that the answer before it reports.
func TestPaceOfStreams(t *testing.T) {
	for kind := range pacedCalls(nil) {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, times := timedService(t, http.StatusOK, http.Header{"Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"7"}})
				call := pacedCalls(c.WithPace(client.NewPace(nil, nil)))[kind]
				assert.NoError(t, call())
				assert.NoError(t, call())
				assert.DeepEqual(t, *times, []time.Duration{0, 7 * time.Second})
			})
		})
	}
}

// TestPaceStopsAWait: a stop ends the wait after a failure that is not a rate limit.
func TestPaceStopsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, times := timedService(t, http.StatusServiceUnavailable, http.Header{"Retry-After": {"60"}})
		stop, began := make(chan struct{}), time.Now()
		time.AfterFunc(time.Second, func() { close(stop) })
		_, err := c.WithPace(client.NewPace(stop, nil)).Me(context.Background())
		assert.ErrorIs(t, err, client.ErrStopped)
		assert.Equal(t, time.Since(began), time.Second)
		assert.Equal(t, len(*times), 1)
	})
}
