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

// NewProxyTo returns a proxy to a service with its own connections. A closing httptest.Server
// breaks connections of http.DefaultTransport. The proxy adds no headers, because the development
// sign-in rejects forwarded requests.
func NewProxyTo(service *url.URL) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport: WholeBodies{RoundTripper: &http.Transport{}},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(service)
			r.Out.Host = r.In.Host
		},
	}
}

// WholeBodies reads a request body before the round trip. Otherwise httputil.ReverseProxy aborts an
// early response (https://github.com/golang/go/issues/40747).
type WholeBodies struct{ http.RoundTripper }

// RoundTrip sends a request with its body in memory.
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

// StartProxy starts a proxy and returns its address. It calls before with each request and after
// with each response.
func StartProxy(t testing.TB, address string, before func(*http.Request), after func(*http.Response)) string {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := NewProxyTo(target)
	proxy.ModifyResponse = func(r *http.Response) error { after(r); return nil }
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before(r)
		r.Host = target.Host
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
