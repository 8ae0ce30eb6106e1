// Package client calls the persona chat service over HTTP. Every endpoint of the interface is a
// method with the types of personas/wire; retries never send a turn twice; errors say what failed
// and what to do. The package serves the command line and other Go programs. It never prints, never
// reads settings or the environment, and only sends a token to the host that the client was made
// for.
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
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/parley-npc/parley/personas/remote"
)

// Limits of one call, unless Options say otherwise.
const (
	// DefaultTimeout bounds one attempt of a call.
	DefaultTimeout = 60 * time.Second
	// DefaultModelTimeout bounds one attempt of init-session and message, where
	// a model may think.
	DefaultModelTimeout = 120 * time.Second
	// MaxAnswer is the largest answer that is read, in bytes.
	MaxAnswer = 32 << 20

	maxRedirects   = 5
	connectTimeout = 10 * time.Second
)

// Options describe which service a client talks to, as whom, and how patiently. Only
// BaseURL is needed.
type Options struct {
	// BaseURL is the service's address without /api/v1: http or https, a host, perhaps a path
	// prefix; no query. A user and password in it are sent as basic authentication if there is no
	// token, and never appear in messages.
	BaseURL string
	// Token is the bearer token; empty for calls without one.
	Token string
	// TokenSource returns the token for each attempt, in place of Token; it may be empty. It must
	// be safe for concurrent use.
	TokenSource func(ctx context.Context) (string, error)
	// Renew is called with a token of TokenSource that the service has refused with 401, and
	// reports whether TokenSource returns another one now. The call, which was not executed, is
	// then sent once more. An error replaces the refusal and ends the call. Renew must be safe for
	// concurrent use.
	Renew func(ctx context.Context, refused string) (again bool, err error)
	// Version makes the User-Agent "parley/VERSION"; UserAgent replaces it whole.
	Version   string
	UserAgent string
	// HTTPClient is copied and used with its transport and timeout. Without it
	// the client has its own.
	HTTPClient *http.Client
	// Timeout and ModelTimeout bound one attempt; 0 is the default.
	Timeout      time.Duration
	ModelTimeout time.Duration
	// Retry describes how often and how long; the zero policy is the default.
	Retry RetryPolicy
	// OnRetry is called once before each wait, with how long it will be. A wait that the
	// service asks for goes to the callback of wire.WithWaitNotice instead, if there is one.
	OnRetry func(Retry)
	// Sleep, Now and Rand (in [0,1)) are in for the real ones in tests.
	Sleep func(ctx context.Context, wait time.Duration) error
	Now   func() time.Time
	Rand  func() float64
}

// Client calls one service. It is safe for concurrent use.
type Client struct {
	http         *http.Client
	resty        *resty.Client
	base         *url.URL
	token        func(ctx context.Context) (string, error)
	renew        func(ctx context.Context, refused string) (bool, error)
	userAgent    string
	timeout      time.Duration
	modelTimeout time.Duration
	retry        RetryPolicy
	pace         *Pace // nil for calls that go as they come
	onRetry      func(Retry)
	sleep        func(ctx context.Context, wait time.Duration) error
	now          func() time.Time
	rand         func() float64
}

// New checks the options and returns a client. It makes no connection.
func New(o Options) (*Client, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	token, err := tokenSource(o)
	if err != nil {
		return nil, err
	}
	c := &Client{
		http: httpClient(o.HTTPClient), base: base, token: token, renew: o.Renew,
		userAgent:    userAgent(o),
		timeout:      cmp.Or(o.Timeout, DefaultTimeout),
		modelTimeout: cmp.Or(o.ModelTimeout, DefaultModelTimeout),
		retry:        o.Retry.withDefaults(), onRetry: o.OnRetry,
		sleep: o.Sleep, now: o.Now, rand: o.Rand,
	}
	c.setDefaultHooks()
	c.http.CheckRedirect = c.checkRedirect
	c.resty = resty.NewWithClient(c.http).SetLogger(silentLogger{}).SetDisableWarn(true).
		SetResponseBodyLimit(MaxAnswer)
	return c, nil
}

func (c *Client) setDefaultHooks() {
	if c.renew == nil {
		c.renew = func(context.Context, string) (bool, error) { return false, nil }
	}
	if c.onRetry == nil {
		c.onRetry = func(Retry) {}
	}
	if c.sleep == nil {
		c.sleep = remote.Sleep
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.rand == nil {
		c.rand = rand.Float64
	}
}

// Address is the service's address as it may be shown: without user and
// password, without a slash at the end.
func (c *Client) Address() string { return redactURL(c.base) }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// silentLogger keeps resty from writing to stderr.
type silentLogger struct{}

func (silentLogger) Errorf(string, ...any) {}
func (silentLogger) Warnf(string, ...any)  {}
func (silentLogger) Debugf(string, ...any) {}

// parseBase reads the service's address. Its errors repeat the address only
// when no password can be in it.
func parseBase(text string) (*url.URL, error) {
	quoted := " "
	if !strings.Contains(text, "@") {
		quoted = fmt.Sprintf(" %q ", text)
	}
	refuse := func(why string) (*url.URL, error) {
		return nil, errors.New("the service address" + quoted + why + "; an address looks like http://127.0.0.1:8787")
	}
	if !hasScheme(text) {
		return refuse("does not begin with http:// or https://")
	}
	base, err := url.Parse(text)
	switch {
	case err != nil:
		return refuse("is no URL")
	case base.Hostname() == "":
		return refuse("names no host")
	case !remote.IsPort(base):
		return refuse("has a port that does not exist; ports are 1 to 65535")
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return refuse("has a query or a fragment")
	}
	base.Scheme = strings.ToLower(base.Scheme)
	base.Path = strings.TrimRight(base.Path, "/")
	base.RawPath = strings.TrimRight(base.RawPath, "/")
	return base, nil
}

func hasScheme(text string) bool {
	scheme, _, found := strings.Cut(text, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// redactURL writes an address for messages, without its query, user and password.
func redactURL(u *url.URL) string {
	plain := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return plain.String()
}

// tokenSource keeps the token in a function, so that printing a client does not
// show it.
func tokenSource(o Options) (func(context.Context) (string, error), error) {
	if o.TokenSource != nil {
		if o.Token != "" {
			return nil, errors.New("give Token or TokenSource, not both")
		}
		return o.TokenSource, nil
	}
	token := o.Token
	if err := checkToken(token); err != nil {
		return nil, err
	}
	return func(context.Context) (string, error) { return token, nil }, nil
}

// checkToken refuses a token that cannot be in a header. The error does not
// repeat it.
func checkToken(token string) error { return checkSecret("the access token", token) }

func checkSecret(what, secret string) error {
	for _, r := range secret {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("%s has a space, a line break or another character that none has; was it copied whole?", what)
		}
	}
	return nil
}

func userAgent(o Options) string {
	if o.UserAgent != "" || o.Version == "" {
		return cmp.Or(o.UserAgent, "parley")
	}
	return "parley/" + o.Version
}

// httpClient copies the given client, because its redirects are handled here. Without one it makes
// a client that soon gives up on a silent address.
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

// checkRedirect follows a redirect of a GET within the service's own scheme and
// host. Every other one is not followed and becomes an error of the call.
func (c *Client) checkRedirect(next *http.Request, via []*http.Request) error {
	ours := next.URL.Scheme == c.base.Scheme && strings.EqualFold(next.URL.Host, c.base.Host)
	if via[0].Method != http.MethodGet || !ours || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}
