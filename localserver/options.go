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

// Director configures which callers may decide a turn with a director's mark in the message. The
// persona's owner may always do so.
type Director string

// The values of Director. "on" allows all callers. "off" allows only owners. "" allows owners and,
// with the development provider, all callers on this machine.
const (
	DirectorOn  Director = "on"
	DirectorOff Director = "off"
)

// Options configures a server.
type Options struct {
	// Listen is the address to listen on, such as "127.0.0.1:0" for any free port. With the
	// development provider it must be a loopback address, because that provider issues a token to
	// every caller.
	Listen string
	// MetricsListen is a separate address for /metrics. Any client can read /metrics there. ""
	// means that only Listen serves /metrics.
	MetricsListen string
	// Tokens is the source of tokens. The zero TokenSource means the development provider.
	Tokens TokenSource
	// Data is the path of the data folder, or Memory. A folder that does not exist is created.
	Data string
	// Database is the location of all data except for the sign-in file and the signing key.
	Database Database
	// Model plays the characters. If it is nil, the models are those of LLM.
	Model llm.Model
	LLM   models.Settings
	// ChatNeedsToken makes web chat require a token. The service's HTTP interface allows chat with
	// and without a token (section Authentication).
	ChatNeedsToken bool
	Director       Director
	// Durability applies to a SQLite file. The data of a temporary folder is always Volatile.
	Durability store.Durability
	// KeepSessions is the time after a player's last message for which the player's sessions with a
	// persona are stored. 0 means that they are stored without limit.
	KeepSessions time.Duration
	// RateLimit enables the rate limits of the routes.
	RateLimit bool
	// OnLimit is called once, for the first request that uses up a rate limit. Its arguments are
	// the category of the request and the limit per minute. The request waits until OnLimit
	// returns. OnLimit may be nil.
	OnLimit func(category string, perMinute int)
	// TrustedProxies are the networks of the proxies that may set X-Forwarded-For (see
	// identity.ParseNetwork).
	TrustedProxies []netip.Prefix
	// CORSOrigins lists the origins of web pages that may call the server (see api.ParseOrigin). If
	// the list is empty, no CORS headers are sent.
	CORSOrigins []string
	// Faults makes requests slow or fail on purpose (see api.ParseFault).
	Faults []api.FaultRule
	// PlayURL is the prefix of play links. "" means the server's public URL followed by /play.
	PlayURL string
	// Hosts lists host names that the server accepts. Loopback names and the address that the
	// server listens on are always accepted. With the development provider, Hosts must contain only
	// loopback names.
	Hosts []string
	// PublicURL is the URL that callers use for this server, or for a load balancer in front of
	// several servers. It has the form that ParseOrigin returns. "" means the server's own address.
	PublicURL string
	// Log receives one line per request and all internal errors. If it is nil, nothing is logged.
	Log *slog.Logger
	// Version is this program's version. It is shown by /health and /metrics, and sent to model
	// providers.
	Version string
	// Now is the clock of all handlers. If it is nil, handlers use time.Now, and servers that share
	// a database use the clock of the database to count requests.
	Now func() time.Time
	// after replaces time.After in tests.
	after func(time.Duration) <-chan time.Time
	// clock is the value of Now in the call of Start. If it is nil, a shared database uses its own
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

// mayDirect returns a function that reports whether a caller may use director's marks without
// owning the persona. It returns nil if only owners may use them.
func (o *Options) mayDirect() func(context.Context) bool {
	switch {
	case o.Director == DirectorOn:
		return func(context.Context) bool { return true }
	case o.Director == "" && o.Tokens.isDevelopment():
		return identity.IsLocal
	}
	return nil
}
