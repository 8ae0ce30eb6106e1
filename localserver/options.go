package localserver

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/store"
)

// Director configures which callers may decide a turn with a director's mark in the message. A
// persona's owner always may.
type Director string

// The values of Director. "on" allows all callers, and "off" only owners. "" allows owners and,
// with the development provider, all callers on this machine.
const (
	DirectorOn  Director = "on"
	DirectorOff Director = "off"
)

// Options configures a server.
type Options struct {
	// Listen is the address to listen on, such as "127.0.0.1:0" for any free port. With the development
	// provider it must be a loopback address, because that issues tokens to every caller.
	Listen string
	// MetricsListen is a separate address that serves only /metrics, to any client. "" means no
	// such address.
	MetricsListen string
	// Tokens is the source of tokens. The zero TokenSource means the development provider.
	Tokens TokenSource
	// Data is the path of the data folder, which is created if it does not exist, or Memory.
	Data string
	// Database is the location of all data except for the sign-in and the signing key.
	Database Database
	// Model plays the characters. If it is nil, LLM configures the model.
	Model llm.Model
	LLM   models.Settings
	// ChatNeedsToken makes web chat require a token. The service's HTTP interface allows both
	// (section Authentication).
	ChatNeedsToken bool
	Director       Director
	// Durability applies to a SQLite file. The data of a temporary folder is always Volatile.
	Durability store.Durability
	// KeepSessions is how long a player's sessions with a persona are stored after the player's
	// last message. 0 means that they are stored without limit.
	KeepSessions time.Duration
	// RateLimit enables the rate limits of the routes.
	RateLimit bool
	// OnLimit is called once, for the first request that uses up a rate limit, with its category and the
	// limit per minute. The request waits until OnLimit returns. OnLimit may be nil.
	OnLimit func(category string, perMinute int)
	// TrustedProxies are the networks of the proxies that may set X-Forwarded-For (see
	// identity.ParseNetwork).
	TrustedProxies []netip.Prefix
	// CORSOrigins are the origins of web pages that may call the server (see api.ParseOrigin). If it
	// is empty, no CORS headers are sent.
	CORSOrigins []string
	// Faults makes requests slow or fail on purpose (see api.ParseFault).
	Faults []api.FaultRule
	// PlayURL is the prefix of play links. "" means /play at the server's public URL.
	PlayURL string
	// Hosts are host names that the server accepts, in addition to loopback names and the address
	// that it listens on. With the development provider they must be loopback names.
	Hosts []string
	// PublicURL is the URL that callers use for this server, or for a load balancer in front of
	// several servers. It has the form that ParseOrigin returns. "" means the server's own address.
	PublicURL string
	// Log receives one line per request and all internal errors. If it is nil, nothing is logged.
	Log *slog.Logger
	// Version is this program's version. It is shown by /health and /metrics, and sent to model
	// providers.
	Version string
	// Now is the clock of all handlers. If it is nil, handlers use time.Now, and servers with a
	// shared database count requests with the clock of the database.
	Now func() time.Time
	// after replaces time.After in tests.
	after func(time.Duration) <-chan time.Time
	// clock is Now as the caller of Start has set it. Nil means that a shared database uses its own
	// clock.
	clock func() time.Time
}

func (o Options) withDefaults() (Options, error) {
	if err := o.Tokens.Check(); err != nil {
		return o, err
	}
	if err := o.checkPublicURL(); err != nil {
		return o, err
	}
	if err := errors.Join(o.checkHosts(), CheckPlayURL(o.PlayURL)); err != nil {
		return o, err
	}
	if err := o.Database.Check(); err != nil {
		return o, err
	}
	if o.Data == "" {
		return o, errors.New("the data folder is not set")
	}
	if o.Data == datafolder.Memory && o.Database.Address == "" {
		o.Durability = store.Volatile
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.clock = o.Now
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.after == nil {
		o.after = time.After
	}
	return o, nil
}

// mayDirect returns a function that reports whether callers other than the persona's owner may use director's
// marks. It returns nil if only owners may.
func (o *Options) mayDirect() func(context.Context) bool {
	switch {
	case o.Director == DirectorOn:
		return func(context.Context) bool { return true }
	case o.Director == "" && o.Tokens.isDevelopment():
		return identity.IsLocal
	}
	return nil
}
