package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestRefusedTokens: a token that is refused early is renewed once, and any kind of call is repeated.
func TestRefusedTokens(t *testing.T) {
	calls := map[string]func(*client.Client) error{
		"a question": func(c *client.Client) error { _, err := c.Me(t.Context()); return err },
		"a turn": func(c *client.Client) error {
			_, err := c.SendMessage(t.Context(), "p1", "", wire.Message{})
			return err
		},
		"a stream": func(c *client.Client) error {
			_, err := c.StreamMessage(t.Context(), "p1", "", wire.Message{}, nil)
			return err
		},
		"any call": func(c *client.Client) error {
			_, err := c.Send(t.Context(), client.Request{Method: "POST", Path: "/x"})
			return err
		},
	}
	failed := errors.New("the provider is away")
	for _, x := range []struct {
		name  string
		takes string // the token that the service takes
		renew error
		calls int
		good  bool
	}{
		{"renewed", "second", nil, 2, true},
		{"refused again", "third", nil, 2, false},
		{"not renewed", "third", failed, 1, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			for what, call := range calls {
				t.Run(what, func(t *testing.T) {
					got, current, refused := 0, "first", []string{}
					s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
						if got++; r.Header.Get("Authorization") != "Bearer "+x.takes {
							w.WriteHeader(http.StatusUnauthorized)
							return
						}
						if strings.HasSuffix(r.URL.Path, "/stream") {
							w.Header().Set("Content-Type", "text/event-stream")
							_, _ = w.Write([]byte("event: done\ndata: {}\n\n"))
							return
						}
						_, _ = w.Write([]byte("{}"))
					})
					c, _ := newTestClient(t, s.URL, func(o *client.Options) {
						o.Token, o.TokenSource = "", func(context.Context) (string, error) { return current, nil }
						o.Renew = func(_ context.Context, token string) (bool, error) {
							refused, current = append(refused, token), "second"
							return x.renew == nil, x.renew
						}
					})
					err := call(c)
					if (err == nil) != x.good || got != x.calls || len(refused) != 1 || refused[0] != "first" || x.renew != nil && !errors.Is(err, x.renew) {
						t.Errorf("%s, %s: %d calls, renewed %q, %v", x.name, what, got, refused, err)
					}
				})
			}
		})
	}
}

// TestNothingToRenew: no token is renewed for a call with another token or another failure.
func TestNothingToRenew(t *testing.T) {
	status := http.StatusUnauthorized
	s := startServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	var renewed atomic.Int32
	c, _ := newTestClient(t, s.URL, func(o *client.Options) {
		o.Renew = func(context.Context, string) (bool, error) { renewed.Add(1); return true, nil }
	})
	own := []client.Header{{Name: "authorization", Value: "Bearer own", Secret: true}}
	for name, r := range map[string]client.Request{
		"no token": {Method: "GET", Path: "/x", NoToken: true}, "its own": {Method: "GET", Path: "/x", Headers: own},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Send(t.Context(), r)
			assert.True(t, err != nil && renewed.Load() == 0, "%s: renewed %d times, %v", name, renewed.Load(), err)
		})
	}
	status = http.StatusForbidden
	_, err := c.Me(t.Context())
	assert.True(t, err != nil && renewed.Load() == 0, "403: renewed %d times, %v", renewed.Load(), err)
}

// follower records its input and lets the service continue: a client that read the whole stream
// first would wait forever.
type follower struct {
	next chan struct{}
	text strings.Builder
}

func (f *follower) Write(p []byte) (int, error) {
	f.text.Write(p)
	f.next <- struct{}{}
	return len(p), nil
}

// TestFollow: a stream of events is forwarded as it comes; any other answer comes whole.
func TestFollow(t *testing.T) {
	f := &follower{next: make(chan struct{}, 10)}
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/plain" {
			_, _ = w.Write([]byte("{}"))
			return
		}
		if r.URL.Path == "/refused" {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"error":"no"}`))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{": a\n", "event: b\n", "data: c\n\n"} {
			_, _ = w.Write([]byte(piece))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-f.next:
			case <-r.Context().Done():
				return
			}
		}
		if r.URL.Path == "/cut" {
			panic(http.ErrAbortHandler)
		}
	})
	c, _ := newTestClient(t, s.URL)
	for path, want := range map[string]struct {
		text, body string
		good       bool
	}{
		"/stream": {": a\nevent: b\ndata: c\n\n", "", true}, "/cut": {": a\nevent: b\ndata: c\n\n", "", false},
		"/plain": {"", "{}", true}, "/refused": {"", `{"error":"no"}`, false},
	} {
		t.Run(path, func(t *testing.T) {
			f.text.Reset()
			heads := 0
			answer, err := c.Send(t.Context(), client.Request{Method: "GET", Path: path, Stream: func(head *client.Response) io.Writer {
				if heads++; head.Status != http.StatusOK || head.Proto != "HTTP/1.1" {
					t.Errorf("%s: %+v", path, head)
				}
				return f
			}})
			if answer == nil || f.text.String() != want.text || string(answer.Body) != want.body || (err == nil) != want.good || heads != min(len(want.text), 1) {
				t.Errorf("%s: %q %+v %v, %d heads", path, f.text.String(), answer, err, heads)
			}
		})
	}
}

// TestFollowOfNoService: a refused connection differs from a silent service.
func TestFollowOfNoService(t *testing.T) {
	s := startServer(t, func(http.ResponseWriter, *http.Request) {})
	c, _ := newTestClient(t, s.URL)
	s.Close()
	_, streamed := c.StreamMessage(t.Context(), "p1", "", wire.Message{}, nil)
	_, followed := c.Send(t.Context(), client.Request{Method: "GET", Path: "/x", Stream: func(*client.Response) io.Writer { return io.Discard }})
	for _, err := range []error{streamed, followed} {
		assert.True(t, !assert.ErrorAs[*client.UnreachableError](t, err).Broken, "%v", err)
	}
}
