// Package localserver answers the persona chat service's interface on this
// machine: the routes with who may call them, the limits of what they take, and
// the JSON they give. What a call means is decided in localserver/play, kept in
// localserver/store, spoken by localserver/llm, and who calls is told by
// localserver/identity. It never prints, never reads the environment, and never
// logs what callers send.
package localserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
)

// ChatAuth says whether web chat demands a token. The interface leaves it open
// (section Authentication), so it is a switch.
type ChatAuth string

// The values of ChatAuth; the empty one is optional.
const (
	ChatAuthOptional ChatAuth = "optional"
	ChatAuthRequired ChatAuth = "required"
)

// Memory as a data folder means a temporary one that is removed when the server
// stops.
const Memory = ":memory:"

// databaseFile is the store's file in the data folder.
const databaseFile = "parley.db"

// Options say how a server runs.
type Options struct {
	// Listen is the address, "127.0.0.1:0" for any free port. It must be a
	// loopback one unless Who names somebody: the development provider hands tokens
	// to whoever asks.
	Listen string
	// Who says where tokens come from; the zero value is the development provider.
	Who Who
	// Data is the data folder, made when it is missing, or Memory.
	Data string
	// Model speaks for the characters; nil is what LLM says.
	Model    llm.Model
	LLM      LLM
	ChatAuth ChatAuth
	// Steady makes the same conversation get the same lines in every session.
	Steady bool
	// Durability is what an acknowledged write survives; "" is DurabilityFull.
	Durability Durability
	// RateLimit says whether the route table's limits are enforced.
	RateLimit bool
	// TrustedProxies are the networks whose X-Forwarded-For says who calls
	// (ParseNetwork).
	TrustedProxies []netip.Prefix
	// CORSOrigins are the web sites whose pages may call from a browser
	// (ParseOrigin). Without any, no CORS headers are sent.
	CORSOrigins []string
	// Faults make requests go wrong on purpose (ParseFault).
	Faults []Fault
	// PlayURL is what play links begin with; "" is the base address and /play.
	PlayURL string
	// Hosts are names to answer to beside loopback ones and the bound address.
	Hosts []string
	// Log gets one line per request and every internal error; nil drops them.
	Log     *slog.Logger
	Version string
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	// writer drafts personas; LLM says who that is.
	writer provider.Asker
}

// Time limits of connections. An answer may take as long as a slow model; the
// rest keeps stuck peers from holding connections.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	writeTimeout      = 10 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeader         = 64 << 10
	closeTimeout      = 5 * time.Second
)

// Server is a running server. Its methods are safe for concurrent use.
type Server struct {
	http      *http.Server
	silent    newcomers
	gate      *gate
	address   string
	dir       string
	recording func() Recording
	// signIn is what the sign-in file says.
	signIn atomic.Pointer[SignIn]
	// cancel ends what is still being answered.
	cancel context.CancelFunc
	done   chan struct{}
	// failed is why the server ended by itself; it is set before done is closed.
	failed error
	// undo takes back what Start did, the last first.
	undo []func() error
	// stopping lets the first call of Shutdown work and the others wait for it.
	stopping sync.Once
	stopped  error
}

// Start starts a server; ctx bounds the start and not the server's life. It
// refuses an address that is not a loopback one, a data folder on which another
// server runs (ErrBusy), and a database that it cannot use.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{done: make(chan struct{})}
	if err := s.start(ctx, o); err != nil {
		return nil, errors.Join(err, s.takeBack())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, o Options) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	if s.gate, err = newGate(&o); err != nil {
		return err
	}
	if err := s.engage(ctx, &o); err != nil {
		return err
	}
	listener, err := s.listen(ctx, o.Listen, o.Who.development())
	if err != nil {
		return err
	}
	if err := s.occupy(o.Data); err != nil {
		return err
	}
	in, err := s.openSignIn(ctx, o)
	if err != nil {
		return err
	}
	kept, err := s.openStore(ctx, o)
	if err != nil {
		return err
	}
	if err := s.keepSignedIn(in.provider, o); err != nil {
		return err
	}
	s.serve(ctx, listener, newService(o, s.URL(), kept, in, s.gate).handler(), o.Log)
	return nil
}

