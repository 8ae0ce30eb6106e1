package signin

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

const (
	// discoveryPath is the path of an OpenID provider's description. It is appended to the issuer
	// (OpenID Connect Discovery 1.0 section 4).
	discoveryPath = "/.well-known/openid-configuration"
	// serverPath is the path of an OAuth server's description. It is inserted before the path of
	// the issuer (RFC 8414 section 3).
	serverPath = "/.well-known/oauth-authorization-server"
)

// metadata is the part of a provider's description that is used here.
type metadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Device        string   `json:"device_authorization_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`
	Keys          string   `json:"jwks_uri"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
	Prompts       []string `json:"prompt_values_supported"`
	// NamesItself means that callbacks in the browser contain the issuer (RFC 9207).
	NamesItself bool `json:"authorization_response_iss_parameter_supported"`
}

// readMetadata reads the provider's description by OpenID, or else by RFC 8414. It returns the
// first error if both fail.
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

// insertPath inserts the path of a well-known document between the host and the path of an address,
// as RFC 8414 and RFC 9728 require.
func insertPath(address, wellKnown string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	at := url.URL{Scheme: u.Scheme, Host: u.Host}
	return at.String() + wellKnown + strings.TrimSuffix(u.EscapedPath(), "/")
}

// A noDocumentError means that an address responded, but not with a document of the expected form.
type noDocumentError struct{ Text string }

func (e *noDocumentError) Error() string { return e.Text }

func (m *metadata) checkMetadata(issuer string) error {
	if m.Issuer != issuer {
		return fmt.Errorf("its description has the issuer %q: use exactly this address if you mean this provider", shortenText(m.Issuer))
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

// signingAlgorithms returns the accepted algorithms for ID tokens. They are those in the provider's
// description, except "none" and those that need a client secret.
func (m *metadata) signingAlgorithms() []string {
	return slices.DeleteFunc(slices.Clone(m.Algorithms), func(name string) bool {
		return strings.EqualFold(name, "none") || strings.HasPrefix(name, "HS")
	})
}
