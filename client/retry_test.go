package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// answer is one answer of a script: a status, a Retry-After and a body; status 0
// drops the connection in the middle of the body.
type answer struct {
	status     int
	retryAfter string
	body       string
}

// serveScript answers with the steps in turn, the last one again and again, and notes the Idempotency-Keys.
func serveScript(t *testing.T, steps ...answer) (url string, keys *[]string) {
	t.Helper()
	keys = new([]string)
	server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		step := steps[min(len(*keys), len(steps)-1)]
		*keys = append(*keys, r.Header.Get(wire.HeaderIdempotencyKey))
		if step.status == 0 {
			dropConnection(t, w)
			return
		}
		if step.retryAfter != "" {
			w.Header().Set("Retry-After", step.retryAfter)
		}
		w.Header().Set("X-Request-Id", fmt.Sprintf("req-%d", len(*keys)))
		w.WriteHeader(step.status)
		_, _ = io.WriteString(w, step.body)
	})
	return server.URL, keys
}

func dropConnection(t *testing.T, w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"message\":")
	_ = conn.Close()
}

func listCalls() map[string]func(context.Context, *client.Client) error {
	return map[string]func(context.Context, *client.Client) error{
		"read":    func(ctx context.Context, c *client.Client) error { _, err := c.Me(ctx); return err },
		"delete":  func(ctx context.Context, c *client.Client) error { return c.DeletePersona(ctx, "p") },
		"publish": func(ctx context.Context, c *client.Client) error { _, err := c.PublishPersona(ctx, "p"); return err },
		"reset": func(ctx context.Context, c *client.Client) error {
			_, err := c.ResetSession(ctx, "p", "s", "")
			return err
		},
		"message": func(ctx context.Context, c *client.Client) error {
			_, err := c.SendMessage(ctx, "p", "", wire.Message{})
			return err
		},
		"init": func(ctx context.Context, c *client.Client) error {
			_, err := c.InitSession(ctx, "p", "", wire.InitSession{})
			return err
		},
		"save": func(ctx context.Context, c *client.Client) error {
			_, _, err := c.SavePersona(ctx, "", struct{}{}, "")
			return err
		},
		"migrate": func(ctx context.Context, c *client.Client) error {
			_, err := c.MigrateProgress(ctx, wire.Migrate{})
			return err
		},
		"key": func(ctx context.Context, c *client.Client) error {
			_, err := c.CreateKey(ctx, wire.NewKey{})
			return err
		},
	}
}

func TestRetries(t *testing.T) {
	once := map[string]bool{"migrate": true, "key": true}
	for _, tt := range []struct {
		name   string
		fail   answer
		repeat int // attempts of repeatable calls
		once   int // attempts of the others
	}{
		{"rate limit", answer{429, "1", `{"error":"slow down"}`}, 4, 4},
		{"internal error", answer{500, "", `{"error":"internal error"}`}, 4, 1},
		{"model failed", answer{502, "", `{"error":"the model failed"}`}, 4, 1},
		{"overload", answer{503, "", ``}, 4, 1},
		{"model late", answer{504, "", `{"error":"late"}`}, 4, 1},
		{"proxy page", answer{502, "", `<html>bad gateway</html>`}, 4, 1},
		{"dropped in mid-body", answer{}, 4, 1},
		{"not implemented", answer{501, "", ``}, 1, 1},
		{"conflict", answer{409, "", ``}, 1, 1},
		{"not found", answer{404, "5", ``}, 1, 1},
		{"no sign-in", answer{401, "", ``}, 1, 1},
	} {
		for kind, call := range listCalls() {
			t.Run(tt.name+"/"+kind, func(t *testing.T) {
				url, keys := serveScript(t, tt.fail)
				c, _ := newTestClient(t, url)
				err := call(t.Context(), c)
				want := tt.repeat
				if once[kind] {
					want = tt.once
				}
				if err == nil || len(*keys) != want {
					t.Errorf("sent %d times with %v, want %d times and an error", len(*keys), err, want)
				}
				for _, key := range *keys {
					if key != (*keys)[0] {
						t.Errorf("the attempts of one call have the keys %q", *keys)
					}
				}
			})
		}
	}
}

