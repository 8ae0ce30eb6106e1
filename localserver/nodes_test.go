package localserver

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// beginNodes starts servers on one empty PostgreSQL database, each with a separate data folder.
func beginNodes(t testing.TB, count int, change ...func(*Options)) []*harness {
	t.Helper()
	shared := inPostgres(t)
	var nodes []*harness
	for range count {
		nodes = append(nodes, begin(t, append([]func(*Options){shared}, change...)...))
	}
	return nodes
}

// TestLimitOverNodes: three servers together admit no more requests than one server, for any
// distribution of the requests, and return the exact wait.
func TestLimitOverNodes(t *testing.T) {
	t.Parallel()
	clock := &clock{start: time.Now()}
	nodes := beginNodes(t, 3, func(o *Options) { o.RateLimit, o.Now = true, clock.now })
	most := numberOf(api.LimitGeneral)
	for i := range most {
		answer := nodes[i%3].send("", "GET", wire.PathPersonas, "")
		answer.want(http.StatusOK)
		answer.checkCounted(most, most-1-i)
		clock.forward(100 * time.Millisecond)
	}
	for range 2 { // the second time from memory
		for _, node := range nodes {
			assert.Equal(t, node.send("", "GET", wire.PathPersonas, "").checkRefused(most, api.LimitGeneral), 48*time.Second, "the wait")
		}
	}
	clock.forward(48 * time.Second)
	nodes[1].send("", "GET", wire.PathPersonas, "").want(http.StatusOK)
	nodes[2].send("", "GET", wire.PathPersonas, "").checkRefused(most, api.LimitGeneral)
}

// TestLimitOfKeyOverNodes: a game's requests are counted by its key at all servers together.
func TestLimitOfKeyOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 2, func(o *Options) { o.RateLimit = true })
	key, most := nodes[0].key(alice), numberOf(api.LimitSDKGeneral)
	for i := range most {
		nodes[i%2].send(key, "GET", wire.PathSDKPersonas, "").checkCounted(most, most-1-i)
	}
	for _, node := range nodes {
		node.send(key, "GET", wire.PathSDKPersonas, "").checkRefused(most, api.LimitSDKGeneral)
	}
}

// TestLimitOverNodesAtOnce sends more than the limit to three servers at once, with the
// database's clock.
func TestLimitOverNodesAtOnce(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3, func(o *Options) { o.RateLimit = true })
	var ok, refused atomic.Int32
	var group sync.WaitGroup
	for i := range 9 {
		group.Go(func() {
			for range 20 {
				switch answer := nodes[i%3].send("", "GET", wire.PathPersonas, ""); answer.status {
				case http.StatusOK:
					ok.Add(1)
				case http.StatusTooManyRequests:
					answer.checkRefused(numberOf(api.LimitGeneral), api.LimitGeneral)
					refused.Add(1)
				}
			}
		})
	}
	group.Wait()
	most := int32(numberOf(api.LimitGeneral))
	assert.True(t, ok.Load() == most && refused.Load() == 9*20-most, "%d went through and %d were refused", ok.Load(), refused.Load())
}

// TestLimitWithoutDatabase: a request that cannot be counted is refused.
func TestLimitWithoutDatabase(t *testing.T) {
	t.Parallel()
	own, address := storetest.Start(t)
	h := begin(t, func(o *Options) { o.Database.Address, o.RateLimit = address, true })
	h.send("", "GET", wire.PathPersonas, "").want(http.StatusOK)
	assert.NoError(t, own.Kill())
	for _, path := range []string{wire.PathPersonas, "/docs", "/openapi.json"} {
		e := h.send("", "GET", path, "").fails(http.StatusServiceUnavailable, wire.CodeUnavailable)
		assert.Contains(t, e.Message, "the database does not answer", path)
	}
	h.send("", "GET", "/healthz", "").want(http.StatusOK)
	assert.NoError(t, own.Restart(t.Context()))
	h.send("", "GET", wire.PathPersonas, "").want(http.StatusOK)
}
