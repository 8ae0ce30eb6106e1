package client_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/assert"
)

// TestSend: a caller's headers replace the client's, no error contains secrets, and a key allows repetition.
func TestSend(t *testing.T) {
	var got []http.Header
	s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Clone())
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte(`{"error":"you sent hush and ` + r.Header.Get("Authorization") + `"}`))
	})
	c, _ := newTestClient(t, s.URL)
	for _, x := range []struct {
		name  string
		r     client.Request
		calls int
		check func(h http.Header) bool
	}{
		{"as every call", client.Request{Method: "POST", Path: "/x", Body: []byte("{}")}, 1, func(h http.Header) bool {
			return h.Get("Authorization") == "Bearer "+secret && h.Get("Content-Type") == "application/json"
		}},
		{"its own headers", client.Request{Method: "POST", Path: "/x", Body: []byte("a"), Headers: []client.Header{
			{Name: "Content-Type", Value: "text/plain"}, {Name: "X-Key", Value: "hush", Secret: true},
		}}, 1, func(h http.Header) bool { return h.Get("Content-Type") == "text/plain" && h.Get("X-Key") == "hush" }},
		{"another sign-in", client.Request{Method: "POST", Path: "/x", NoToken: true}, 1, func(h http.Header) bool { return h.Get("Authorization") == "" }},
		{"a key", client.Request{Method: "POST", Path: "/x", Key: "k1"}, client.MaxAttempts, func(h http.Header) bool { return h.Get("Idempotency-Key") == "k1" }},
		{"a key of its own", client.Request{Method: "POST", Path: "/x", Key: "k1", Headers: []client.Header{{Name: "idempotency-key", Value: "k2"}}},
			client.MaxAttempts, func(h http.Header) bool { return strings.Join(h.Values("Idempotency-Key"), ",") == "k2" }},
		{"a question", client.Request{Method: "GET", Path: "/x"}, client.MaxAttempts, func(http.Header) bool { return true }},
	} {
		t.Run(x.name, func(t *testing.T) {
			got = nil
			answer, err := c.Send(context.Background(), x.r)
			if err == nil || answer == nil || answer.Status != http.StatusBadGateway || answer.Proto != "HTTP/1.1" {
				t.Errorf("%s: %+v, %v", x.name, answer, err)
				return
			}
			assert.True(t, len(got) == x.calls && x.check(got[0]), "%s: %d calls, %v", x.name, len(got), got)
			if strings.Contains(err.Error(), secret) || x.name == "its own headers" && strings.Contains(err.Error(), "hush") {
				t.Errorf("%s: a secret in %v", x.name, err)
			}
		})
	}
	for name, r := range map[string]client.Request{
		"no slash":   {Method: "GET", Path: "x"},
		"query":      {Method: "GET", Path: "/x?%zz"},
		"line break": {Method: "GET", Path: "/x", Headers: []client.Header{{Name: "A", Value: "hush\r\nB: c"}}},
		"no name":    {Method: "GET", Path: "/x", Headers: []client.Header{{Value: "hush"}}},
		"odd name":   {Method: "GET", Path: "/x", Headers: []client.Header{{Name: "A B", Value: "hush"}}},
		"break key":  {Method: "POST", Path: "/x", Key: "a\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			got = nil
			_, err := c.Send(context.Background(), r)
			assert.True(t, err != nil && len(got) == 0 && !strings.Contains(err.Error(), "hush"), "%s: %v, %d calls", name, err, len(got))
		})
	}
}