func TestKeysDifferBetweenCalls(t *testing.T) {
	url, keys := serveScript(t, answer{200, "", "{}"})
	c, _ := newTestClient(t, url)
	for range 2 {
		for _, kind := range []string{"message", "init", "save"} {
			assert.NoError(t, listCalls()[kind](t.Context(), c))
		}
	}
	seen := map[string]bool{}
	for _, key := range *keys {
		seen[key] = true
	}
	if len(seen) != 6 || seen[""] {
		t.Errorf("six calls have the keys %q", *keys)
	}
}

// TestNeverConnected: any call that was never received is sent again, and the error explains what to do.
func TestNeverConnected(t *testing.T) {
	listener := assert.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	_ = listener.Close()
	for kind, call := range listCalls() {
		c, slept := newTestClient(t, "http://ann:hush@"+address+"/")
		err := call(t.Context(), c)
		lost := assert.ErrorAs[*client.UnreachableError](t, err, kind)
		if lost.Broken || lost.URL != "http://"+address || len(*slept) != 3 {
			t.Errorf("%s: %v after %v", kind, err, *slept)
			continue
		}
		text := fmt.Sprintf("%v %+v", err, err)
		if !strings.Contains(text, "connection refused") || !strings.Contains(text, "`parley localserver`") || strings.Contains(text, "hush") || strings.Contains(text, secret) {
			t.Errorf("%s: the message is %q", kind, text)
		}
	}
}

func TestWaits(t *testing.T) {
	now := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	const ms, s = time.Millisecond, time.Second
	for _, tt := range []struct {
		name   string
		status int
		after  string
		rand   float64
		want   []time.Duration // the waits; three when every attempt fails
	}{
		{"seconds", 429, "7", 0.5, []time.Duration{7 * s, 7 * s, 7 * s}},
		{"a date", 429, "Sun, 01 Jun 2025 12:00:30 GMT", 0.5, []time.Duration{30 * s, 30 * s, 30 * s}},
		{"the longest", 429, "120", 0.5, []time.Duration{120 * s}},
		{"the longest together", 429, "60", 0.5, []time.Duration{60 * s, 60 * s}},
		{"too long together", 429, "61", 0.5, []time.Duration{61 * s}},
		{"one too long", 429, "121", 0.5, nil},
		{"a date too far", 429, "Sun, 01 Jun 2025 12:02:01 GMT", 0.5, nil},
		{"for ever", 429, "2000000000", 0.5, nil},
		{"a date that is past", 429, "Sun, 01 Jun 2025 11:00:00 GMT", 0, []time.Duration{250 * ms, 500 * ms, s}},
		{"nonsense", 429, "soon", 0, []time.Duration{250 * ms, 500 * ms, s}},
		{"negative", 429, "-5", 0, []time.Duration{250 * ms, 500 * ms, s}},
		{"none, no jitter", 503, "", 0, []time.Duration{250 * ms, 500 * ms, s}},
		{"none, half jitter", 503, "", 0.5, []time.Duration{187500 * time.Microsecond, 375 * ms, 750 * ms}},
		{"an overload that names its end", 503, "3", 0.5, []time.Duration{3 * s, 3 * s, 3 * s}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, keys := serveScript(t, answer{tt.status, tt.after, `{"error":"wait"}`})
			var told []client.Retry
			c, slept := newTestClient(t, url, func(o *client.Options) {
				o.Now, o.Rand = func() time.Time { return now }, func() float64 { return tt.rand }
				o.OnRetry = func(r client.Retry) { told = append(told, r) }
			})
			_, err := c.Me(t.Context())
			refusal := assert.ErrorAs[*wire.Error](t, err)
			assert.Equal(t, refusal.Status, tt.status)
			assert.Equal(t, refusal.Message, "wait")
			assert.Equal(t, refusal.RequestID, fmt.Sprintf("req-%d", len(*keys)))
			assert.DeepEqual(t, *slept, tt.want)
			for i, r := range told {
				if r.Wait != (*slept)[i] || r.Attempt != i+1 || r.Attempts != 4 || r.Path != "/api/v1/auth/me" || r.Method != "GET" || r.Err == nil {
					t.Errorf("told of %+v before a wait of %v", r, (*slept)[i])
				}
			}
			if len(told) != len(tt.want) || len(*keys) != len(tt.want)+1 {
				t.Errorf("told %d times, sent %d times", len(told), len(*keys))
			}
		})
	}
}

