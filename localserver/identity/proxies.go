package identity

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// HeaderForwarded is the header with the addresses of a request's client and proxies.
const HeaderForwarded = "X-Forwarded-For"

// TrustedProxies contains the networks of proxies that may set X-Forwarded-For.
type TrustedProxies []netip.Prefix

// ParseNetwork parses a network such as 10.0.0.0/8 or a single address.
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

// CallerAddress returns the client address of a request, or the zero Addr if the address is
// unknown. Behind a trusted proxy, it returns the last untrusted address in X-Forwarded-For. The
// caller may have forged earlier addresses.
func (p TrustedProxies) CallerAddress(r *http.Request) netip.Addr {
	address, _ := parseAddress(r.RemoteAddr)
	if !p.includes(address) {
		return address
	}
	hops := strings.Join(r.Header.Values(HeaderForwarded), ",")
	for hops != "" && p.includes(address) {
		comma := strings.LastIndexByte(hops, ',')
		next, ok := parseAddress(strings.TrimSpace(hops[comma+1:]))
		if !ok {
			return address
		}
		address, hops = next, hops[:max(comma, 0)]
	}
	return address
}

// Origin returns the scheme and host that the client used, for example https://parley.example.com.
// X-Forwarded-Proto is always used and affects only the response to this client. X-Forwarded-Host
// is used only from a trusted proxy.
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

func firstOf(r *http.Request, header string) string {
	first, _, _ := strings.Cut(r.Header.Get(header), ",")
	return strings.TrimSpace(first)
}

func isHost(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(".-:[]", c)
	})
}

var proxyHeaders = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For",
	"X-Envoy-External-Address", "True-Client-Ip", "Cf-Connecting-Ip", "Cdn-Loop", "Fastly-Client-Ip", "Fly-Client-Ip",
}

const forwardedPrefix = "X-Forwarded-"

// IsForwarded reports whether a request came through a proxy. It checks the headers of proxies, and
// HTTP/1.0, the default of nginx. An HTTP/1.1 proxy without headers remains undetected.
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
	if addrPort, err := netip.ParseAddrPort(text); err == nil {
		return addrPort.Addr().Unmap().WithZone(""), true
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap().WithZone(""), err == nil
}
