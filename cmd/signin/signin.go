// Package signin requests, renews, revokes and verifies bearer tokens of an OpenID provider. The
// client is public, and uses the device grant (RFC 8628) or a browser with PKCE (RFC 8252, RFC
// 7636). The package does not store tokens, print, or open a browser. Errors never contain a token.
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

	"github.com/parley-npc/parley/personas/wire"
)

// Options selects the provider and the client to sign in with.
type Options struct {
	// Issuer is the exact issuer URL of the provider.
	Issuer   string
	ClientID string
	// Audience is the audience of the tokens, or "" for the provider's choice.
	Audience string
	// Resource is the audience as a URI (RFC 8707), or "" for the provider's choice.
	Resource string
	// Scopes are the requested scopes. The default is DefaultScopes.
	Scopes []string
	// Transport sends the requests. The default uses proxies from the environment.
	Transport http.RoundTripper
	UserAgent string
	// Now and Sleep replace the clock in tests.
	Now   func() time.Time
	Sleep func(ctx context.Context, wait time.Duration) error
}

// DefaultScopes returns the scopes that identify the user and request a refresh token.
func DefaultScopes() []string { return []string{"openid", "profile", "email", "offline_access"} }

// A Provider is an OpenID provider with its description. Concurrent use is safe.
type Provider struct {
	options  Options
	http     *http.Client
	metadata metadata
}

// Open reads the provider's description. All addresses must have https, except on this machine.
func Open(ctx context.Context, o Options) (*Provider, error) {
	if err := CheckIssuer(o.Issuer); err != nil {
		return nil, err
	}
	if o.ClientID == "" {
		return nil, errors.New("the client id is missing")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
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

// CheckIssuer returns an error unless the issuer is an https address or on this machine.
func CheckIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	switch {
	case issuer == "":
		return errors.New("the identity provider is missing")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("the identity provider must be an address such as https://accounts.example.com")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the identity provider's address must not contain a user, query or fragment")
	case !isProtected(u):
		return fmt.Errorf("the address of the identity provider %s must start with https", issuer)
	}
	return nil
}

func isProtected(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && wire.IsLoopback(u.Hostname())
}

// HasDevice reports whether the provider supports the device flow.
func (p *Provider) HasDevice() bool { return p.metadata.Device != "" }

// HasBrowser reports whether the provider supports signing in with a browser.
func (p *Provider) HasBrowser() bool { return p.metadata.Authorization != "" }

// Issuer returns the issuer in the provider's description.
func (p *Provider) Issuer() string { return p.metadata.Issuer }

// WithoutResource returns a copy of the provider without a resource in token requests.
func (p *Provider) WithoutResource() *Provider {
	other := *p
	other.options.Resource = ""
	return &other
}

// A RefusedError is an error response (RFC 6749 section 5.2). Clean the texts before printing.
type RefusedError struct {
	Code        string
	Description string
	Status      int
}

func (r *RefusedError) Error() string {
	return "the identity provider refuses: " + cmp.Or(r.Description, r.Code)
}

// IsPassing reports whether the error is temporary.
func (r *RefusedError) IsPassing() bool {
	codes := []string{"temporarily_unavailable", "server_error", "slow_down"}
	return r.Status == http.StatusTooManyRequests || slices.Contains(codes, r.Code)
}

const (
	CodeDenied  = "access_denied"
	CodeExpired = "expired_token"
	// CodeOver means an invalid refresh token. CodeTarget means an invalid resource (RFC 8707).
	CodeOver   = "invalid_grant"
	CodeTarget = "invalid_target"
)

const maxProviderText = 300 // characters

func shortenText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > maxProviderText {
		return string(letters[:maxProviderText]) + "…"
	}
	return text
}

func sleep(ctx context.Context, wait time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(wait):
		return nil
	}
}

const (
	discoveryPath = "/.well-known/openid-configuration"       // OpenID Connect Discovery 1.0 section 4
	serverPath    = "/.well-known/oauth-authorization-server" // RFC 8414 section 3
)

type metadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Device        string   `json:"device_authorization_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`
	Keys          string   `json:"jwks_uri"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
	Prompts       []string `json:"prompt_values_supported"`
	// NamesItself is true if callbacks contain the issuer (RFC 9207).
	NamesItself bool `json:"authorization_response_iss_parameter_supported"`
}

func (p *Provider) readMetadata(ctx context.Context) error {
	issuer := p.options.Issuer
	err := getJSON(ctx, p.http, strings.TrimSuffix(issuer, "/")+discoveryPath, &p.metadata)
	if _, described := errors.AsType[*noDocumentError](err); described {
		p.metadata = metadata{}
		if getJSON(ctx, p.http, insertPath(issuer, serverPath), &p.metadata) == nil {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	return p.metadata.checkMetadata(issuer)
}

func insertPath(address, wellKnown string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	at := url.URL{Scheme: u.Scheme, Host: u.Host}
	return at.String() + wellKnown + strings.TrimSuffix(u.EscapedPath(), "/")
}

type noDocumentError struct{ Text string }

func (e *noDocumentError) Error() string { return e.Text }

func (m *metadata) checkMetadata(issuer string) error {
	if m.Issuer != issuer {
		return fmt.Errorf("the provider's description has the issuer %q: "+
			"use exactly this address if you mean this provider", shortenText(m.Issuer))
	}
	if m.Token == "" {
		return errors.New("its description lacks the token endpoint")
	}
	endpoints := []struct{ name, address string }{
		{"authorization", m.Authorization}, {"token", m.Token},
		{"device authorization", m.Device}, {"revocation", m.Revocation}, {"key", m.Keys},
	}
	for _, e := range endpoints {
		u, err := url.Parse(e.address)
		if e.address != "" && (err != nil || u.Host == "" || u.User != nil || !isProtected(u)) {
			return fmt.Errorf("the address of its %s endpoint must start with https", e.name)
		}
	}
	return nil
}

const (
	resourcePath       = "/.well-known/oauth-protected-resource" // RFC 9728 section 3
	descriptionTimeout = 10 * time.Second
)

// A Resource is a service's description (RFC 9728 section 2). Clean the texts before printing.
type Resource struct {
	// Name is the URI of the service. RFC 8707 calls the URI a resource.
	Name string `json:"resource"`
	// Issuers are the accepted providers of tokens.
	Issuers []string `json:"authorization_servers"`
	// Scopes are the possible scopes of tokens for the service.
	Scopes []string `json:"scopes_supported"`
}

// ErrNoResource means that a service publishes no description (RFC 9728).
var ErrNoResource = errors.New("the service publishes no description (RFC 9728)")

// ReadResource reads the description of the service at an address (RFC 9728). Requests go only to
// the host of the address. The error is ErrNoResource for a service without a description.
func ReadResource(ctx context.Context, address, userAgent string) (Resource, error) {
	silent := fmt.Errorf("it does not answer within %s", descriptionTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, descriptionTimeout, silent)
	defer cancel()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Resource{}, errors.New("its address is not valid for a request")
	}
	c := newHTTP(nil, userAgent)
	origin := (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
	for _, name := range slices.Compact([]string{origin + strings.TrimSuffix(u.EscapedPath(), "/"), origin}) {
		var resource Resource
		err := getJSON(ctx, c, insertPath(name, resourcePath), &resource)
		if _, missing := errors.AsType[*noDocumentError](err); missing {
			continue
		}
		if err == nil && normalAddress(resource.Name) != normalAddress(name) { // RFC 9728 section 3.3
			err = fmt.Errorf("the service description is for another address, %q", shortenText(resource.Name))
		}
		return resource, err
	}
	return Resource{}, ErrNoResource
}

func normalAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return ""
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if defaultPort := map[string]string{"http": ":80", "https": ":443"}[scheme]; defaultPort != "" {
		host = strings.TrimSuffix(host, defaultPort)
	}
	return scheme + "://" + host + strings.TrimSuffix(u.EscapedPath(), "/")
}
