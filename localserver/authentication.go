package localserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/wire"
)

// TokenSource configures the issuer of tokens. It is an external provider, the owner of a shared
// secret, or, for the zero TokenSource, the development provider of this server.
type TokenSource struct {
	// Issuer is the URL of the OpenID provider, exactly as the provider writes it in its tokens.
	Issuer string
	// Audience is the audience that tokens must have. It must be set if Issuer is set. With
	// JWTSecretFile, it may be "" if the secret is used only for this service.
	Audience string
	// Resource is the URL of this server (RFC 9728). Tokens for Resource are accepted like tokens
	// for Audience. If Resource is "", the server publishes Audience if that is a URL, and
	// otherwise the address that the caller used. Tokens for the caller's address are not accepted,
	// because other servers may have the same address.
	Resource string
	// ClientID is the id of the public client that commands use to sign in to Issuer. The server
	// publishes this id and does not use it otherwise.
	ClientID string
	// JWTSecretFile is the path of a file with a secret. The secret signs tokens with HS256.
	JWTSecretFile string
}

func (t TokenSource) isDevelopment() bool { return t.Issuer == "" && t.JWTSecretFile == "" }

// Check returns an error about the command line flags. The error means that settings exclude each
// other, or that Resource is not a valid resource URL.
func (t TokenSource) Check() error {
	switch {
	case t.Issuer != "" && t.JWTSecretFile != "":
		return errors.New("--issuer and --jwt-secret-file are mutually exclusive")
	case t.Issuer != "" && t.Audience == "": // Otherwise a token that the issuer made for any other service would be accepted.
		return errors.New("--issuer needs --audience: the name that the provider writes into tokens for this server")
	case t.isDevelopment() && t.Audience != "":
		return errors.New("--audience needs --issuer or --jwt-secret-file")
	case t.Issuer == "" && t.ClientID != "":
		return errors.New("--client-id needs --issuer")
	case t.isDevelopment() && t.Resource != "":
		return errors.New("--resource needs --issuer or --jwt-secret-file")
	case t.Resource == "":
		return nil
	}
	if _, err := identity.ParseResource(t.Resource); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return nil
}

func (t TokenSource) readResource() identity.Resource {
	named, err := identity.ParseResource(cmp.Or(t.Resource, t.Audience))
	if err != nil {
		return identity.Resource{}
	}
	return named
}

// audiences returns nil if every audience is accepted.
func (t TokenSource) audiences() []string {
	if t.Audience == "" {
		return nil
	}
	return append([]string{t.Audience}, t.readResource().Audiences()...)
}

type authentication struct {
	verifier identity.Verifier
	provider *identity.Provider
	// told is the published sign-in information for commands, or nil if a secret is configured.
	told *wire.SignIn
	// resource is the URL that tokens are issued for, or the zero Resource. named means that the
	// operator has set TokenSource.Resource. Then resource is published as the server's own
	// address.
	resource identity.Resource
	named    bool
}

// openAuthentication opens the source of tokens. It fails if an external provider does not answer,
// because then the server could not verify any token.
func (s *Server) openAuthentication(ctx context.Context, o Options) (authentication, error) {
	t := o.Tokens
	switch {
	case t.Issuer != "":
		verifier, err := identity.OpenExternal(ctx, identity.ExternalOptions{Issuer: t.Issuer, Audiences: t.audiences(), ClientID: t.ClientID, Now: o.Now, Log: o.Log})
		return authentication{verifier: verifier, resource: t.readResource(), named: t.Resource != "", told: &wire.SignIn{
			Issuer: t.Issuer, ClientID: t.ClientID, Audience: t.Audience, Resource: t.Resource, Scopes: identity.SupportedScopes(),
		}}, err
	case t.JWTSecretFile != "":
		verifier, err := identity.OpenSecret(t.JWTSecretFile, t.audiences(), o.Now)
		if err == nil && verifier.Exposed {
			o.Log.LogAttrs(ctx, slog.LevelWarn, "other users of this machine can read the file with the key that signs tokens: run chmod 600 on it",
				slog.String("file", t.JWTSecretFile))
		}
		return authentication{verifier: verifier, resource: t.readResource(), named: t.Resource != ""}, err
	}
	provider, err := identity.OpenProvider(identity.ProviderOptions{Dir: s.Dir(), Issuer: s.publicURL(&o), Now: o.Now})
	return authentication{verifier: provider, provider: provider, told: &wire.SignIn{
		Issuer: s.publicURL(&o), ClientID: identity.ClientID, Audience: identity.Audience, Scopes: identity.SupportedScopes(), Development: true,
	}}, err
}

func (a *authentication) mountProvider(mux *http.ServeMux, checks *api.Checker, log *slog.Logger) {
	if a.provider == nil {
		return
	}
	row := &api.Page{ID: "development-provider", Limit: api.LimitPages}
	serve := func(w http.ResponseWriter, r *http.Request) {
		if err := checks.AdmitReader(row, w, r); err != nil {
			api.Write(w, r, api.ForCaller(r.Context(), log, err))
			return
		}
		a.provider.ServeHTTP(w, r)
	}
	for _, pattern := range a.provider.RoutePatterns() {
		mux.HandleFunc(pattern, serve)
	}
}

// reachableAddress replaces the wildcard in an address by 127.0.0.1, so that programs on this
// machine can connect to it. The wildcard may be [::], because Go then also listens on IPv4.
func reachableAddress(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return address
	}
	return net.JoinHostPort("127.0.0.1", port)
}

// describeResource returns the metadata about accepted tokens (RFC 9728 section 2) for the origin that the
// caller used.
func (a *authentication) describeResource(origin string) wire.ProtectedResource {
	address := origin
	if a.isOwnAddress(origin) {
		address = strings.TrimSuffix(a.resource.String(), "/")
	}
	told := wire.ProtectedResource{
		Resource:               cmp.Or(a.resource.String(), address),
		BearerMethodsSupported: []string{"header"},
		ResourceName:           "parley",
		ResourceDocumentation:  address + "/docs",
	}
	if a.told != nil {
		told.AuthorizationServers, told.ScopesSupported = []string{a.told.Issuer}, a.told.Scopes
	}
	return told
}

// metadataAddress returns the URL of the metadata (RFC 9728 section 3.1).
func (a *authentication) metadataAddress(origin string) string {
	if a.isOwnAddress(origin) {
		return a.resource.Origin() + wire.PathProtectedResource + a.resource.Path()
	}
	return origin + wire.PathProtectedResource
}

// isOwnAddress reports whether the resource is also the server's address. If the resource comes
// from Audience, it may be just a name, so it must have the origin that the caller used.
func (a *authentication) isOwnAddress(origin string) bool {
	return a.named || a.resource.HasOrigin(origin)
}
