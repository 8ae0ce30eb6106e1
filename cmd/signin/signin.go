// Package signin gets bearer tokens from an OpenID provider for a public client: by the device
// grant (RFC 8628) and by a browser with PKCE and a loopback address (RFC 8252, RFC 7636). It
// renews them, revokes them (RFC 7009), and verifies ID tokens. It never stores a token, never
// prints, never opens a browser, and never repeats a token in an error.
package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/remote"
)

// Options describe where and as which program to sign in.
type Options struct {
	// Issuer is the provider's address, exactly as the provider writes it.
	Issuer string
	// ClientID is the public client that the provider knows.
	ClientID string
	// Audience is the target of the tokens for providers that take `audience`; "" leaves it to the
	// provider.
	Audience string
	// Resource is the target of the tokens, an absolute URI, for providers that implement RFC 8707;
	// "" leaves it to the provider.
	Resource string
	// Scopes are the requested scopes; if empty, DefaultScopes.
	Scopes []string
	// Transport sends the requests; nil uses one that honours proxies.
	Transport http.RoundTripper
	// UserAgent names the program.
	UserAgent string
	// Now and Sleep are in for the clock in tests; nil is the real one.
	Now   func() time.Time
	Sleep func(ctx context.Context, wait time.Duration) error
}

// DefaultScopes identify the user and ask for a refresh token.
func DefaultScopes() []string { return []string{"openid", "profile", "email", "offline_access"} }

// Provider is an OpenID provider that has described itself. It is safe for
// concurrent use.
type Provider struct {
	options  Options
	http     *http.Client
	metadata metadata
}

// Open reads the provider's description. It refuses addresses in it without TLS, except for those
// of this machine.
func Open(ctx context.Context, o Options) (*Provider, error) {
	if err := CheckIssuer(o.Issuer); err != nil {
		return nil, err
	}
	if o.ClientID == "" {
		return nil, errors.New("no client is named as which to sign in")
	}
	o.Now = clockOrDefault(o.Now)
	if o.Sleep == nil {
		o.Sleep = remote.Sleep
	}
	if len(o.Scopes) == 0 {
		o.Scopes = DefaultScopes()
	}
	p := &Provider{options: o, http: newHTTP(o.Transport, o.UserAgent)}
	if err := p.readMetadata(ctx); err != nil {
		return nil, fmt.Errorf("identity provider %s: %w", o.Issuer, err)
	}
	return p, nil
}

func clockOrDefault(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}

// CheckIssuer refuses an issuer that is not an address, and one without TLS that is not on this
// machine.
func CheckIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	switch {
	case issuer == "":
		return errors.New("no identity provider is named")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("the identity provider is named by no address; it looks like https://accounts.example.com")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the identity provider's address must have no user, query or fragment")
	case !isProtected(u):
		return fmt.Errorf("the identity provider %s must be reached by https", issuer)
	}
	return nil
}

// isProtected reports whether nobody on the way can read requests to an address.
func isProtected(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && remote.IsLoopback(u.Hostname())
}

// HasDevice reports whether the provider signs devices in.
func (p *Provider) HasDevice() bool { return p.metadata.Device != "" }

// HasBrowser reports whether the provider signs in through a browser.
func (p *Provider) HasBrowser() bool { return p.metadata.Authorization != "" }

// Issuer is the provider's own name.
func (p *Provider) Issuer() string { return p.metadata.Issuer }

// WithoutResource returns the same provider, but without a resource in token requests.
func (p *Provider) WithoutResource() *Provider {
	other := *p
	other.options.Resource = ""
	return &other
}

// RefusedError is a refusal of a provider (RFC 6749 section 5.2). Its texts are the provider's, one
// short line each: they must be cleaned before they are shown.
type RefusedError struct {
	Code        string
	Description string
	Status      int
}

func (r *RefusedError) Error() string {
	return "the identity provider refuses: " + cmp.Or(r.Description, r.Code)
}

// IsPassing reports whether a refusal is of this moment only.
func (r *RefusedError) IsPassing() bool {
	return r.Status == http.StatusTooManyRequests || slices.Contains([]string{"temporarily_unavailable", "server_error", "slow_down"}, r.Code)
}

// The refusals that have a meaning of their own here.
const (
	CodeDenied  = "access_denied"
	CodeExpired = "expired_token"
	// CodeOver refuses a refresh token for good, CodeTarget a resource that the provider
	// does not know (RFC 8707 section 2).
	CodeOver   = "invalid_grant"
	CodeTarget = "invalid_target"
)

// maxTold is how much of a provider's text is repeated, in characters.
const maxTold = 300

// shortenText turns a foreign text into one line, with an ellipsis if it is long.
func shortenText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > maxTold {
		return string(letters[:maxTold]) + "…"
	}
	return text
}
