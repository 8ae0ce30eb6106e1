// Package client calls the persona chat service over HTTP. Each endpoint has a method with the
// types of personas/wire. A retry never plays a turn twice. The client sends the token only to the
// host in Options.BaseURL. The package prints nothing, and reads only the proxy variables of the
// environment.
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

// Defaults and limits of a call.
const (
	// DefaultTimeout is the timeout of one attempt.
	DefaultTimeout = 60 * time.Second
	// DefaultModelTimeout is the timeout of one attempt that waits for a model, such as message.
	DefaultModelTimeout = 120 * time.Second
	// MaxAnswer is the maximum size of a response in bytes. A larger response is an error.
	MaxAnswer = 32 << 20

	maxRedirects   = 5
	connectTimeout = 10 * time.Second
)

// Options configure a Client. Only BaseURL is required.
type Options struct {
	// BaseURL is the service's address without /api/v1 and without a query. Without a token, a user
	// and password in BaseURL are sent as basic authentication. Error messages omit the user and
	// password.
	BaseURL string
	// Token is the bearer token. An empty token makes calls anonymous.
	Token string
	// TokenSource replaces Token. The client calls it for each attempt, possibly concurrently. An
	// empty token makes the attempt anonymous.
	TokenSource func(ctx context.Context) (string, error)
	// Renew is called with a token after a 401, possibly concurrently. If it returns true, the
	// client repeats the call once with the new token of TokenSource. An error of Renew replaces
	// the 401.
	Renew func(ctx context.Context, refused string) (again bool, err error)
	// Version is sent in the User-Agent header as parley/VERSION.
	Version string
	// HTTPClient supplies the transport and the timeout. The client uses a copy.
	HTTPClient *http.Client
	// Timeout and ModelTimeout limit one attempt. 0 means DefaultTimeout and DefaultModelTimeout.
	Timeout      time.Duration
	ModelTimeout time.Duration
	// Attempts limits the number of attempts of a call. 0 means MaxAttempts, the upper limit.
	Attempts int
	// OnRetry is called before each wait for a retry. A callback of wire.WithWaitNotice replaces
	// OnRetry if the service requested the wait.
	OnRetry func(Retry)
	// Sleep, Now and Rand replace the real functions in tests. Rand returns a number in [0,1).
	Sleep func(ctx context.Context, wait time.Duration) error
	Now   func() time.Time
	Rand  func() float64
}

// Client calls one service. It is safe for concurrent use.
type Client struct {
	options Options // without BaseURL and Token, because a printed Client must not contain secrets
	http    *http.Client
	resty   *resty.Client
	base    *url.URL
	token   func(ctx context.Context) (string, error)
	pace    *Pace // may be nil
}

// New returns a client. It does not connect to the service.
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

// Address returns the service's address without user, password and final slash.
func (c *Client) Address() string { return redactURL(c.base) }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

type silentLogger struct{}

func (silentLogger) Errorf(string, ...any) {}
func (silentLogger) Warnf(string, ...any)  {}
func (silentLogger) Debugf(string, ...any) {}

// parseBase quotes the address in errors unless the address may contain a password.
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

// tokenSource hides the token in a function, because a printed Client must not contain the token.
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
			return errors.New(what +
				" contains a space, a line break or another invalid character; check that it was copied completely")
		}
	}
	return nil
}

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

func (c *Client) checkRedirect(next *http.Request, via []*http.Request) error {
	ours := next.URL.Scheme == c.base.Scheme && strings.EqualFold(next.URL.Host, c.base.Host)
	if via[0].Method != http.MethodGet || !ours || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// SignIn returns the source of the service's tokens (GET /.well-known/parley). It sends no token.
// Services without this endpoint return 404.
func (c *Client) SignIn(ctx context.Context) (wire.SignIn, error) {
	spec := newReadCall(wire.PathSignIn, "", nil)
	spec.signer = func(context.Context) ([]credential, error) { return nil, nil }
	return fetchAnswer[wire.SignIn](ctx, c, spec)
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

func fetchModelAnswer[T any](ctx context.Context, c *Client, spec call, cost func(*T) *wire.Tokens) (T, error) {
	var answer T
	response, err := c.fetchResponse(ctx, spec)
	if err == nil {
		err = response.decodeBody(&answer)
		*cost(&answer) = readTokens(response.Header)
	}
	return answer, err
}

func openingCost(o *wire.Opening) *wire.Tokens { return &o.Tokens }

func replyCost(r *wire.Reply) *wire.Tokens { return &r.Tokens }

const (
	trailerTimeout = time.Second
	maxAfterDone   = 64 << 10
)
