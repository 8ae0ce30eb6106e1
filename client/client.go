// Package client calls the persona chat service over HTTP, for the command line and other Go
// programs. Each endpoint has a method that uses the types of personas/wire. Retries never make the
// same turn twice. The package prints nothing. It reads no settings, and from the environment only
// the proxy variables. It sends a token only to the host in Options.BaseURL.
package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/parley-npc/parley/personas/wire"
)

// Limits of one call. Options can change the timeouts.
const (
	// DefaultTimeout is the time limit of one attempt of a call.
	DefaultTimeout = 60 * time.Second
	// DefaultModelTimeout is the time limit of one attempt of a call that waits for a model, such
	// as init-session and message.
	DefaultModelTimeout = 120 * time.Second
	// MaxAnswer is the maximum size of an answer, in bytes. A larger answer is an error.
	MaxAnswer = 32 << 20

	maxRedirects   = 5
	connectTimeout = 10 * time.Second
)

// Options contain the service's address, the caller's token, timeouts and retries of a Client. Only
// BaseURL is required.
type Options struct {
	// BaseURL is the service's address without /api/v1. It has http or https, a host and optionally
	// a path prefix, but no query. Without a token, a user and password in BaseURL are sent as
	// basic authentication. They never appear in messages.
	BaseURL string
	// Token is the bearer token. If it is empty, calls are anonymous.
	Token string
	// TokenSource replaces Token. It is called for each attempt and returns the token, which may be
	// empty. It must be safe for concurrent use.
	TokenSource func(ctx context.Context) (string, error)
	// Renew is called with a token that the service rejected with 401. If Renew returns true,
	// TokenSource has another token, and the client sends the call once more. An error of Renew
	// replaces the 401. Renew must be safe for concurrent use.
	Renew func(ctx context.Context, refused string) (again bool, err error)
	// Version is the version in the User-Agent header, parley/VERSION.
	Version string
	// HTTPClient supplies the transport and the timeout. The client uses a copy. nil means a
	// default client.
	HTTPClient *http.Client
	// Timeout and ModelTimeout are the time limits of one attempt. 0 means DefaultTimeout and
	// DefaultModelTimeout.
	Timeout      time.Duration
	ModelTimeout time.Duration
	// Attempts is the maximum number of times that a call is sent, including the first. 0 means
	// MaxAttempts, which is also its upper limit.
	Attempts int
	// OnRetry is called before each wait for a retry. If the service requested the wait and the
	// context has a callback of wire.WithWaitNotice, that callback is called instead.
	OnRetry func(Retry)
	// Sleep, Now and Rand replace the real functions in tests. Rand returns a number in [0,1).
	Sleep func(ctx context.Context, wait time.Duration) error
	Now   func() time.Time
	Rand  func() float64
}

// Client calls one service. It is safe for concurrent use.
type Client struct {
	options Options // with defaults, without BaseURL and Token, which a printed Client must not contain
	http    *http.Client
	resty   *resty.Client
	base    *url.URL
	token   func(ctx context.Context) (string, error)
	pace    *Pace // nil for calls that are not paced
}

// New checks the options and returns a client. It does not connect to the service.
func New(o Options) (*Client, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	token, err := tokenSource(o)
	if err != nil {
		return nil, err
	}
	c := &Client{options: o.withDefaults(), http: httpClient(o.HTTPClient), base: base, token: token}
	c.http.CheckRedirect = c.checkRedirect
	c.resty = resty.NewWithClient(c.http).SetLogger(silentLogger{}).SetDisableWarn(true).
		SetResponseBodyLimit(MaxAnswer)
	return c, nil
}

func (o Options) withDefaults() Options {
	o.BaseURL, o.Token = "", ""
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.ModelTimeout = cmp.Or(o.ModelTimeout, DefaultModelTimeout)
	o.Attempts = min(cmp.Or(max(o.Attempts, 0), MaxAttempts), MaxAttempts)
	if o.Renew == nil {
		o.Renew = func(context.Context, string) (bool, error) { return false, nil }
	}
	if o.OnRetry == nil {
		o.OnRetry = func(Retry) {}
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return o
}

func sleep(ctx context.Context, wait time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(wait):
		return nil
	}
}

