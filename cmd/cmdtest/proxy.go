package cmdtest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// NewProxyTo forwards requests to a service over its own connections: every httptest.Server that
// closes also closes those of http.DefaultTransport, which may break requests of another test. It
// adds no proxy headers, so that the development sign-in of a local server takes it for a program
// on its machine.
func NewProxyTo(service *url.URL) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport: WholeBodies{RoundTripper: &http.Transport{}},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(service)
			r.Out.Host = r.In.Host
		},
	}
}

// WholeBodies reads a request's body before it passes the request on. A proxy of net/http
// that begins to answer closes the body, and where the transport has not seen its end by
// then, it breaks the answer off (https://github.com/golang/go/issues/40747).
type WholeBodies struct{ http.RoundTripper }

// RoundTrip passes a request on with its body in memory.
func (t WholeBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return t.RoundTripper.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return t.RoundTripper.RoundTrip(r)
}

// StartProxy is a proxy in front of a service, which looks at what passes.
func StartProxy(t testing.TB, address string, before func(*http.Request), after func(*http.Response)) string {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := NewProxyTo(to)
	proxy.ModifyResponse = func(r *http.Response) error { after(r); return nil }
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before(r)
		r.Host = to.Host
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
