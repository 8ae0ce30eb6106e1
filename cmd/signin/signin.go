// Package signin requests, renews, revokes and verifies bearer tokens of an OpenID provider, for a
// public client. It uses the device grant (RFC 8628), or a browser with PKCE (RFC 8252, RFC 7636).
// It does not store tokens, print, or open a browser. Its errors never contain a token.
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
	// Issuer is the provider's address, exactly as the provider writes it.
	Issuer string
	// ClientID is the id of a public client registered at the provider.
	ClientID string
	// Audience is the target of the tokens (parameter audience), or "" for the provider's choice.
	Audience string
	// Resource is the target of the tokens as a URI (RFC 8707), or "" for the provider's choice.
	Resource string
	// Scopes are the requested scopes. If there are none, DefaultScopes are requested.
	Scopes []string
	// Transport sends the requests. nil means a transport that uses proxies from the environment.
	Transport http.RoundTripper
	// UserAgent is the User-Agent of requests.
	UserAgent string
	// Now and Sleep replace the clock in tests. nil means the real clock.
	Now   func() time.Time
	Sleep func(ctx context.Context, wait time.Duration) error
}

// DefaultScopes returns the scopes that identify the user and request a refresh token.
func DefaultScopes() []string { return []string{"openid", "profile", "email", "offline_access"} }

// A Provider is an OpenID provider with its description. It is safe for concurrent use.
type Provider struct {
	options  Options
	http     *http.Client
	metadata metadata
}

// Open reads the provider's description. Its addresses must have TLS, except on this machine.
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

// CheckIssuer returns an error unless the issuer is an address with TLS or on this machine.
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

// isProtected reports whether requests to an address cannot be read in transit.
func isProtected(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && wire.IsLoopback(u.Hostname())
}

// HasDevice reports whether the provider supports the device flow.
func (p *Provider) HasDevice() bool { return p.metadata.Device != "" }

// HasBrowser reports whether the provider supports signing in with a browser.
func (p *Provider) HasBrowser() bool { return p.metadata.Authorization != "" }

// Issuer returns the issuer in the provider's description.
func (p *Provider) Issuer() string { return p.metadata.Issuer }

// WithoutResource returns the same provider without a resource in token requests.
func (p *Provider) WithoutResource() *Provider {
	other := *p
	other.options.Resource = ""
	return &other
}

// A RefusedError is an error response of a provider (RFC 6749 section 5.2). Clean its texts before
// showing them.
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
	return r.Status == http.StatusTooManyRequests || slices.Contains([]string{"temporarily_unavailable", "server_error", "slow_down"}, r.Code)
}

// Error codes that are handled specially.
const (
	CodeDenied  = "access_denied"
	CodeExpired = "expired_token"
	// CodeOver means that the provider rejected a refresh token. CodeTarget means that it rejected
	// a resource (RFC 8707 section 2).
	CodeOver   = "invalid_grant"
	CodeTarget = "invalid_target"
)

// maxTold is the maximum length of a provider's text in characters.
const maxTold = 300

func shortenText(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > maxTold {
		return string(letters[:maxTold]) + "…"
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
	// discoveryPath is appended to the issuer (OpenID Connect Discovery 1.0 section 4).
	discoveryPath = "/.well-known/openid-configuration"
	// serverPath is inserted before the issuer's path (RFC 8414 section 3).
	serverPath = "/.well-known/oauth-authorization-server"
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
	// NamesItself is set if the provider adds its issuer to callbacks (RFC 9207).
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

// insertPath inserts a well-known path between host and path of an address (RFC 8414, RFC 9728).
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
		return fmt.Errorf("the provider's description has the issuer %q: use exactly this address if you mean this provider", shortenText(m.Issuer))
	}
	if m.Token == "" {
		return errors.New("its description lacks the token endpoint")
	}
	for what, address := range map[string]string{
		"authorization": m.Authorization, "token": m.Token, "device authorization": m.Device, "revocation": m.Revocation, "key": m.Keys,
	} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.User != nil || !isProtected(u)) {
			return fmt.Errorf("the address of its %s endpoint must start with https", what)
		}
	}
	return nil
}

const (
	// resourcePath is inserted before the path of the service's address (RFC 9728 section 3).
	resourcePath        = "/.well-known/oauth-protected-resource"
	descriptionPatience = 10 * time.Second
)

// A Resource is a service's description of itself (RFC 9728 section 2). Clean its texts before
// showing them.
type Resource struct {
	// Name is the URI of the service, which RFC 8707 calls a resource.
	Name string `json:"resource"`
	// Issuers are the providers of tokens that the service accepts.
	Issuers []string `json:"authorization_servers"`
	// Scopes are the scopes that tokens for the service can have.
	Scopes []string `json:"scopes_supported"`
}

// ErrNoResource means that a service does not publish a description according to RFC 9728.
var ErrNoResource = errors.New("the service publishes no description (RFC 9728)")

// ReadResource reads the description of the service at an address, from the paths of RFC 9728.
// Requests go only to the service's host. Without a description it returns ErrNoResource.
func ReadResource(ctx context.Context, address, userAgent string) (Resource, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, descriptionPatience, fmt.Errorf("it does not answer within %s", descriptionPatience))
	defer cancel()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Resource{}, errors.New("its address is not valid for a request")
	}
	c := newHTTP(nil, userAgent)
	origin := (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
	for _, of := range slices.Compact([]string{origin + strings.TrimSuffix(u.EscapedPath(), "/"), origin}) {
		var told Resource
		err := getJSON(ctx, c, insertPath(of, resourcePath), &told)
		if _, missing := errors.AsType[*noDocumentError](err); missing {
			continue
		}
		if err == nil && normalAddress(told.Name) != normalAddress(of) { // RFC 9728 section 3.3
			err = fmt.Errorf("the service description is for another address, %q", shortenText(told.Name))
		}
		return told, err
	}
	return Resource{}, ErrNoResource
}

// normalAddress returns an address in lower case without default port and final slash. It returns
// "" for an invalid address, and for an address that contains more than scheme, host and path.
func normalAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return ""
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if usual := map[string]string{"http": ":80", "https": ":443"}[scheme]; usual != "" {
		host = strings.TrimSuffix(host, usual)
	}
	return scheme + "://" + host + strings.TrimSuffix(u.EscapedPath(), "/")
}