// TestServiceWaitsAreTold: the callback hears of a wait once, before it begins, with the reason.
func TestServiceWaitsAreTold(t *testing.T) {
	const failed = `{"error":"the model failed","code":"model-failed","wait_reason":"rate-limit"}`
	for name, c := range map[string]struct {
		answer answer
		want   wire.WaitNotice
	}{
		"a provider's limit":  {answer{502, "60", failed}, wire.WaitNotice{Reason: wire.WaitRateLimit, Seconds: 60}},
		"the SDK's body":      {answer{502, "30", `{"error":{"message":"m","code":"model-failed","wait_reason":"busy"}}`}, wire.WaitNotice{Reason: wire.WaitBusy, Seconds: 30}},
		"the service's limit": {answer{429, "60", `{"error":"wait"}`}, wire.WaitNotice{Reason: wire.WaitServiceLimit, Seconds: 60}},
		"the service":         {answer{503, "3", `{"error":"wait","wait_reason":7}`}, wire.WaitNotice{Reason: wire.WaitService, Seconds: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := serveScript(t, c.answer, answer{200, "", `{}`})
			var told []wire.WaitNotice
			slept := 0
			cl, _ := newTestClient(t, url, func(o *client.Options) {
				o.OnRetry = func(r client.Retry) { t.Errorf("told twice: %+v", r) }
				o.Sleep = func(context.Context, time.Duration) error {
					if slept++; len(told) != slept {
						t.Errorf("told %d times before wait %d", len(told), slept)
					}
					return nil
				}
			})
			ctx := wire.WithWaitNotice(t.Context(), func(n wire.WaitNotice) { told = append(told, n) })
			assert.Value(cl.SendMessage(ctx, "p1", "", wire.Message{Message: "hi", UserSessionID: "s"}))(t)
			assert.True(t, len(told) == 1 && told[0] == c.want, "told %+v, want %+v", told, c.want)
		})
	}
}

// TestServiceSaysWhetherToRepeat: a failure that the service marks as final is returned at once, on a stream too.
func TestServiceSaysWhetherToRepeat(t *testing.T) {
	for says, want := range map[string]int32{"": 4, "true": 4, "false": 1} {
		t.Run(fmt.Sprintf("%q", says), func(t *testing.T) {
			var sent atomic.Int32
			server := startServer(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				sent.Add(1)
				w.Header().Set(wire.HeaderShouldRetry, says)
				w.WriteHeader(http.StatusBadGateway)
				_, _ = io.WriteString(w, `{"error":"the key is refused","code":"model-failed"}`)
			})
			c, _ := newTestClient(t, server.URL)
			for what, call := range map[string]func() error{
				"message": func() error { return listCalls()["message"](t.Context(), c) },
				"init":    func() error { return listCalls()["init"](t.Context(), c) },
				"stream": func() error {
					_, err := c.StreamMessage(t.Context(), "p", "", wire.Message{}, nil)
					return err
				},
			} {
				sent.Store(0)
				refusal := assert.ErrorAs[*wire.Error](t, call(), what)
				assert.Equal(t, refusal.Message, "the key is refused", what)
				assert.Equal(t, sent.Load(), want, what)
			}
		})
	}
}

func TestSucceedsAfterFailures(t *testing.T) {
	url, keys := serveScript(t, answer{429, "2", `{"error":"wait"}`}, answer{}, answer{503, "", ""}, answer{200, "", `{"message":"Well"}`})
	c, slept := newTestClient(t, url)
	reply, err := c.SendMessage(t.Context(), "p", "", wire.Message{Message: "hi"})
	if err != nil || reply.Message != "Well" || len(*keys) != 4 || (*slept)[0] != 2*time.Second {
		t.Errorf("%+v, %v after %d attempts and %v", reply, err, len(*keys), *slept)
	}
}

