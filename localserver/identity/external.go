package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/remote"
)

// Limits for requests to the provider.
const (
	fetchTimeout = 5 * time.Second
	maxFetched   = 1 << 20
	maxHops      = 5
)

// ExternalOptions name an identity provider.
type ExternalOptions struct {
	// Issuer is the provider's name and address, exactly as it writes it itself:
	// https, or http on loopback.
	Issuer string
	// Audiences are the accepted audiences of tokens; without any, a token for any other service of
	// the provider would be accepted.
	Audiences []string
	// ClientID is the client that users sign in with. If it is an audience too, the provider's
	// access tokens all look like ID tokens.
	ClientID string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Log receives failures of the provider; nil drops them.
	Log *slog.Logger
}

// External verifies tokens of an OpenID provider.
type External struct {
	issuer    string
	audiences []string
	// onlyForClients means that access tokens may look like ID tokens.
	onlyForClients bool

	now  func() time.Time
	keys *keySet
}

// OpenExternal asks the provider for the address of its keys (OpenID Connect Discovery) and reads
// them. It fails if the provider does not answer, or answers as another issuer.
func OpenExternal(ctx context.Context, o ExternalOptions) (*External, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if len(o.Audiences) == 0 {
		return nil, errors.New("identity provider: name the audience that its tokens for this server carry")
	}
	if err := checkAddress(o.Issuer); err != nil {
		return nil, fmt.Errorf("identity provider %q: %w", plaintext.RedactUser(o.Issuer), err)
	}
	client := newFetcher()
	address, err := discoverKeys(ctx, client, o.Issuer)
	if err != nil {
		return nil, fmt.Errorf("identity provider %s: %w", o.Issuer, err)
	}
	keys, err := openKeySet(ctx, client, address, o)
	if err != nil {
		return nil, fmt.Errorf("identity provider %s: %w", o.Issuer, err)
	}
	return &External{
		issuer: o.Issuer, audiences: o.Audiences, onlyForClients: slices.Contains(o.Audiences, o.ClientID), now: o.Now, keys: keys,
	}, nil
}

// Verify accepts tokens of the provider for this audience within their time. The
// error is an *Unavailable when the provider would have to be asked and does not
// answer.
func (e *External) Verify(ctx context.Context, raw string) (User, error) {
	token, err := parseToken(raw, externalAlgorithms...)
	if err != nil {
		return User{}, err
	}
	rules := expectedClaims{[]string{e.issuer}, e.audiences, e.now(), e.onlyForClients}
	registered, own, err := rules.readClaims(token, func(into ...any) error { return e.keys.verifyToken(ctx, token, into...) })
	if err != nil {
		return User{}, err
	}
	return own.toUser(userID(e.issuer, registered.Subject), registered.Subject), nil
}

// checkAddress requires https, because anyone who can replace the keys in transit can sign in as
// any user; loopback is exempt.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return err
	case u.Host == "" || !remote.IsPort(u) || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("it must be an address like https://accounts.example.com")
	}
	return checkTransport(u)
}

func checkTransport(u *url.URL) error {
	if u.Scheme == "https" || u.Scheme == "http" && remote.IsLoopback(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("the address %s must begin with https://", u.Redacted())
}

// newFetcher makes the client that asks the provider. It keeps no connection: it
// is used once an hour.
func newFetcher() *http.Client {
	return &http.Client{
		Timeout:   fetchTimeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxHops {
				return errors.New("too many redirects")
			}
			return checkTransport(r.URL)
		},
	}
}

// discoverKeys returns the address of the provider's keys.
func discoverKeys(ctx context.Context, client *http.Client, issuer string) (string, error) {
	var told struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	if err := fetchJSON(ctx, client, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration", &told); err != nil {
		return "", err
	}
	if told.Issuer != issuer {
		return "", fmt.Errorf("it calls itself %q: name it so", told.Issuer)
	}
	u, err := url.Parse(told.JWKSURI)
	if err != nil || u.Host == "" {
		return "", errors.New("it does not say where its keys are (jwks_uri)")
	}
	return told.JWKSURI, checkTransport(u)
}

// fetchJSON reads a JSON document of the provider.
func fetchJSON(ctx context.Context, client *http.Client, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxFetched+1))
	if err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	if len(body) > maxFetched {
		return fmt.Errorf("%s answers more than %d bytes", address, maxFetched)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s: not the JSON that belongs there: %w", address, err)
	}
	return nil
}
