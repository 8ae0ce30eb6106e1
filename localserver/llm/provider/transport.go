package provider

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"
)

const (
	connectTimeout = 10 * time.Second
	maxHeaders     = 64 << 10
	maxRefusal     = 64 << 10
)

// newResty returns the HTTP client for all providers. It has no timeout, because a timeout of resty
// would also apply to streams. The context of each call limits the call.
func newResty() *resty.Client {
	transport := &http.Transport{
		Proxy:                  proxyFor,
		DialContext:            (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    connectTimeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           128,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeaders,
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return resty.NewWithClient(&http.Client{Transport: transport, CheckRedirect: stay}).SetLogger(silentLogger{}).SetDisableWarn(true)
}

// proxyFor returns the proxy from the environment. It returns nil for an unencrypted request to
// this machine or to a private network.
func proxyFor(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme == "http" && isNear(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

type silentLogger struct{}

func (silentLogger) Errorf(string, ...any) {}
func (silentLogger) Warnf(string, ...any)  {}
func (silentLogger) Debugf(string, ...any) {}

// sendRequest returns the response body, which the caller must read and close. For a status other
// than 200 it returns a *failure.
func (a *asker) sendRequest(ctx context.Context, method, path string, body []byte, accept string) (io.ReadCloser, error) {
	request := a.client.resty.R().SetContext(ctx).SetDoNotParseResponse(true).
		SetHeader("User-Agent", "parley/"+a.client.options.Version).SetHeader("Accept", accept).SetHeaders(a.format.authHeaders(a.key.Reveal()))
	if body != nil {
		request.SetHeader("Content-Type", "application/json").SetBody(body)
	}
	answer, err := request.Execute(method, a.base.String()+path)
	if err != nil {
		return nil, a.classifyError(ctx, err)
	}
	return a.checkAnswer(ctx, answer.RawResponse)
}

func (a *asker) callOnce(ctx context.Context, method, path string, body []byte) ([]byte, *failure) {
	answer, err := a.sendRequest(ctx, method, path, body, "application/json")
	if err != nil {
		return nil, failureOf(err)
	}
	defer func() { _ = answer.Close() }()
	text, err := a.readWhole(ctx, answer)
	return text, failureOf(err)
}

func (a *asker) checkAnswer(ctx context.Context, response *http.Response) (io.ReadCloser, error) {
	page := strings.HasPrefix(response.Header.Get("Content-Type"), "text/html")
	if response.StatusCode/100 == 2 && !page {
		return http.MaxBytesReader(nil, response.Body, int64(a.client.options.Limits.Body)), nil
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, a.classifyError(ctx, err)
	case response.StatusCode/100 == 2:
		return nil, &failure{kind: Down, problem: "the server at " + a.base.Host + " returned a web page, so it is not an API", hint: pathHint}
	}
	return nil, readRefusal(response.StatusCode, response.Header, text, a.client.options.Now())
}

func (a *asker) readWhole(ctx context.Context, answer io.Reader) ([]byte, error) {
	text, err := io.ReadAll(answer)
	if err != nil {
		return nil, a.classifyError(ctx, err)
	}
	return text, nil
}
