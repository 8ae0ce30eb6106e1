package localserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
)

// ChatAuth reports whether web chat demands a token. The interface leaves it open
// (section Authentication), so it is a switch.
type ChatAuth string

// The values of ChatAuth; the empty one is optional.
const (
	ChatAuthOptional ChatAuth = "optional"
	ChatAuthRequired ChatAuth = "required"
)

// Durability is the kind of failure that an acknowledged write survives.
type Durability string

// The values of Durability; the empty one is full.
const (
	// DurabilityFull survives a power cut.
	DurabilityFull Durability = "full"
	// DurabilityNormal survives a killed process. A power cut may lose the openings and turns
	// of the last second, and nothing else.
	DurabilityNormal Durability = "normal"
)

// Director selects the users, besides a persona's owner, with director's marks that count.
type Director string

// The values of Director. The empty one allows all users on this machine with the development
// provider, and only owners with another source of tokens.
const (
	DirectorOn  Director = "on"
	DirectorOff Director = "off"
)

// Options configure a server.
type Options struct {
	// Listen is the address, "127.0.0.1:0" for any free port. It must be a loopback one unless
	// Tokens is set, because the development provider issues tokens to every caller.
	Listen string
	// MetricsListen is an address for serving /metrics only, to any client; "" disables it.
	MetricsListen string
	// Tokens is the source of tokens; the zero value is the development provider.
	Tokens TokenSource
	// Data is the data folder, made when it is missing, or Memory.
	Data string
	// Database is the place of all other data.
	Database Database
	// Model speaks for the characters; nil uses LLM.
	Model    llm.Model
	LLM      LLM
	ChatAuth ChatAuth
	// Director selects the users with director's marks that count.
	Director Director
	// Durability is the kind of failure that an acknowledged write survives; "" is DurabilityFull.
	Durability Durability
	// KeepSessions is how long a player's sessions with a persona are kept after the last message;
	// 0 is for ever.
	KeepSessions time.Duration
	// RateLimit reports whether the route table's limits are enforced.
	RateLimit bool
	// OnLimit is called when a caller has used up a limit, while its request waits, with the
	// category of requests (docs/interface.md, how often), and the limit a minute. It may be nil.
	OnLimit func(category string, perMinute int)
	// TrustedProxies are the networks with a trusted X-Forwarded-For (ParseNetwork).
	TrustedProxies []netip.Prefix
	// CORSOrigins are the web sites that may call from a browser (ParseOrigin). If it is empty, no
	// CORS headers are sent.
	CORSOrigins []string
	// Faults make requests go wrong on purpose (ParseFault).
	Faults []Fault
	// PlayURL is the prefix of play links; "" is the base address and /play.
	PlayURL string
	// Hosts are accepted host names, besides loopback ones and the bound address. With the
	// development provider they must be names of this machine.
	Hosts []string
	// PublicURL is the address that callers use for this server, or for the balancer before it and
	// others, as ParseOrigin returns it; "" for the server's own address.
	PublicURL string
	// Log gets one line per request and every internal error; nil drops them.
	Log *slog.Logger
	// Version is this program's version, for /health, /metrics and requests to providers.
	Version string
	// Now is the clock of all handlers; nil means time.Now, and the database's clock if several
	// servers count together.
	Now func() time.Time
	// after waits on this clock; nil means time.After. It is for tests.
	after func(time.Duration) <-chan time.Time
	// clock is Now as set by the caller: nil if the database's clock counts.
	clock func() time.Time
}

// withDefaults sets defaults, and refuses invalid options.
func (o Options) withDefaults() (Options, error) {
	switch o.ChatAuth {
	case "":
		o.ChatAuth = ChatAuthOptional
	case ChatAuthOptional, ChatAuthRequired:
	default:
		return o, fmt.Errorf("chat auth %q: must be %s or %s", o.ChatAuth, ChatAuthOptional, ChatAuthRequired)
	}
	switch o.Director {
	case "", DirectorOn, DirectorOff:
	default:
		return o, fmt.Errorf("director %q: must be %s or %s", o.Director, DirectorOn, DirectorOff)
	}
	if err := o.Tokens.checkTogether(); err != nil {
		return o, err
	}
	if err := o.checkPublicURL(); err != nil {
		return o, err
	}
	if err := errors.Join(o.checkHosts(), CheckPlayURL(o.PlayURL)); err != nil {
		return o, err
	}
	if _, err := o.storeDurability(); err != nil {
		return o, err
	}
	if err := o.Database.Check(); err != nil {
		return o, err
	}
	if o.Data == "" {
		return o, errors.New("no data folder is named")
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

// storeDurability converts the durability for the store. A data folder that is deleted with the
// server does not need to survive, so writes to it do not wait for the disk.
func (o *Options) storeDurability() (store.Durability, error) {
	switch o.Durability {
	case "", DurabilityFull, DurabilityNormal:
	default:
		return store.Full, fmt.Errorf("durability %q: must be %s or %s", o.Durability, DurabilityFull, DurabilityNormal)
	}
	switch {
	case o.Data == datafolder.Memory && o.Database.Address == "":
		return store.Volatile, nil
	case o.Durability == DurabilityNormal:
		return store.Normal, nil
	}
	return store.Full, nil
}

// mayDirect returns a function that reports whether a caller who does not own the persona may
// direct.
func (o *Options) mayDirect() func(context.Context) bool {
	switch {
	case o.Director == DirectorOn:
		return func(context.Context) bool { return true }
	case o.Director == "" && o.Tokens.isDevelopment():
		return identity.IsLocal
	}
	return nil
}
