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
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// Start starts a server. ctx limits only the start. The error is datafolder.ErrBusy if another
// server uses the data folder.
func Start(ctx context.Context, options Options) (*Server, error) {
	s := &Server{done: make(chan struct{}), models: &models.Set{}}
	if err := s.startParts(ctx, options); err != nil {
		return nil, errors.Join(err, s.undoAll())
	}
	return s, nil
}

func (s *Server) startParts(ctx context.Context, options Options) error {
	options, err := options.withDefaults()
	if err != nil {
		return err
	}
	origins, err := api.NewOrigins(options.CORSOrigins)
	if err != nil {
		return err
	}
	s.telemetry = api.NewTelemetry(options.Version)
	if err := s.openModels(ctx, &options); err != nil {
		return err
	}
	listener, err := s.bindAddress(ctx, options.Listen, options.Tokens.isDevelopment())
	if err != nil {
		return err
	}
	warnOfOpenAddress(ctx, listener.Addr(), options.Tokens, options.Log)
	dir, closeFolder, err := datafolder.Open(options.Data)
	if err != nil {
		return err
	}
	s.dir = dir
	s.onStop(closeFolder)
	s.narrowRights(ctx, options.Log)
	auth, err := s.openAuthentication(ctx, options)
	if err != nil {
		return err
	}
	database, err := s.openStore(ctx, options)
	if err != nil {
		return err
	}
	if records := store.SharedRecords(database); records != nil && auth.provider != nil {
		if err := auth.provider.ShareRecords(ctx, records); err != nil {
			return fmt.Errorf("the database %s: %w", options.Database, err)
		}
	}
	if err := s.keepSignedIn(ctx, auth.provider, database, options); err != nil {
		return err
	}
	hasPersona, err := store.HasPersona(ctx, database) // The next request reports an error too.
	s.empty = err == nil && !hasPersona
	layers := api.Stack{
		Proxies: options.TrustedProxies, Hosts: api.NewHosts(options.hostNames()...),
		Origin: s.findOrigin(&options), Origins: origins,
		Telemetry: s.telemetry, Log: options.Log, Now: options.Now, Metadata: auth.metadataAddress,
	}
	if err := s.serveMetrics(ctx, options.MetricsListen, options.Log); err != nil {
		return err
	}
	tracked := &trackedListener{Listener: listener, answer: layers.AnswerUnreadable}
	s.serveRequests(ctx, tracked, s.newHandler(&options, database, auth, &layers), options.Log)
	return nil
}

func (s *Server) openModels(ctx context.Context, options *Options) error {
	if options.Model == nil {
		set, err := options.LLM.OpenModels(s.telemetry, options.Version)
		if err != nil {
			return err
		}
		s.onStop(set.Close)
		s.models, options.Model = set, set.Model
		if note := s.Recording().Note; note != "" {
			options.Log.LogAttrs(ctx, slog.LevelWarn, "recording", slog.String("note", note))
		}
	}
	return nil
}

// bindAddress allows only loopback addresses and names with the development provider. Other
// machines may know this machine by any other name.
func (s *Server) bindAddress(ctx context.Context, address string, development bool) (net.Listener, error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", address, err)
	}
	if development && (!resolved.IP.IsLoopback() || !api.IsLoopbackHost(address)) {
		return nil, fmt.Errorf("address %q is open to other machines, "+
			"but the development sign-in gives a token to everybody: "+
			"listen on 127.0.0.1, or set a token issuer with --issuer or --jwt-secret-file", address)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", resolved.String())
	if err != nil {
		return nil, err
	}
	s.onStop(func() error { return ignoreClosed(listener.Close()) })
	s.address = listener.Addr().String()
	return listener, nil
}

func warnOfOpenAddress(ctx context.Context, address net.Addr, tokens TokenSource, log *slog.Logger) {
	if bound, ok := address.(*net.TCPAddr); ok && bound.IP.IsLoopback() {
		return
	}
	log.LogAttrs(ctx, slog.LevelWarn,
		"tokens, keys and messages are sent to this address unencrypted: other machines should use a proxy with TLS",
		slog.String("address", address.String()))
	if tokens.JWTSecretFile != "" && tokens.Audience == "" {
		log.LogAttrs(ctx, slog.LevelWarn,
			"tokens that were signed for other services with the key in this file are accepted here too: "+
				"set --audience to the audience of tokens for this server",
			slog.String("file", tokens.JWTSecretFile))
	}
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (s *Server) newHandler(
	options *Options, database *store.Store, auth authentication, layers *api.Stack,
) http.Handler {
	s.checks = api.NewChecker(api.Options{
		Store: database, Verifier: auth.verifier, ChatNeedsToken: options.ChatNeedsToken,
		RateLimit: options.RateLimit, OnLimit: options.OnLimit, Faults: options.Faults,
		Telemetry: s.telemetry, Now: options.Now, Clock: options.clock,
	})
	mux := http.NewServeMux()
	table := s.newHandlers(options, database).routeTable()
	mountRoutes(mux, table, s.checks, options.Log)
	for i := range table {
		s.telemetry.ExpectRequests(&table[i].Route)
	}
	s.telemetry.ExpectTurns(api.TurnKept, api.TurnReplayed, api.TurnCanceled,
		wire.CodeInternal, wire.CodeUnavailable, wire.CodeModelFailed, wire.CodeModelTimeout)
	auth.mountProvider(mux, s.checks, options.Log)
	pages := newPageServer(&pageServer{server: s, options: options, store: database, auth: &auth, origin: layers.Origin})
	pages.mount(mux)
	layers.NoPage = pages.serveNothing
	return markHandled(s.closeKept(layers.Wrap(mux)))
}

const (
	clientTimeout = 2 * time.Minute
	storeTimeout  = 10 * time.Second
)

// TurnLimit returns the time limit of the models for one turn.
func (s *Server) TurnLimit() time.Duration {
	if s.models.TurnLimit <= clientTimeout {
		return play.DefaultTurnLimit
	}
	return s.models.TurnLimit + storeTimeout
}

func (s *Server) newHandlers(options *Options, database *store.Store) *handlers {
	player := play.New(database, options.Model)
	player.Now, player.MayDirect = options.Now, options.mayDirect()
	player.TurnLimit, player.OnStep = s.TurnLimit(), s.telemetry.CountStep
	s.player = player
	s.onStop(player.Close)
	playURL := strings.TrimSuffix(options.PlayURL, "/")
	if playURL == "" {
		playURL = s.publicURL(options) + "/play"
	}
	h := &handlers{
		store: database, play: player, telemetry: s.telemetry, playURL: playURL, now: options.Now, after: options.after,
	}
	if s.models.Writer != nil {
		h.drafter = draft.New(s.models.Writer)
	}
	return h
}

// withoutPanic converts a panic to an error. In a goroutine, a panic would end the program before
// the terminal is restored.
func withoutPanic(log *slog.Logger, work func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			log.Error("panic", slog.String("panic", fmt.Sprint(panicked)), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("the server failed: %v; please report this", panicked)
		}
	}()
	return work()
}
