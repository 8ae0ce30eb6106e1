package cmdtest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// NewProxyTo passes requests on to a service over connections of its own: those of
// http.DefaultTransport are closed whenever any httptest.Server of another test is, and
// what was under way may break off with them.
func NewProxyTo(service *url.URL) *httputil.ReverseProxy {
	proxy := httputil.NewSingleHostReverseProxy(service)
	proxy.Transport = &http.Transport{}
	return proxy
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
