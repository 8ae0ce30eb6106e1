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

// NewProxyTo returns a proxy that forwards requests to a service over its own connections. Every
// httptest.Server that closes also closes the connections of http.DefaultTransport, which may break
// requests of another test. The proxy adds no headers, so that a local server's development sign-in
// treats it as a program on the same machine.
func NewProxyTo(service *url.URL) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport: WholeBodies{RoundTripper: &http.Transport{}},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(service)
			r.Out.Host = r.In.Host
		},
	}
}

// WholeBodies reads a request's body before it passes the request on. A proxy of net/http closes
// the body when the response starts. If the transport has not read the body completely, the proxy
// then aborts the response (https://github.com/golang/go/issues/40747).
type WholeBodies struct{ http.RoundTripper }

// RoundTrip passes on a request with its body in memory.
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

// StartProxy starts a proxy for a service and returns its address. It calls before with each
// request and after with each response.
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
