package localserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/wire"
)

// TokenSource is the source of callers' tokens (interface section Authentication): an external
// provider, a shared secret, or, as the zero value, the development provider of this server.
type TokenSource struct {
	// Issuer is the OpenID provider, exactly as it names itself.
	Issuer string
	// Audience is the required audience of tokens. Issuer demands it; with a secret that belongs to
	// this service alone it may be "".
	Audience string
	// Resource is the URL that identifies this server (RFC 9728); tokens for it count as those for
	// Audience. If it is empty, Audience is used if it is a URL, and otherwise the address that the
	// caller used. Tokens are not valid for such an address, because other servers may have it too.
	Resource string
	// ClientID is the public client for signing in to Issuer with commands; the server only passes
	// it on.
	ClientID string
	// JWTSecretFile holds the secret with which a provider signs HS256.
	JWTSecretFile string
}

func (t TokenSource) isDevelopment() bool { return t.Issuer == "" && t.JWTSecretFile == "" }

func (t TokenSource) checkTogether() error {
	switch {
	case t.Issuer != "" && t.JWTSecretFile != "":
		return errors.New("an issuer and a secret are named: tokens come from the one or the other")
	case t.Issuer != "" && t.Audience == "":
		return errors.New("an issuer without an audience: name the audience that its tokens for this server carry, else a token for any other service would do")
	case t.isDevelopment() && t.Audience != "":
		return errors.New("an audience is named, but no issuer and no secret")
	case t.Issuer == "" && t.ClientID != "":
		return errors.New("a client is named, but no issuer")
	case t.isDevelopment() && t.Resource != "":
		return errors.New("a resource is named, but no issuer and no secret")
	}
	return t.CheckResource()
}

// CheckResource returns an error if Resource is not a URL of a service.
func (t TokenSource) CheckResource() error {
	if t.Resource == "" {
		return nil
	}
	_, err := identity.ParseResource(t.Resource)
	return err
}

// readResource returns the resource that the tokens are for: the configured one, else the audience
// if it is a URL.
func (t TokenSource) readResource() identity.Resource {
	named, err := identity.ParseResource(cmp.Or(t.Resource, t.Audience))
	if err != nil {
		return identity.Resource{}
	}
	return named
}

// audiences returns the accepted audiences of tokens, or nil if any is accepted.
func (t TokenSource) audiences() []string {
	if t.Audience == "" {
		return nil
	}
	return append([]string{t.Audience}, t.readResource().Audiences()...)
}

// authentication is how callers show who they are.
type authentication struct {
	verifier identity.Verifier
	// provider is the development provider, nil where tokens come from elsewhere.
	provider *identity.Provider
	// told is the sign-in information for commands; optional.
	told *wire.SignIn
	// resource is the URL that tokens are for. It is published if the operator declares it the
	// server's own.
	resource identity.Resource
	named    bool
}

// openAuthentication opens the source in Options.Tokens. It fails if an external provider does not
// answer, because such a server could not admit anyone and should report that at once.
func (s *Server) openAuthentication(ctx context.Context, o Options) (authentication, error) {
	switch {
	case o.Tokens.Issuer != "":
		return openIssuer(ctx, o)
	case o.Tokens.JWTSecretFile != "":
		return openSecret(ctx, o)
	}
	provider, err := identity.OpenProvider(identity.ProviderOptions{Dir: s.Dir(), Issuer: s.publicURL(&o), Now: o.Now})
	return authentication{verifier: provider, provider: provider, told: &wire.SignIn{
		Issuer: s.publicURL(&o), ClientID: identity.ClientID, Audience: identity.Audience, Scopes: identity.SupportedScopes(), Development: true,
	}}, err
}

func openIssuer(ctx context.Context, o Options) (authentication, error) {
	verifier, err := identity.OpenExternal(ctx, identity.ExternalOptions{Issuer: o.Tokens.Issuer, Audiences: o.Tokens.audiences(), ClientID: o.Tokens.ClientID, Now: o.Now, Log: o.Log})
	return authentication{verifier: verifier, resource: o.Tokens.readResource(), named: o.Tokens.Resource != "", told: &wire.SignIn{
		Issuer: o.Tokens.Issuer, ClientID: o.Tokens.ClientID, Audience: o.Tokens.Audience, Resource: o.Tokens.Resource, Scopes: identity.SupportedScopes(),
	}}, err
}

func openSecret(ctx context.Context, o Options) (authentication, error) {
	verifier, err := identity.OpenSecret(o.Tokens.JWTSecretFile, o.Tokens.audiences(), o.Now)
	if err == nil && verifier.Exposed {
		o.Log.LogAttrs(ctx, slog.LevelWarn, "others on this machine can read the file with which tokens are signed: chmod 600",
			slog.String("file", o.Tokens.JWTSecretFile))
	}
	return authentication{verifier: verifier, resource: o.Tokens.readResource(), named: o.Tokens.Resource != ""}, err
}

// mountProvider puts the pages of the development provider on the mux, with the limit of
// all pages.
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

// reachableAddress returns a bound address in a form that this machine can reach: a wildcard
// becomes the loopback address. For [::] Go listens on IPv4 too.
func reachableAddress(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return address
	}
	return net.JoinHostPort("127.0.0.1", port)
}
