package localserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/pages"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Start starts a server; ctx bounds the start and not the server's life. It
// refuses an address that is not a loopback one, a data folder on which another
// server runs (ErrBusy), and a database that it cannot use.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{done: make(chan struct{}), models: &models.Set{}}
	if err := s.startParts(ctx, o); err != nil {
		return nil, errors.Join(err, s.undoAll())
	}
	return s, nil
}

func (s *Server) startParts(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	origins, err := api.NewOrigins(o.CORSOrigins)
	if err != nil {
		return err
	}
	s.telemetry = api.NewTelemetry(o.Version, o.Now)
	if err := s.openModels(ctx, &o); err != nil {
		return err
	}
	listener, err := s.bindAddress(ctx, o.Listen, o.Tokens.isDevelopment())
	if err != nil {
		return err
	}
	warnOfOpenAddress(ctx, listener.Addr(), o.Tokens, o.Log)
	if s.folder, err = datafolder.Open(o.Data); err != nil {
		return err
	}
	s.onStop(s.folder.Close)
	s.narrowRights(ctx, o.Log)
	auth, err := s.openAuthentication(ctx, o)
	if err != nil {
		return err
	}
	kept, err := s.openStore(ctx, o)
	if err != nil {
		return err
	}
	if err := shareSignIn(ctx, auth.provider, kept); err != nil {
		return fmt.Errorf("the database %s: %w", o.Database, err)
	}
	if err := s.keepSignedIn(ctx, auth.provider, kept, o); err != nil {
		return err
	}
	// An error now is reported by the first call that reads the store.
	has, err := store.HasPersona(ctx, kept)
	s.empty = err == nil && !has
	layers := s.newLayers(&o, origins)
	layers.Metadata = auth.metadataAddress
	watched := &api.Listener{Listener: listener, Answer: layers.AnswerUnreadable, After: o.after}
	if err := s.serveMetrics(ctx, o.MetricsListen, o.Log); err != nil {
		return err
	}
	s.serveRequests(ctx, watched, s.newHandler(&o, kept, auth, &layers), o.Log)
	return nil
}

// openModels sets up the models for the characters.
func (s *Server) openModels(ctx context.Context, o *Options) error {
	if o.Model == nil {
		set, err := o.LLM.OpenModels(s.telemetry, o.Version)
		if err != nil {
			return err
		}
		s.onStop(set.Close)
		s.models, o.Model = set, set.Model
		if note := s.Recording().Note; note != "" {
			o.Log.LogAttrs(ctx, slog.LevelWarn, "recording", slog.String("note", note))
		}
	}
	return nil
}

// bindAddress binds the address, with the development provider after making sure that
// only this machine reaches it: a name that leads here may be known to others too.
func (s *Server) bindAddress(ctx context.Context, address string, development bool) (net.Listener, error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, errors.New(plaintext.RedactUser(fmt.Sprintf("address %q: %v", address, err)))
	}
	if development && (!resolved.IP.IsLoopback() || !api.IsLoopbackHost(address)) {
		return nil, fmt.Errorf("address %q is open to other machines, and this server's development sign-in gives a token to whoever asks: listen on 127.0.0.1, or name who issues tokens, with --issuer or --jwt-secret-file", plaintext.RedactUser(address))
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", resolved.String())
	if err != nil {
		return nil, err
	}
	s.onStop(func() error { return ignoreClosed(listener.Close()) })
	s.address = listener.Addr().String()
	return listener, nil
}