// complete fills in the defaults.
func (o Options) complete() (Options, error) {
	switch o.ChatAuth {
	case "":
		o.ChatAuth = ChatAuthOptional
	case ChatAuthOptional, ChatAuthRequired:
	default:
		return o, fmt.Errorf("chat auth %q: must be %s or %s", o.ChatAuth, ChatAuthOptional, ChatAuthRequired)
	}
	if err := o.Who.check(); err != nil {
		return o, err
	}
	if _, err := o.durability(); err != nil {
		return o, err
	}
	if o.Data == "" {
		return o, errors.New("no data folder is named")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

// engage finds who speaks for the characters.
func (s *Server) engage(ctx context.Context, o *Options) error {
	if o.Model == nil {
		c, err := o.LLM.cast(s.gate.telemetry, o.Version)
		if err != nil {
			return err
		}
		s.later(c.close)
		o.Model, o.writer, s.recording = c.model, c.writer, c.recording
		if note := s.Recording().Note; note != "" {
			o.Log.LogAttrs(ctx, slog.LevelWarn, "recording", slog.String("note", note))
		}
	}
	if o.Steady {
		o.Model = steady{o.Model}
	}
	return nil
}

// listen binds the address, with the development provider after making sure that
// only this machine reaches it.
func (s *Server) listen(ctx context.Context, address string, development bool) (net.Listener, error) {
	resolved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", address, err)
	}
	if development && !resolved.IP.IsLoopback() {
		return nil, fmt.Errorf("address %q is open to other machines, and this server's development sign-in gives a token to whoever asks: listen on 127.0.0.1, or name who issues tokens", address)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", resolved.String())
	if err != nil {
		return nil, err
	}
	s.later(func() error { return ignoreClosed(listener.Close()) })
	s.address = listener.Addr().String()
	return listener, nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// occupy makes the data folder ours alone.
func (s *Server) occupy(data string) error {
	if data == Memory {
		dir, err := os.MkdirTemp("", "parley-*")
		if err != nil {
			return err
		}
		s.later(func() error { return os.RemoveAll(dir) })
		data = dir
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	unlock, err := lock(data)
	if err != nil {
		return err
	}
	s.later(unlock)
	s.dir = data
	return nil
}

func (s *Server) openStore(ctx context.Context, o Options) (*store.Store, error) {
	durability, err := o.durability()
	if err != nil {
		return nil, err
	}
	kept, err := store.Open(ctx, store.Options{Path: filepath.Join(s.dir, databaseFile), Durability: durability, Now: o.Now, Committed: s.gate.telemetry.committed})
	if err != nil {
		return nil, err
	}
	s.later(kept.Close)
	return kept, nil
}

func newService(o Options, base string, kept *store.Store, in signIn, g *gate) *service {
	player := play.New(kept, g.telemetry.measured(o.Model))
	player.Now = o.Now
	playURL := strings.TrimSuffix(o.PlayURL, "/")
	if playURL == "" {
		playURL = base + "/play"
	}
	return &service{
		store: kept, play: player, verifier: in.verifier, signIn: in, chatAuth: o.ChatAuth, playURL: playURL,
		hosts: newHosts(append([]string{o.Listen}, o.Hosts...)...), log: o.Log, now: o.Now, version: o.Version,
		gate: g, drafter: drafterOf(o.writer),
	}
}

// serve answers requests from now on.
func (s *Server) serve(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	s.http = &http.Server{
		Handler: handler, BaseContext: func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ConnState: s.silent.watch, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	go func() {
		defer close(s.done)
		err := caught(log, func() error { return s.http.Serve(listener) })
		if !errors.Is(err, http.ErrServerClosed) {
			s.failed = err
		}
	}()
}

// caught does what the server does outside of requests. A panic there is an error,
// its stack in the log: it ends the server and not the program, which may have a
// terminal to give back.
func caught(log *slog.Logger, do func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			log.Error("panic", slog.String("panic", fmt.Sprint(panicked)), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("the server broke: %v; please report this", panicked)
		}
	}()
	return do()
}

// Addr is the address that the server listens on, as host and port.
func (s *Server) Addr() string { return s.address }

// URL is the server's base address for this machine, without a final slash.
func (s *Server) URL() string { return "http://" + reachable(s.address) }

// Dir is the data folder, also where it is a temporary one.
func (s *Server) Dir() string { return s.dir }

// User is the e-mail address of this machine's user, whom the sign-in file is
// for; "" when tokens come from elsewhere.
func (s *Server) User() string {
	if in := s.signIn.Load(); in != nil {
		return in.User
	}
	return ""
}

// Token is a bearer token of User for this server, the one of the sign-in file;
// "" when tokens come from elsewhere.
func (s *Server) Token() string {
	if in := s.signIn.Load(); in != nil {
		return in.Token
	}
	return ""
}

// Recording is how the recording that the server makes or plays stands; the zero
// Recording where there is none.
func (s *Server) Recording() Recording {
	if s.recording == nil {
		return Recording{}
	}
	return s.recording()
}

// Done is closed when the server takes no more requests, because it was told to
// stop or because it cannot go on.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err is why the server could not go on; nil while it runs and after it was told
// to stop.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.failed
	default:
		return nil
	}
}

// Shutdown stops taking requests, finishes those that it is answering, and
// closes the store. When ctx ends first, it breaks off what is left; the store
// is closed in order all the same, and the error is ctx's.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopping.Do(func() {
		s.http.RegisterOnShutdown(s.gate.stop)
		s.http.RegisterOnShutdown(s.silent.close)
		err := s.http.Shutdown(ctx)
		s.cancel()
		if err != nil {
			err = errors.Join(err, s.http.Close())
		}
		s.stopped = errors.Join(err, s.takeBack())
	})
	return s.stopped
}

// later remembers how to take back what was just done.
func (s *Server) later(undo func() error) { s.undo = append(s.undo, undo) }

func (s *Server) takeBack() error {
	var errs []error
	for _, undo := range slices.Backward(s.undo) {
		errs = append(errs, undo())
	}
	s.undo = nil
	return errors.Join(errs...)
}

// Close is Shutdown with a limit of a few seconds.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return s.Shutdown(ctx)
}
