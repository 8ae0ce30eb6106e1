package localserver

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/limit"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// Headers that tell of a rate limit on every answer that it counts (docs/interface.md,
// how often), as package http writes the names RateLimit-Limit and so on.
const (
	headerLimit     = "Ratelimit-Limit"
	headerRemaining = "Ratelimit-Remaining"
	headerReset     = "Ratelimit-Reset"
	headerForwarded = "X-Forwarded-For"
	networkBits     = 64 // of an IPv6 address: what one household is given
)

// limits are the interface's rate limits (section Limits): how many requests of
// a category go through in any minute, and of whom.
var limits = map[category]struct {
	most   int
	perKey bool
}{
	limitGeneration: {10, false},
	limitChat:       {60, false},
	limitGeneral:    {120, false},
	limitSDKChat:    {30, true},
	limitSDKGeneral: {60, true},
}

// limitAddress counts a request by its address where the row's category is
// counted so. It comes before anything that costs: no token is checked and no
// body is read of what is refused.
func (s *service) limitAddress(row *route, w http.ResponseWriter, r *http.Request) error {
	if s.gate.limiter == nil || limits[row.limit].perKey {
		return nil
	}
	return s.take(row.limit, s.gate.proxies.network(r), w)
}

// limitKey counts a request by its API key, or, when the key is not valid, by its
// address as a general one: whoever tries keys is told after a while to wait and
// learns no more, and a valid key from the same address still goes through.
func (s *service) limitKey(row *route, k store.Key, invalid error, w http.ResponseWriter, r *http.Request) error {
	if s.gate.limiter == nil {
		return invalid
	}
	if invalid == nil {
		return s.take(row.limit, k.ID, w)
	}
	if f := asFailure(invalid); f.Status != http.StatusUnauthorized {
		return invalid
	}
	if err := s.take(limitGeneral, s.gate.proxies.network(r), w); err != nil {
		return err
	}
	return invalid
}

// take counts one request and says on its answer how many are left.
func (s *service) take(c category, caller string, w http.ResponseWriter) error {
	most := limits[c].most
	g := s.gate.limiter.Take(string(c)+" "+caller, most, s.now())
	values := []string{strconv.Itoa(most), strconv.Itoa(g.Remaining), strconv.Itoa(limit.Seconds(g.Reset))}
	h := w.Header()
	h[headerLimit], h[headerRemaining], h[headerReset] = values[0:1:1], values[1:2:2], values[2:3:3]
	if g.OK {
		return nil
	}
	s.gate.telemetry.limited(c)
	return tooMany(fmt.Sprintf("the limit of %d requests a minute (%s) is reached", most, c), limit.Seconds(g.Wait))
}

// tooMany is a 429: its sentence, and how many seconds to wait.
func tooMany(sentence string, seconds int) *failure {
	unit := "seconds"
	if seconds == 1 {
		unit = "second"
	}
	f := refuse(http.StatusTooManyRequests, wire.CodeRateLimited, fmt.Sprintf("%s, try again in %d %s", sentence, seconds, unit))
	f.RetryAfter = time.Duration(seconds) * time.Second
	return f
}

// proxies are the networks whose X-Forwarded-For counts.
type proxies []netip.Prefix

// ParseNetwork reads a network as 10.0.0.0/8, or one address.
func ParseNetwork(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil && address.Zone() == "" {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil || network.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("network %q: must be an address or a network such as 10.0.0.0/8 or fd00::/8", text)
	}
	return network.Masked(), nil
}

func (p proxies) trust(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// address is the caller's: the connection's, or, when that is a trusted proxy's,
// the last one in X-Forwarded-For that is none. What stands before it was written
// by the caller and can be anything. It is the zero Addr where there is none.
func (p proxies) address(r *http.Request) netip.Addr {
	address, _ := hopAddress(r.RemoteAddr)
	if !p.trust(address) {
		return address
	}
	hops := strings.Join(r.Header.Values(headerForwarded), ",")
	for hops != "" && p.trust(address) {
		at := strings.LastIndexByte(hops, ',')
		next, ok := hopAddress(strings.TrimSpace(hops[at+1:]))
		if !ok {
			return address
		}
		address, hops = next, hops[:max(at, 0)]
	}
	return address
}

// hopAddress reads an address, with a port or without.
func hopAddress(text string) (netip.Addr, bool) {
	if both, err := netip.ParseAddrPort(text); err == nil {
		return both.Addr().Unmap().WithZone(""), true
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap().WithZone(""), err == nil
}

// network is what is counted as one caller: an IPv4 address, or the network of an
// IPv6 one, whose owner has as many addresses in it as he likes.
func (p proxies) network(r *http.Request) string {
	address := p.address(r)
	if !address.Is6() {
		return address.String()
	}
	network, _ := address.Prefix(networkBits) // fails for no Addr of version 6
	return network.String()
}
