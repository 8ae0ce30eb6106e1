package localserver

import (
	"sync"

	"github.com/parley-npc/parley/localserver/fault"
	"github.com/parley-npc/parley/localserver/limit"
)

// gate is what stands between a connection and the routes, as the options want
// it: who counts as the caller, how often he may, from which pages, what goes
// wrong on purpose; and what is measured of it all.
type gate struct {
	// limiter is nil where nothing is counted.
	limiter   *limit.Log
	proxies   proxies
	origins   origins
	faults    *fault.Plan
	telemetry *telemetry
	// stopping is closed when the server takes no more requests: what only waits
	// for time to pass gives up then.
	stopping chan struct{}
	stopOnce sync.Once
}

func newGate(o *Options) (*gate, error) {
	allowed, err := newOrigins(o.CORSOrigins)
	if err != nil {
		return nil, err
	}
	g := &gate{
		proxies: o.TrustedProxies, origins: allowed, faults: fault.New(o.Faults),
		telemetry: newTelemetry(o.Version, o.Now), stopping: make(chan struct{}),
	}
	if o.RateLimit {
		g.limiter = limit.New(limit.DefaultKeys)
	}
	return g, nil
}

// stop ends what only waits for time to pass.
func (g *gate) stop() { g.stopOnce.Do(func() { close(g.stopping) }) }
