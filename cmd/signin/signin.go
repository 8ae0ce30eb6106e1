// Package signin gets bearer tokens from an OpenID provider for a program that
// can keep no secret of its own: by the device grant (RFC 8628) and by a browser
// with PKCE and a loopback address (RFC 8252, RFC 7636); it renews them, revokes
// them (RFC 7009), and verifies ID tokens. It never stores a token, never prints,
// never opens a browser by itself, and never repeats a token in an error.
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

	"github.com/parley-npc/parley/personas/loopback"
	"github.com/parley-npc/parley/personas/retry"
)

// discoveryPath is where a provider describes itself (OpenID Connect Discovery
// 1.0 section 4).
const discoveryPath = "/.well-known/openid-configuration"

// Options say where and as which program to sign in.
type Options struct {
	// Issuer is the provider's address, exactly as the provider writes it.
	Issuer string
	// ClientID is the public client that the provider knows.
	ClientID string
	// Audience is what the tokens are to be for; "" leaves it to the provider.
	Audience string
	// Scopes are asked for; without any, those of DefaultScopes.
	Scopes []string
	// Transport sends the requests; nil is one that honours proxies.
	Transport http.RoundTripper
	// UserAgent names the program.
	UserAgent string
	// Now and Sleep stand in for the clock in tests; nil is the real one.
	Now   func() time.Time
	Sleep func(ctx context.Context, wait time.Duration) error
}

// DefaultScopes say who the user is and ask for a token that renews the others.
func DefaultScopes() []string { return []string{"openid", "profile", "email", "offline_access"} }

// Provider is an OpenID provider that has described itself. It is safe for
// concurrent use.
type Provider struct {
	options  Options
	http     *http.Client
	metadata metadata
}

// metadata is what is read of a provider's description.
type metadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Device        string   `json:"device_authorization_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`
	Keys          string   `json:"jwks_uri"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
	// NamesItself says that answers to the browser name the issuer (RFC 9207).
	NamesItself bool `json:"authorization_response_iss_parameter_supported"`
}

// Open reads the provider's description. Addresses in it that are not protected
// in transit are refused, but for those of this machine.
func Open(ctx context.Context, o Options) (*Provider, error) {
	if err := CheckIssuer(o.Issuer); err != nil {
		return nil, err
	}
	if o.ClientID == "" {
		return nil, errors.New("no client is named as which to sign in")
	}
	o.Now = clockOrDefault(o.Now)
	if o.Sleep == nil {
		o.Sleep = retry.Sleep
	}
	if len(o.Scopes) == 0 {
		o.Scopes = DefaultScopes()
	}
	p := &Provider{options: o, http: newHTTP(o)}
	if err := p.getJSON(ctx, strings.TrimSuffix(o.Issuer, "/")+discoveryPath, &p.metadata); err != nil {
		return nil, fmt.Errorf("identity provider %s: %w", o.Issuer, err)
	}
	if err := p.metadata.checkMetadata(o.Issuer); err != nil {
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

// CheckIssuer refuses an issuer that is no address, or one without transport
// security that is not on this machine.
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

// isProtected tells whether nobody on the way can read what is sent to an address.
func isProtected(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && loopback.IsHost(u.Hostname())
}

func (m *metadata) checkMetadata(issuer string) error {
	if m.Issuer != issuer {
		return fmt.Errorf("it calls itself %q: name it exactly so, if that is who you mean", m.Issuer)
	}
	if m.Token == "" {
		return errors.New("it describes no token endpoint")
	}
	for what, address := range map[string]string{
		"authorization": m.Authorization, "token": m.Token, "device authorization": m.Device, "revocation": m.Revocation, "key": m.Keys,
	} {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.User != nil || !isProtected(u)) {
			return fmt.Errorf("its %s endpoint has an address that is not protected in transit", what)
		}
	}
	return nil
}

// signingAlgorithms gives the algorithms with which ID tokens may be signed: those
// that the provider names, but not none and not those that need a secret of ours.
func (m *metadata) signingAlgorithms() []string {
	return slices.DeleteFunc(slices.Clone(m.Algorithms), func(name string) bool {
		return strings.EqualFold(name, "none") || strings.HasPrefix(name, "HS")
	})
}

// HasDevice tells whether the provider signs devices in.
func (p *Provider) HasDevice() bool { return p.metadata.Device != "" }

// HasBrowser tells whether the provider signs in through a browser.
func (p *Provider) HasBrowser() bool { return p.metadata.Authorization != "" }

// Issuer is the provider's own name.
func (p *Provider) Issuer() string { return p.metadata.Issuer }

// RefusedError is the answer no of a provider (RFC 6749 section 5.2). Its texts are
// the provider's: they need cleaning before they are shown.
type RefusedError struct {
	Code        string
	Description string
	Status      int
}

func (r *RefusedError) Error() string {
	return "the identity provider refuses: " + cmp.Or(r.Description, r.Code)
}

// The refusals that have a meaning of their own here.
const (
	CodeDenied  = "access_denied"
	CodeExpired = "expired_token"
)
