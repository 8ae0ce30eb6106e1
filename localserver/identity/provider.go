package identity

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/parley-npc/parley/localserver/store"
)

// ClientID is the client id of the command line. The development provider also accepts other client
// ids.
const ClientID = "parley-cli"

const (
	pathDiscovery     = "/.well-known/openid-configuration"
	pathMetadata      = "/.well-known/oauth-authorization-server"
	pathPrefix        = "/oauth/"
	pathKeys          = "/oauth/jwks.json"
	pathAuthorize     = "/oauth/authorize"
	pathToken         = "/oauth/token" //nolint:gosec // a path, no token
	pathDeviceRequest = "/oauth/device_authorization"
	pathDevice        = "/oauth/device"
	pathRevoke        = "/oauth/revoke"
)

const accessLifetime = time.Hour

// SupportedScopes returns the scopes of the development provider. The scopes select information
// about the user and grant no permissions.
func SupportedScopes() []string { return []string{"openid", "profile", "email", "offline_access"} }

// ProviderOptions configures a Provider.
type ProviderOptions struct {
	// Dir is the data folder. This process must hold its lock.
	Dir string
	// Issuer is the URL of the provider without a final slash, for example http://127.0.0.1:8787.
	Issuer string
	// Now is the clock. The default is time.Now.
	Now func() time.Time
	// PollInterval is the minimum time between two polls of a device, in whole seconds. The default
	// is 5 seconds.
	PollInterval time.Duration
}

// Provider is an OpenID provider for development. It supports discovery, the device grant (RFC
// 8628) and the code grant with PKCE (RFC 7636). It supports refresh tokens and revocation (RFC
// 7009). The sign-in page accepts any e-mail address without a password. Requests through a proxy
// are rejected.
type Provider struct {
	*Dev
	issuer       string
	pollInterval time.Duration
	pages        *template.Template
	styleHash    string // for the Content-Security-Policy
	mux          *http.ServeMux
	inner        http.Handler

	// records is nil for a single server. Then mu guards state.
	records *store.ProviderRecords
	path    string
	mu      sync.Mutex
	state   providerState
}

// OpenProvider opens the development provider of a data folder.
func OpenProvider(options ProviderOptions) (*Provider, error) {
	dev, err := OpenDev(options.Dir, options.Now)
	if err != nil {
		return nil, err
	}
	pages, err := template.ParseFS(pageFiles, "pages.html")
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(style))
	p := &Provider{
		Dev: dev, issuer: options.Issuer, pollInterval: cmp.Or(options.PollInterval, pollInterval), pages: pages,
		styleHash: base64.StdEncoding.EncodeToString(hash[:]),
		mux:       http.NewServeMux(), path: filepath.Join(options.Dir, signInsFile),
	}
	if p.state.records, err = readSignIns(p.path); err != nil {
		return nil, err
	}
	for pattern, handler := range p.routeTable() {
		p.mux.HandleFunc(pattern, handler)
	}
	p.inner = http.NewCrossOriginProtection().Handler(p.mux)
	return p, nil
}

func (p *Provider) routeTable() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET " + pathDiscovery:      p.serveDiscovery,
		"GET " + pathMetadata:       p.serveDiscovery,
		"GET " + pathKeys:           p.serveKeys,
		"GET " + pathAuthorize:      p.serveSignInForm,
		"POST " + pathAuthorize:     p.submitSignIn,
		"POST " + pathToken:         p.serveToken,
		"POST " + pathDeviceRequest: p.beginDevice,
		"GET " + pathDevice:         p.serveDeviceForm,
		"POST " + pathDevice:        p.submitDevice,
		"POST " + pathRevoke:        p.serveRevoke,
	}
}

// RoutePatterns returns the ServeMux patterns of the provider.
func (p *Provider) RoutePatterns() []string {
	return slices.Sorted(maps.Keys(p.routeTable()))
}

// ServeHTTP rejects requests from pages of other sites. It also rejects requests through a proxy,
// except for discovery.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch {
	case !IsForwarded(r) || !strings.HasPrefix(r.URL.Path, pathPrefix):
		p.inner.ServeHTTP(w, r)
	// Without passwords, other machines could sign in as any user.
	case r.URL.Path == pathAuthorize || r.URL.Path == pathDevice:
		p.showFault(w, http.StatusForbidden, forwardedSignIn)
	default:
		writeJSON(w, http.StatusForbidden, &oauthError{Code: "access_denied", Description: forwardedSignIn})
	}
}

const (
	forwardedSignIn = "This server's development sign-in is for its own machine, and this call came through a proxy. " +
		"Start the server with --issuer or --jwt-secret-file to let other machines sign in."
	forwardedToken = "it is from this server's development sign-in, which is for its own machine, " +
		"and this call came through a proxy: start the server with --issuer or --jwt-secret-file"
)

// Verify returns the user of an unexpired token. It returns an *InvalidToken after the sign-in has
// ended, and for a request through a proxy.
func (p *Provider) Verify(ctx context.Context, raw string) (User, error) {
	if WasForwarded(ctx) {
		return User{}, &InvalidToken{Reason: forwardedToken}
	}
	user, signIn, err := p.verifyAnyToken(ctx, raw)
	if err != nil || signIn == "" {
		return user, err
	}
	ok, err := p.isSignedIn(ctx, signIn)
	switch {
	case err != nil:
		return User{}, err
	case !ok:
		return User{}, &InvalidToken{Reason: "it was signed out, sign in again"}
	}
	return user, nil
}

var supportedClaims = []string{
	"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "email", "email_verified", "name",
}

// metadata follows OpenID Connect Discovery 1.0 section 3, RFC 8414, RFC 8628 section 4 and RFC
// 9207.
func (p *Provider) metadata() map[string]any {
	none := []string{"none"}
	return map[string]any{
		"issuer":                                         p.issuer,
		"jwks_uri":                                       p.issuer + pathKeys,
		"authorization_endpoint":                         p.issuer + pathAuthorize,
		"token_endpoint":                                 p.issuer + pathToken,
		"device_authorization_endpoint":                  p.issuer + pathDeviceRequest,
		"revocation_endpoint":                            p.issuer + pathRevoke,
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{grantCode, grantRefresh, grantDevice},
		"code_challenge_methods_supported":               []string{"S256"},
		"token_endpoint_auth_methods_supported":          none,
		"revocation_endpoint_auth_methods_supported":     none,
		"scopes_supported":                               SupportedScopes(),
		"subject_types_supported":                        []string{"public"},
		"id_token_signing_alg_values_supported":          []string{string(jose.ES256)},
		"claims_supported":                               supportedClaims,
		"prompt_values_supported":                        []string{"none", "login"},
		"request_parameter_supported":                    false,
		"request_uri_parameter_supported":                false,
		"authorization_response_iss_parameter_supported": true,
	}
}

func (p *Provider) serveDiscovery(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, p.metadata())
}

func (p *Provider) serveKeys(w http.ResponseWriter, r *http.Request) {
	keys, err := p.listKeys(r.Context())
	if err != nil {
		writeOAuthError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, keys)
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
