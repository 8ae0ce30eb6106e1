package client

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// A certificate that is not trusted, and a service without TLS, are named as such, at once.
func TestUnreachableNamesTLS(t *testing.T) {
	calls := 0
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls++ }))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for address, want := range map[string]string{
		secure.URL: "the certificate of " + secure.URL + " is not trusted: ",
		strings.Replace(plain.URL, "http:", "https:", 1): "answers without TLS; use http:// in the address",
	} {
		tries := 0
		c, err := New(Options{BaseURL: address, OnRetry: func(Retry) { tries++ }})
		assert.NoError(t, err)
		_, err = c.Personas(t.Context(), PersonaList{})
		assert.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "parley localserver")
		assert.True(t, !assert.ErrorAs[*UnreachableError](t, err).IsNobody(), "%#v counts as nobody", err)
		assert.True(t, tries == 0 && calls == 0, "%d retries, %d calls", tries, calls)
	}
}

// TestUnreachableNamesProxy runs in a separate process, because net/http reads the proxy variables once.
func TestUnreachableNamesProxy(t *testing.T) {
	if os.Getenv("PARLEY_TEST_PROXY") == "" {
		nowhere := assert.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
		proxy := nowhere.Addr().String()
		_ = nowhere.Close() // Nothing answers there now.
		again := exec.Command(os.Args[0], "-test.run=^TestUnreachableNamesProxy$")
		again.Env = append(os.Environ(), "PARLEY_TEST_PROXY="+proxy, "HTTP_PROXY=http://ann:hush@"+proxy, "HTTPS_PROXY=http://ann:hush@"+proxy, "NO_PROXY=")
		out, err := again.CombinedOutput()
		assert.NoError(t, err, "%v\n%s", err, out)
		return
	}
	for _, address := range []string{"http://npc.example.com", "https://npc.example.com"} {
		c, err := New(Options{BaseURL: address, Attempts: 1})
		assert.NoError(t, err)
		_, err = c.Personas(t.Context(), PersonaList{})
		want := address + " cannot be reached through the proxy http://" + os.Getenv("PARLEY_TEST_PROXY") + ": "
		assert.ErrorContains(t, err, want, address)
		assert.ErrorContains(t, err, "HTTPS_PROXY", address)
		assert.NotContains(t, err.Error(), "hush", address)
	}
}

// TestFirstBadHeader: of two invalid headers, the error names the same one each time.
func TestFirstBadHeader(t *testing.T) {
	c := assert.Value(New(Options{BaseURL: "http://127.0.0.1:1"}))(t)
	for range 50 {
		_, err := c.buildURL(call{path: "/x", key: "a\n", ifMatch: "b\n"})
		assert.ErrorContains(t, err, "the header Idempotency-Key cannot")
	}
}

func TestSleep(t *testing.T) {
	reason := errors.New("somebody rang")
	for _, tt := range []struct {
		name        string
		wait, ended time.Duration // ended is when the context ends, 0 is never
		err         error
		after       time.Duration
	}{
		{"the whole wait", time.Minute, 0, nil, time.Minute},
		{"no wait", 0, 0, nil, 0},
		{"less than no wait", -time.Second, 0, nil, 0},
		{"the context ends first", time.Minute, time.Second, reason, time.Second},
		{"the context ends one nanosecond later", time.Minute, time.Minute + 1, nil, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tt.ended > 0 {
					time.AfterFunc(tt.ended, func() { cancel(reason) })
				}
				begin := time.Now()
				assert.ErrorIs(t, sleep(ctx, tt.wait), tt.err)
				assert.Equal(t, time.Since(begin), tt.after, "after")
			})
		})
	}
}