func TestReasons(t *testing.T) {
	url, _ := serveScript(t, answer{429, "1", ""}, answer{503, "", ""}, answer{})
	var reasons []string
	note := func(o *client.Options) { o.OnRetry = func(r client.Retry) { reasons = append(reasons, r.Reason) } }
	c, _ := newTestClient(t, url, note)
	_, _ = c.Me(t.Context())
	c, _ = newTestClient(t, "http://127.0.0.1:1", note)
	_, _ = c.Me(t.Context())
	page := startServer(t, answerWith(502, "text/html", "<p>"))
	c, _ = newTestClient(t, page.URL, note)
	_, _ = c.Me(t.Context())
	none, html := "nothing answers at http://127.0.0.1:1", page.URL+"/api/v1/auth/me answered 502 with a page of HTML"
	want := []string{"the rate limit is reached", "the service answered with status 503", "the connection broke off", none, none, none, html, html, html}
	assert.DeepEqual(t, reasons, want)
}

func TestAttempts(t *testing.T) {
	for given, want := range map[int]int{-1: 4, 0: 4, 1: 1, 3: 3, 4: 4, 5: 4} {
		t.Run(fmt.Sprint(given), func(t *testing.T) {
			url, keys := serveScript(t, answer{503, "", ""})
			c, _ := newTestClient(t, url, func(o *client.Options) { o.Attempts = given })
			if _, err := c.Me(t.Context()); err == nil || len(*keys) != want {
				t.Errorf("Attempts %d: sent %d times, want %d", given, len(*keys), want)
			}
		})
	}
}

func TestCancelEndsAWaitAtOnce(t *testing.T) {
	url, keys := serveScript(t, answer{429, "100", `{"error":"wait"}`})
	ctx, cancel := context.WithCancel(t.Context())
	c, _ := newTestClient(t, url, func(o *client.Options) {
		o.Sleep = nil // the real one
		o.OnRetry = func(client.Retry) { time.AfterFunc(20*time.Millisecond, cancel) }
	})
	began := time.Now()
	_, err := c.Me(ctx)
	if !errors.Is(err, context.Canceled) || len(*keys) != 1 || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v and %d attempts", err, time.Since(began), len(*keys))
	}
	assert.Equal(t, assert.ErrorAs[*wire.Error](t, err).RetryAfter, 100*time.Second)
}

// TestHang: an attempt has a time limit, is not repeated after it, and ends with the caller's context.
func TestHang(t *testing.T) {
	var sent atomic.Int32
	server := startServer(t, func(_ http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	c, slept := newTestClient(t, server.URL, func(o *client.Options) {
		o.Timeout, o.ModelTimeout = 40*time.Millisecond, 80*time.Millisecond
	})
	for kind, after := range map[string]time.Duration{"read": 40 * time.Millisecond, "message": 80 * time.Millisecond, "init": 80 * time.Millisecond} {
		t.Run(kind, func(t *testing.T) {
			late := assert.ErrorAs[*client.TimeoutError](t, listCalls()[kind](t.Context(), c))
			assert.Equal(t, late.After, after, kind)
			assert.True(t, strings.HasPrefix(late.URL, server.URL), "%s: %v", kind, late)
			assert.ErrorIs(t, late, context.DeadlineExceeded, kind)
		})
	}
	if sent.Load() != 3 || len(*slept) != 0 {
		t.Errorf("sent %d times, waited %v", sent.Load(), *slept)
	}
	patient, _ := newTestClient(t, server.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Millisecond)
	defer cancel()
	_, err := patient.Me(ctx)
	_, ours := errors.AsType[*client.TimeoutError](err)
	assert.True(t, !ours && errors.Is(err, context.DeadlineExceeded), "the caller's deadline gave %v", err)
}

// TestWithAttempts: a client with another number of attempts does not change the first one.
func TestWithAttempts(t *testing.T) {
	url, keys := serveScript(t, answer{status: 429, retryAfter: "1", body: `{"error":"limit"}`})
	patient := assert.Value(client.New(client.Options{BaseURL: url, Sleep: func(context.Context, time.Duration) error { return nil }}))(t)
	for _, c := range []struct {
		*client.Client
		calls int
	}{{patient.WithAttempts(1), 1}, {patient, client.MaxAttempts}} {
		t.Run(fmt.Sprint(c.calls, " calls"), func(t *testing.T) {
			before := len(*keys)
			_, err := c.Me(t.Context())
			assert.Equal(t, assert.ErrorAs[*wire.Error](t, err).RetryAfter, time.Second)
			assert.Equal(t, len(*keys)-before, c.calls)
		})
	}
}
