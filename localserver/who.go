package localserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/wire"
)

// Who says where the tokens of callers come from (interface section
// Authentication): an external provider, a shared secret, or, as the zero value,
// the development provider of this server.
type Who struct {
	// Issuer is the OpenID provider, exactly as it names itself.
	Issuer string
	// Audience is what tokens must be for. Issuer demands it; with a secret that
	// belongs to this service alone it may be "".
	Audience string
	// ClientID is the public client as which commands sign in to Issuer; it is
	// only told to them.
	ClientID string
	// JWTSecretFile holds the secret with which a provider signs HS256.
	JWTSecretFile string
}

func (w Who) development() bool { return w.Issuer == "" && w.JWTSecretFile == "" }

func (w Who) check() error {
	switch {
	case w.Issuer != "" && w.JWTSecretFile != "":
		return errors.New("an issuer and a secret are named: tokens come from the one or the other")
	case w.Issuer != "" && w.Audience == "":
		return errors.New("an issuer without an audience: name the audience that its tokens for this server carry, else a token for any other service would do")
	case w.development() && w.Audience != "":
		return errors.New("an audience is named, but no issuer and no secret")
	case w.Issuer == "" && w.ClientID != "":
		return errors.New("a client is named, but no issuer")
	}
	return nil
}

// signIn is where tokens come from.
type signIn struct {
	verifier identity.Verifier
	// provider is the development provider, nil where tokens come from elsewhere.
	provider *identity.Provider
	// told is what commands may know, nil where there is nothing to tell.
	told *wire.SignIn
}

// openSignIn opens what Options.Who names. It fails when an external provider
// does not answer: a server that can let nobody in should say so at once.
func (s *Server) openSignIn(ctx context.Context, o Options) (signIn, error) {
	switch {
	case o.Who.Issuer != "":
		verifier, err := identity.OpenExternal(ctx, identity.ExternalOptions{Issuer: o.Who.Issuer, Audience: o.Who.Audience, Now: o.Now, Log: o.Log})
		return signIn{verifier: verifier, told: &wire.SignIn{
			Issuer: o.Who.Issuer, ClientID: o.Who.ClientID, Audience: o.Who.Audience, Scopes: identity.Scopes(),
		}}, err
	case o.Who.JWTSecretFile != "":
		verifier, err := identity.OpenSecret(o.Who.JWTSecretFile, o.Who.Audience, o.Now)
		if err == nil && verifier.Exposed {
			o.Log.LogAttrs(ctx, slog.LevelWarn, "others on this machine can read the file with which tokens are signed: chmod 600",
				slog.String("file", o.Who.JWTSecretFile))
		}
		return signIn{verifier: verifier}, err
	}
	provider, err := identity.OpenProvider(identity.ProviderOptions{Dir: s.dir, Issuer: s.URL(), Now: o.Now})
	return signIn{verifier: provider, provider: provider, told: &wire.SignIn{
		Issuer: s.URL(), ClientID: identity.ClientID, Audience: identity.Audience, Scopes: identity.Scopes(), Development: true,
	}}, err
}

// serveSignIn mounts the development provider, and what commands ask before they
// sign in.
func (s *service) serveSignIn(mux *http.ServeMux) {
	if s.signIn.provider != nil {
		for _, pattern := range s.signIn.provider.Patterns() {
			mux.Handle(pattern, s.signIn.provider)
		}
	}
	if s.signIn.told != nil {
		mux.HandleFunc("GET "+wire.PathSignIn, func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, s.signIn.told)
		})
	}
}

// reachable is a bound address as this machine reaches it: one that stands for
// all addresses becomes the loopback one. Go listens on IPv4 too where it says
// [::].
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return address
	}
	return net.JoinHostPort("127.0.0.1", port)
}
