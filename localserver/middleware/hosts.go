package middleware

import (
	"net"
	"strings"

	"github.com/parley-npc/parley/personas/loopback"
)

// Hosts are the names in Host headers that a server accepts, besides loopback ones.
type Hosts map[string]bool

// NewHosts makes them of addresses, with a port or without.
func NewHosts(names ...string) Hosts {
	h := Hosts{}
	for _, name := range names {
		h[hostName(name)] = true
	}
	return h
}

func (h Hosts) isAllowed(host string) bool {
	name := hostName(host)
	ip := net.ParseIP(name)
	return h[name] || loopback.IsHost(name) || ip != nil && h.areAll()
}

// areAll reports whether the server listens on all addresses of the machine. Then Host may be any
// IP address, because only names can be made to point here by others.
func (h Hosts) areAll() bool { return h[""] || h["0.0.0.0"] || h["::"] }

// IsLoopbackHost reports whether an address, with a port or without, names this machine
// alone.
func IsLoopbackHost(address string) bool { return loopback.IsHost(hostName(address)) }

// IsHostName reports whether a text is the name or number of a host, with an optional port, as in a
// Host header.
func IsHostName(text string) bool {
	name := hostName(text)
	if net.ParseIP(name) != nil {
		return true
	}
	return name != "" && !strings.Contains(text, "/") && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
}

// hostName is a Host header without port, brackets, final dot and capitals.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