// Address returns the service's address without user and password and without a slash at the end.
func (c *Client) Address() string { return redactURL(c.base) }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

type silentLogger struct{}

func (silentLogger) Errorf(string, ...any) {}
func (silentLogger) Warnf(string, ...any)  {}
func (silentLogger) Debugf(string, ...any) {}

// parseBase parses the service's address. Errors quote an address unless it may contain a password.
func parseBase(text string) (*url.URL, error) {
	quoted := " "
	if !strings.Contains(text, "@") {
		quoted = fmt.Sprintf(" %q ", text)
	}
	refuse := func(why string) (*url.URL, error) {
		return nil, errors.New("the service address" + quoted + why + "; an address looks like http://127.0.0.1:8787")
	}
	scheme, _, found := strings.Cut(text, "://")
	if !found || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return refuse("does not begin with http:// or https://")
	}
	base, err := url.Parse(text)
	switch {
	case err != nil:
		return refuse("is not a URL")
	case base.Hostname() == "":
		return refuse("has no host")
	case !wire.IsPort(base):
		return refuse("has an invalid port; ports are 1 to 65535")
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return refuse("has a query or a fragment")
	}
	base.Scheme = strings.ToLower(base.Scheme)
	base.Path = strings.TrimRight(base.Path, "/")
	base.RawPath = strings.TrimRight(base.RawPath, "/")
	return base, nil
}

func redactURL(u *url.URL) string {
	plain := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return plain.String()
}

// tokenSource returns a function that returns the token. A Client stores the function, because a
// printed Client must not contain the token.
func tokenSource(o Options) (func(context.Context) (string, error), error) {
	if o.TokenSource != nil {
		if o.Token != "" {
			return nil, errors.New("set Token or TokenSource, not both")
		}
		return o.TokenSource, nil
	}
	token := o.Token
	if err := checkToken(token); err != nil {
		return nil, err
	}
	return func(context.Context) (string, error) { return token, nil }, nil
}

func checkToken(token string) error { return checkSecret("the access token", token) }

func checkSecret(what, secret string) error {
	for _, r := range secret {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("%s contains a space, a line break or another invalid character; check that it was copied completely", what)
		}
	}
	return nil
}

// httpClient returns a copy of given, because the caller changes CheckRedirect. If given has no
// transport, the copy gets one with a short connect timeout.
func httpClient(given *http.Client) *http.Client {
	var own http.Client
	if given != nil {
		own = *given
	}
	if own.Transport == nil {
		dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}
		own.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext,
			ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 8, IdleConnTimeout: 90 * time.Second,
			TLSHandshakeTimeout: connectTimeout,
		}
	}
	return &own
}

// checkRedirect allows the redirect of a GET to the same scheme and host. Any other redirect makes
// the call fail.
func (c *Client) checkRedirect(next *http.Request, via []*http.Request) error {
	ours := next.URL.Scheme == c.base.Scheme && strings.EqualFold(next.URL.Host, c.base.Host)
	if via[0].Method != http.MethodGet || !ours || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// SignIn returns how users sign in to the service (GET /.well-known/parley, an addition of the
// local server). It sends no token. A service without this endpoint answers 404.
func (c *Client) SignIn(ctx context.Context) (wire.SignIn, error) {
	k := newReadCall(wire.PathSignIn, "", nil)
	k.signer = func(context.Context) ([]credential, error) { return nil, nil }
	return fetchAnswer[wire.SignIn](ctx, c, k)
}

func readTokens(h http.Header) wire.Tokens {
	count := func(name string) int {
		n, err := strconv.Atoi(h.Get(name))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	return wire.Tokens{In: count(wire.HeaderLLMTokensIn), Out: count(wire.HeaderLLMTokensOut)}
}

func callModel[T any](ctx context.Context, c *Client, k call, cost func(*T) *wire.Tokens) (T, error) {
	var answer T
	response, err := c.makeCall(ctx, k)
	if err == nil {
		err = response.decodeBody(&answer)
		*cost(&answer) = readTokens(response.Header)
	}
	return answer, err
}

func openingCost(o *wire.Opening) *wire.Tokens { return &o.Tokens }

func replyCost(r *wire.Reply) *wire.Tokens { return &r.Tokens }

const (
	trailerPatience = time.Second
	maxAfterDone    = 64 << 10
)
