package identity

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// HeaderForwarded is the header in which proxies send the caller's address.
const HeaderForwarded = "X-Forwarded-For"

// TrustedProxies contains the networks of the proxies that may set X-Forwarded-For.
type TrustedProxies []netip.Prefix

// ParseNetwork parses a network such as 10.0.0.0/8, or a single address.
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

func (p TrustedProxies) includes(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// CallerAddress returns the caller's address. Without a trusted proxy, it is the address of the
// connection. Otherwise it is the last address in X-Forwarded-For that is not a trusted proxy,
// because the caller may have forged the addresses before it. It is the zero Addr if the address is
// unknown.
func (p TrustedProxies) CallerAddress(r *http.Request) netip.Addr {
	address, _ := parseAddress(r.RemoteAddr)
	if !p.includes(address) {
		return address
	}
	hops := strings.Join(r.Header.Values(HeaderForwarded), ",")
	for hops != "" && p.includes(address) {
		at := strings.LastIndexByte(hops, ',')
		next, ok := parseAddress(strings.TrimSpace(hops[at+1:]))
		if !ok {
			return address
		}
		address, hops = next, hops[:max(at, 0)]
	}
	return address
}

// Origin returns the scheme and host that the caller used, such as https://parley.example.com. It
// uses X-Forwarded-Proto from every caller, because the header affects only the answer to this
// caller. It uses X-Forwarded-Host only from a trusted proxy.
func (p TrustedProxies) Origin(r *http.Request) string {
	scheme, host := "http", r.Host
	if r.TLS != nil || strings.EqualFold(firstOf(r, "X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	if address, _ := parseAddress(r.RemoteAddr); p.includes(address) && isHost(firstOf(r, "X-Forwarded-Host")) {
		host = firstOf(r, "X-Forwarded-Host")
	}
	return scheme + "://" + host
}

// firstOf returns the first item of a list in a header. The proxy nearest to the caller has written
// that item.
func firstOf(r *http.Request, header string) string {
	first, _, _ := strings.Cut(r.Header.Get(header), ",")
	return strings.TrimSpace(first)
}

func isHost(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(".-:[]", c)
	})
}

// proxyHeaders are headers that proxies and tunnels add. Headers that begin with forwardedPrefix
// are not listed.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For", "X-Envoy-External-Address",
	"True-Client-Ip", "Cf-Connecting-Ip", "Cdn-Loop", "Fastly-Client-Ip", "Fly-Client-Ip",
}

const forwardedPrefix = "X-Forwarded-"

// IsForwarded reports whether a request came through a proxy. It returns true for a header that
// proxies add, and for HTTP/1.0, which nginx uses by default. A caller that adds such a header
// itself only loses rights. A proxy that uses HTTP/1.1 and adds no header is not detected.
func IsForwarded(r *http.Request) bool {
	if !r.ProtoAtLeast(1, 1) {
		return true
	}
	for name := range r.Header {
		if strings.HasPrefix(name, forwardedPrefix) || slices.Contains(proxyHeaders, name) {
			return true
		}
	}
	return false
}

func parseAddress(text string) (netip.Addr, bool) {
	if both, err := netip.ParseAddrPort(text); err == nil {
		return both.Addr().Unmap().WithZone(""), true
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap().WithZone(""), err == nil
}
