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
	"github.com/parley-npc/parley/personas/wire"
)

const (
	fetchTimeout = 5 * time.Second
	maxFetched   = 1 << 20
	maxHops      = 5
)

// ExternalOptions configures an External.
type ExternalOptions struct {
	// Issuer is the URL of the provider, exactly as in its tokens. The scheme is https, or http on
	// loopback.
	Issuer string
	// Audiences are the accepted audiences of tokens. At least one is required. Otherwise tokens
	// for any other service of the provider would be accepted.
	Audiences []string
	// ClientID is the client id for signing in. If Audiences contains ClientID, access tokens may
	// look like ID tokens.
	ClientID string
	// Now is the clock. The default is time.Now.
	Now func() time.Time
	// Log receives failures of the provider. The default is no log.
	Log *slog.Logger
}

// An External verifies tokens of an OpenID provider.
type External struct {
	issuer       string
	audiences    []string
	acceptIDLike bool

	now  func() time.Time
	keys *keySet
}

// OpenExternal requests the provider's configuration (OpenID Connect Discovery) and keys. It
// returns an error if the configuration contains another issuer.
func OpenExternal(ctx context.Context, options ExternalOptions) (*External, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if len(options.Audiences) == 0 {
		return nil, errors.New("identity provider: the audience of its tokens for this server is required")
	}
	if err := checkAddress(options.Issuer); err != nil {
		return nil, fmt.Errorf("identity provider %q: %w", plaintext.RedactUser(options.Issuer), err)
	}
	client := newFetcher()
	address, err := discoverKeys(ctx, client, options.Issuer)
	if err != nil {
		return nil, fmt.Errorf("identity provider %s: %w", options.Issuer, err)
	}
	keys, err := openKeySet(ctx, client, address, options)
	if err != nil {
		return nil, fmt.Errorf("identity provider %s: %w", options.Issuer, err)
	}
	return &External{
		issuer: options.Issuer, audiences: options.Audiences, now: options.Now, keys: keys,
		acceptIDLike: slices.Contains(options.Audiences, options.ClientID),
	}, nil
}

// Verify returns the user of an unexpired token for one of the audiences. It returns an
// *Unavailable if newer keys are needed and the provider does not respond.
func (e *External) Verify(ctx context.Context, raw string) (User, error) {
	token, err := parseToken(raw, externalAlgorithms...)
	if err != nil {
		return User{}, err
	}
	rules := expectedClaims{[]string{e.issuer}, e.audiences, e.now(), e.acceptIDLike}
	registered, custom, err := rules.read(token, func(dest ...any) error {
		return e.keys.verifyToken(ctx, token, dest...)
	})
	if err != nil {
		return User{}, err
	}
	return custom.toUser(userID(e.issuer, registered.Subject), registered.Subject), nil
}

func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !wire.IsPort(u) || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("must be a URL such as https://accounts.example.com")
	}
	return checkTransport(u)
}

func checkTransport(u *url.URL) error {
	// With http, an attacker could replace the keys in transit and sign in as any user.
	if u.Scheme == "https" || u.Scheme == "http" && wire.IsLoopback(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("the address %s must begin with https://", u.Redacted())
}

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

func discoverKeys(ctx context.Context, client *http.Client, issuer string) (string, error) {
	var configuration struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	address := strings.TrimSuffix(issuer, "/") + pathDiscovery
	if err := fetchJSON(ctx, client, address, &configuration); err != nil {
		return "", err
	}
	if configuration.Issuer != issuer {
		return "", fmt.Errorf("its own name is %q: use that as the issuer", configuration.Issuer)
	}
	u, err := url.Parse(configuration.JWKSURI)
	if err != nil || u.Host == "" {
		return "", errors.New("its configuration does not contain the URL of its keys (jwks_uri)")
	}
	return configuration.JWKSURI, checkTransport(u)
}

func fetchJSON(ctx context.Context, client *http.Client, address string, dest any) error {
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
	if err := json.Unmarshal(body, dest); err != nil {
		return fmt.Errorf("%s: invalid JSON: %w", address, err)
	}
	return nil
}