// warnOfOpenAddress warns about an address beyond this machine: the server speaks plain http, which
// can be read in transit, and a secret alone does not limit a token to one service.
func warnOfOpenAddress(ctx context.Context, address net.Addr, tokens TokenSource, log *slog.Logger) {
	if bound, ok := address.(*net.TCPAddr); ok && bound.IP.IsLoopback() {
		return
	}
	log.LogAttrs(ctx, slog.LevelWarn, "tokens, keys and what players write travel openly to this address: let other machines reach it through a proxy with TLS only",
		slog.String("address", address.String()))
	if tokens.JWTSecretFile != "" && tokens.Audience == "" {
		log.LogAttrs(ctx, slog.LevelWarn, "a token that this file's owner has signed for any other service is taken here too: name this one with --audience, as the provider writes it into tokens",
			slog.String("file", tokens.JWTSecretFile))
	}
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// newHandler is the whole server as one http.Handler.
func (s *Server) newHandler(o *Options, kept *store.Store, auth authentication, layers *api.Stack) http.Handler {
	needsToken := o.ChatAuth == ChatAuthRequired
	s.checks = api.NewChecker(api.Options{
		Store: kept, Verifier: auth.verifier, ChatNeedsToken: needsToken,
		RateLimit: o.RateLimit, OnLimit: o.OnLimit, Faults: o.Faults, Telemetry: s.telemetry, Now: o.Now, Clock: o.clock,
	})
	mux := http.NewServeMux()
	table := s.newHandlers(o, kept).routeTable()
	mountRoutes(mux, table, s.checks, o.Log)
	s.expectFailures(table)
	auth.mountProvider(mux, s.checks, o.Log)
	site := pages.New(pages.Options{
		Store: kept, Telemetry: s.telemetry, Log: o.Log, Version: o.Version,
		ChatNeedsToken: needsToken, MayDirect: o.mayDirect(), SignIn: auth.told, Describe: describeInterface,
		Resource: auth.describeResource, ResourcePath: auth.resource.Path(), Origin: layers.Origin,
		Admit: s.checks.AdmitReader, Reserve: s.checks.ReserveDocument, Leaving: s.leaving.Load,
	})
	site.Mount(mux)
	layers.NoPage = site.ServeNothing
	return api.MarkHandled(s.closeKept(layers.Wrap(mux)))
}

func (s *Server) newLayers(o *Options, origins api.Origins) api.Stack {
	return api.Stack{
		Proxies: o.TrustedProxies, Hosts: api.NewHosts(o.hostNames()...), Origin: s.findOrigin(o),
		Origins: origins, Telemetry: s.telemetry, Log: o.Log, Now: o.Now,
	}
}

const (
	// clientPatience is the default time that clients wait for a whole reply.
	clientPatience = 2 * time.Minute
	// storePatience is the time for the rest of a turn.
	storePatience = 10 * time.Second
)

// TurnLimit returns the time limit of the models for one turn: the sum of their own limits, but a
// little less than clients wait by default if that is enough.
func (s *Server) TurnLimit() time.Duration {
	if s.models.TurnLimit <= clientPatience {
		return play.DefaultTurnLimit
	}
	return s.models.TurnLimit + storePatience
}

func (s *Server) newHandlers(o *Options, kept *store.Store) *handlers {
	player := play.New(kept, s.telemetry.MeasureModel(o.Model))
	player.Now, player.MayDirect, player.TurnLimit = o.Now, o.mayDirect(), s.TurnLimit()
	s.player = player
	playURL := strings.TrimSuffix(o.PlayURL, "/")
	if playURL == "" {
		playURL = s.publicURL(o) + "/play"
	}
	h := &handlers{
		personas: personaHandlers{kept, playURL},
		sessions: sessionHandlers{player, s.telemetry, o.after},
		progress: progressHandlers{player},
		accounts: accountHandlers{kept, o.Now},
	}
	if s.models.Writer != nil {
		h.drafts.drafter = draft.New(s.models.Writer)
	}
	return h
}

// withoutPanic runs the server's work outside of requests. It turns a panic into an error, with its
// stack in the log: a panic ends the server but not the program, which may have to restore a
// terminal.
func withoutPanic(log *slog.Logger, do func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			log.Error("panic", slog.String("panic", fmt.Sprint(panicked)), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("the server broke: %v; please report this", panicked)
		}
	}()
	return do()
}
