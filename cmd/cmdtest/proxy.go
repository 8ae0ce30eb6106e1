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

// NewProxyTo returns a proxy with its own connections. It adds no headers, because the development
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

// WholeBodies reads request bodies first, because of https://github.com/golang/go/issues/40747.
type WholeBodies struct{ http.RoundTripper }

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

// StartProxy returns the address of a proxy. before and after see each request and response.
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
