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

// Director configures the use of director's marks in messages. A mark decides a turn. The persona's
// owner may always use marks.
type Director string

// Values of Director. "off" allows only owners. "" also allows callers on this machine if the
// development provider is used.
const (
	DirectorOn  Director = "on"
	DirectorOff Director = "off"
)

// Options configures a server.
type Options struct {
	// Listen is the listen address, such as "127.0.0.1:0". The development provider requires a
	// loopback address, because it issues a token to every caller.
	Listen string
	// MetricsListen is an additional address for /metrics without access control, or "".
	MetricsListen string
	// Tokens is the issuer of tokens. The zero value means the development provider.
	Tokens TokenSource
	// Data is the path of the data folder, or datafolder.Memory. Start creates a missing folder.
	Data string
	// Database is the location of all data except the sign-in file and the signing key.
	Database Database
	// Model plays the characters. nil means a model of LLM.
	Model llm.Model
	LLM   models.Settings
	// ChatNeedsToken requires a token for web chat. docs/interface.md ("Who may call")
	// requires none.
	ChatNeedsToken bool
	Director       Director
	// Durability applies to a SQLite file. Temporary data is always Volatile.
	Durability store.Durability
	// KeepSessions is the retention time of sessions after the player's last message. 0 means no
	// limit.
	KeepSessions time.Duration
	// RateLimit enables the rate limits of the routes.
	RateLimit bool
	// OnLimit, unless nil, is called once, for the first request over a rate limit. The request
	// waits until OnLimit returns.
	OnLimit func(category string, perMinute int)
	// TrustedProxies lists the networks of proxies that may set X-Forwarded-For (see
	// identity.ParseNetwork).
	TrustedProxies []netip.Prefix
	// CORSOrigins lists the origins of web pages that may call the server (see api.ParseOrigin). An
	// empty list disables CORS.
	CORSOrigins []string
	// Faults delays requests or makes them fail on purpose (see api.ParseFault).
	Faults []api.FaultRule
	// PlayURL is the prefix of play links. "" means the public URL followed by /play.
	PlayURL string
	// Hosts lists accepted host names besides loopback names and the listen address. The
	// development provider allows only loopback names.
	Hosts []string
	// PublicURL is the URL of the server or its load balancer, as returned by api.ParseOrigin. ""
	// means the listen address.
	PublicURL string
	// Log receives one line per request, and internal errors. nil disables logging.
	Log *slog.Logger
	// Version is the program's version, for the page /, /metrics and model providers.
	Version string
	// Now is the clock of all handlers. nil means time.Now. Rate limits of a shared database then
	// use the database's clock.
	Now   func() time.Time
	after func(time.Duration) <-chan time.Time
	clock func() time.Time
}

func (o Options) withDefaults() (Options, error) {
	if err := o.Tokens.Check(); err != nil {
		return o, err
	}
	if err := o.checkPublicURL(); err != nil {
		return o, err
	}
	if err := errors.Join(o.checkListen(), o.checkHosts(), CheckPlayURL(o.PlayURL)); err != nil {
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

func (o *Options) mayDirect() func(context.Context) bool {
	switch {
	case o.Director == DirectorOn:
		return func(context.Context) bool { return true }
	case o.Director == "" && o.Tokens.isDevelopment():
		return identity.IsLocal
	}
	return nil
}
