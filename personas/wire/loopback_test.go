package wire

import (
	"net/url"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestIsLoopback(t *testing.T) {
	for _, tt := range []struct {
		name, host string
		want       bool
	}{
		{"the name", "localhost", true},
		{"capitals", "LOCALHOST", true},
		{"mixed case", "LocalHost", true},
		{"final dot", "localhost.", true},
		{"capitals and final dot", "LOCALHOST.", true},
		{"two final dots", "localhost..", false},
		{"a name below it", "a.localhost", false},
		{"a name below it with final dot", "a.localhost.", false},
		{"nothing below it", ".localhost", false},
		{"a name above it", "localhost.example.com", false},
		{"another name that ends so", "xlocalhost", false},
		{"a letter that folds to s", "localhoſt", false},
		{"another name", "example.com", false},
		{"the usual address", "127.0.0.1", true},
		{"the first of the network", "127.0.0.0", true},
		{"the last of the network", "127.255.255.255", true},
		{"one before the network", "126.255.255.255", false},
		{"one past the network", "128.0.0.0", false},
		{"an address with a final dot is a name", "127.0.0.1.", false},
		{"a name that begins like an address", "127.0.0.1.example.com", false},
		{"a short address", "127.1", false},
		{"a number", "2130706433", false},
		{"octal", "0177.0.0.1", false},
		{"IPv6", "::1", true},
		{"IPv6 in full", "0:0:0:0:0:0:0:1", true},
		{"IPv6 with a zone", "::1%eth0", false},
		{"IPv6 in brackets is no host name", "[::1]", false},
		{"one past it", "::2", false},
		{"every IPv6 address", "::", false},
		{"IPv4 in IPv6", "::ffff:127.0.0.1", true},
		{"IPv4 in IPv6, the last", "::ffff:127.255.255.255", true},
		{"IPv4 in IPv6, one past it", "::ffff:128.0.0.0", false},
		{"every address", "0.0.0.0", false},
		{"a private network", "10.0.0.1", false},
		{"nothing", "", false},
		{"a dot", ".", false},
		{"a port", "localhost:80", false},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, IsLoopback(tt.host), tt.want, tt.host) })
	}
}

func TestIsLoopbackURL(t *testing.T) {
	for _, tt := range []struct {
		name, address string
		want          bool
	}{
		{"a name with port and path", "http://LOCALHOST.:8787/api", true},
		{"an address", "http://127.0.0.1:1", true},
		{"IPv6", "https://[::1]:8787", true},
		{"another host", "https://play.example.com", false},
		{"a host in the path", "https://play.example.com/localhost", false},
		{"a host as user", "http://localhost@example.com", false},
		{"no scheme", "localhost:8787", false},
		{"no URL", "http://[::1", false},
		{"nothing", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, IsLoopbackURL(tt.address), tt.want, tt.address) })
	}
}

func TestIsPort(t *testing.T) {
	for address, want := range map[string]bool{
		"http://a": true, "http://a:": true, "http://a:1": true, "http://a:65535": true, "http://[::1]:8787/x": true,
		"http://a:0": false, "http://a:65536": false, "http://a:99999999999999999999": false,
	} {
		assert.Equal(t, IsPort(assert.Value(url.Parse(address))(t)), want, address)
	}
}
