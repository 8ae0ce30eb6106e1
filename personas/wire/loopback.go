package wire

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// IsLoopback reports whether a host, as returned by url.URL.Hostname, is this machine. Secrets are
// sent without encryption only to this machine. This machine is localhost (in upper or lower case,
// with an optional final dot), an address in 127.0.0.0/8, ::1, or an IPv4-mapped loopback address
// (::ffff:127.0.0.1). The result is false for an address with a zone (::1%eth0), because the zone
// selects a network interface.
//
// The result is also false for a name below localhost (a.localhost). RFC 6761, section 6.3,
// reserves those names too, but only recommends that resolvers return this machine. Go's resolver
// and those of some systems ask a name server instead, and a proxy would fetch the name itself.
func IsLoopback(host string) bool {
	if strings.ToLower(strings.TrimSuffix(host, ".")) == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Zone() == "" && address.Unmap().IsLoopback()
}

// IsLoopbackURL reports whether the host of a URL is this machine. It returns false for an invalid
// URL.
func IsLoopbackURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && IsLoopback(u.Hostname())
}

// IsPort reports whether the port of a URL is "" or a number from 1 to 65535.
func IsPort(u *url.URL) bool {
	if u.Port() == "" {
		return true
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0
}
