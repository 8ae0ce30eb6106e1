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
	// maxRefusal is the most that is read of a refusal.
	maxRefusal = 64 << 10
)

// newResty returns the client for all providers: it reuses connections, does not follow redirects,
// stores no cookies, and only contexts end a call, because resty's own timeout would also bound
// streams.
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

// proxyFor returns the proxy from the environment variables, which net/http reads. A request that
// may be unencrypted because it stays nearby does not use a proxy.
func proxyFor(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme == "http" && isNear(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// silentLogger keeps resty from writing to stderr.
type silentLogger struct{}

func (silentLogger) Errorf(string, ...any) {}
func (silentLogger) Warnf(string, ...any)  {}
func (silentLogger) Debugf(string, ...any) {}

// sendRequest sends a request and returns the body of the answer, which the caller must read and
// close. A status other than 200 is a *failure.
func (a *asker) sendRequest(ctx context.Context, method, path string, body []byte, accept string) (io.ReadCloser, error) {
	request := a.client.resty.R().SetContext(ctx).SetDoNotParseResponse(true).
		SetHeader("User-Agent", a.client.agent).SetHeader("Accept", accept).SetHeaders(a.format.authHeaders(a.key.Reveal()))
	if body != nil {
		request.SetHeader("Content-Type", "application/json").SetBody(body)
	}
	answer, err := request.Execute(method, a.base.String()+path)
	if err != nil {
		return nil, a.classifyError(ctx, err)
	}
	return a.checkAnswer(ctx, answer.RawResponse)
}

// callOnce sends a request that asks no model, and reads the whole answer.
func (a *asker) callOnce(ctx context.Context, method, path string, body []byte) ([]byte, *failure) {
	answer, err := a.sendRequest(ctx, method, path, body, "application/json")
	if err != nil {
		return nil, failureOf(err)
	}
	defer discardBody(answer)
	text, err := a.readWhole(ctx, answer)
	return text, failureOf(err)
}

// checkAnswer lets pass what is an answer of an API.
func (a *asker) checkAnswer(ctx context.Context, response *http.Response) (io.ReadCloser, error) {
	page := strings.HasPrefix(response.Header.Get("Content-Type"), "text/html")
	if response.StatusCode/100 == 2 && !page {
		return response.Body, nil
	}
	defer discardBody(response.Body)
	text, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, a.classifyError(ctx, err)
	case response.StatusCode/100 == 2:
		return nil, &failure{kind: Down, problem: "what answers at " + a.base.Host + " is a web page and no API", hint: pathHint}
	}
	return nil, readRefusal(response.StatusCode, response.Header, text, a.client.now())
}

// discardBody ends an answer that is not read on.
func discardBody(body io.ReadCloser) {
	// The connection is of no further use when this fails.
	_ = body.Close()
}

// readWhole reads an answer that is not streamed.
func (a *asker) readWhole(ctx context.Context, answer io.Reader) ([]byte, error) {
	limit := a.client.limits.Body
	text, err := io.ReadAll(io.LimitReader(answer, int64(limit)+1))
	switch {
	case err != nil:
		return nil, a.classifyError(ctx, err)
	case len(text) > limit:
		return nil, newTooMuch(limit)
	}
	return text, nil
}
