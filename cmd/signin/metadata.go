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
	// NamesItself is set if callbacks contain the issuer (RFC 9207).
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

// signingAlgorithms returns the provider's algorithms for ID tokens, except "none" and those that
// need a client secret.
func (m *metadata) signingAlgorithms() []string {
	return slices.DeleteFunc(slices.Clone(m.Algorithms), func(name string) bool {
		return strings.EqualFold(name, "none") || strings.HasPrefix(name, "HS")
	})
}
