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

// TokenSource configures the issuer of tokens. The issuer is an external provider or the owner of a
// shared secret. The zero TokenSource means the server's own development provider.
type TokenSource struct {
	// Issuer is the URL of the OpenID provider, exactly as in the claim iss.
	Issuer string
	// Audience is the required audience of tokens. It is optional with JWTSecretFile if no other
	// service uses the secret.
	Audience string
	// Resource is the URL of this server (RFC 9728), and an additional audience of tokens. If
	// Resource is empty, the server publishes Audience or the request's origin. Tokens for the
	// origin are rejected, because other servers may have the same address.
	Resource string
	// ClientID is the id of the OAuth client for the command line. The server only publishes the
	// id.
	ClientID string
	// JWTSecretFile is the path of a file with the HS256 secret.
	JWTSecretFile string
}

func (t TokenSource) isDevelopment() bool { return t.Issuer == "" && t.JWTSecretFile == "" }

// Check returns an error for settings that exclude each other, or for an invalid Resource.
func (t TokenSource) Check() error {
	switch {
	case t.Issuer != "" && t.JWTSecretFile != "":
		return errors.New("--issuer and --jwt-secret-file are mutually exclusive")
	case t.Issuer != "" && t.Audience == "": // The server would accept tokens for other services.
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
	resource, err := identity.ParseResource(cmp.Or(t.Resource, t.Audience))
	if err != nil {
		return identity.Resource{}
	}
	return resource
}

func (t TokenSource) audiences() []string {
	if t.Audience == "" {
		return nil
	}
	return append([]string{t.Audience}, t.readResource().Audiences()...)
}

type authentication struct {
	verifier      identity.Verifier
	provider      *identity.Provider
	signIn        *wire.SignIn // nil if a shared secret signs the tokens
	resource      identity.Resource
	resourceIsSet bool
}

func (s *Server) openAuthentication(ctx context.Context, options Options) (authentication, error) {
	tokens := options.Tokens
	switch {
	case tokens.Issuer != "":
		verifier, err := identity.OpenExternal(ctx, identity.ExternalOptions{
			Issuer: tokens.Issuer, Audiences: tokens.audiences(), ClientID: tokens.ClientID, Now: options.Now, Log: options.Log,
		})
		signIn := &wire.SignIn{
			Issuer: tokens.Issuer, ClientID: tokens.ClientID, Audience: tokens.Audience, Resource: tokens.Resource,
			Scopes: identity.SupportedScopes(),
		}
		return authentication{
			verifier: verifier, signIn: signIn, resource: tokens.readResource(), resourceIsSet: tokens.Resource != "",
		}, err
	case tokens.JWTSecretFile != "":
		verifier, err := identity.OpenSecret(tokens.JWTSecretFile, tokens.audiences(), options.Now)
		if err == nil && verifier.Exposed {
			options.Log.LogAttrs(ctx, slog.LevelWarn,
				"other users of this machine can read the file with the key that signs tokens: run chmod 600 on it",
				slog.String("file", tokens.JWTSecretFile))
		}
		return authentication{verifier: verifier, resource: tokens.readResource(), resourceIsSet: tokens.Resource != ""}, err
	}
	provider, err := identity.OpenProvider(identity.ProviderOptions{
		Dir: s.Dir(), Issuer: s.publicURL(&options), Now: options.Now,
	})
	signIn := &wire.SignIn{
		Issuer: s.publicURL(&options), ClientID: identity.ClientID, Audience: identity.Audience,
		Scopes: identity.SupportedScopes(), Development: true,
	}
	return authentication{verifier: provider, provider: provider, signIn: signIn}, err
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

// reachableAddress replaces a wildcard address by 127.0.0.1. A listener on [::] accepts IPv4
// connections too.
func reachableAddress(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return address
	}
	return net.JoinHostPort("127.0.0.1", port)
}

func (a *authentication) describeResource(origin string) wire.ProtectedResource {
	address := origin
	if a.isOwnAddress(origin) {
		address = strings.TrimSuffix(a.resource.String(), "/")
	}
	metadata := wire.ProtectedResource{
		Resource:               cmp.Or(a.resource.String(), address),
		BearerMethodsSupported: []string{"header"},
		ResourceName:           "parley",
		ResourceDocumentation:  address + "/docs",
	}
	if a.signIn != nil {
		metadata.AuthorizationServers, metadata.ScopesSupported = []string{a.signIn.Issuer}, a.signIn.Scopes
	}
	return metadata
}

func (a *authentication) metadataAddress(origin string) string {
	if a.isOwnAddress(origin) {
		return a.resource.Origin() + wire.PathProtectedResource + a.resource.Path()
	}
	return origin + wire.PathProtectedResource
}

// isOwnAddress reports whether the resource is also the server's address. A resource from Audience
// must have the request's origin.
func (a *authentication) isOwnAddress(origin string) bool {
	return a.resourceIsSet || a.resource.HasOrigin(origin)
}
