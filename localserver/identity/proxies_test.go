package identity

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestWhoIsCounted(t *testing.T) {
	var trusted TrustedProxies
	for _, text := range []string{"127.0.0.0/8", "10.0.0.0/8", "::1", "fd00::/8"} {
		network := assert.Value(ParseNetwork(text))(t)
		trusted = append(trusted, network)
	}
	for _, c := range []struct {
		peer, forwarded, want string
	}{
		{"192.0.2.7:80", "", "192.0.2.7"},
		{"192.0.2.7:80", "198.51.100.1", "192.0.2.7"}, // not a proxy: its header may be invented
		{"127.0.0.1:80", "", "127.0.0.1"},
		{"127.0.0.1:80", "198.51.100.1", "198.51.100.1"},
		{"127.0.0.1:80", "203.0.113.9, 198.51.100.1", "198.51.100.1"},
		{"127.0.0.1:80", "203.0.113.9, 198.51.100.1, 10.1.2.3", "198.51.100.1"},
		{"127.0.0.1:80", "203.0.113.9|198.51.100.1,10.1.2.3", "198.51.100.1"}, // two headers
		{"127.0.0.1:80", "10.1.2.3, 10.1.2.4", "10.1.2.3"},
		{"127.0.0.1:80", "198.51.100.1:4711", "198.51.100.1"},
		{"127.0.0.1:80", "198.51.100.1, unknown", "127.0.0.1"},
		{"127.0.0.1:80", "198.51.100.1, nonsense, 10.1.2.3", "10.1.2.3"},
		{"127.0.0.1:80", ",", "127.0.0.1"},
		{"127.0.0.1:80", "::ffff:198.51.100.1", "198.51.100.1"},
		{"[::ffff:127.0.0.1]:80", "198.51.100.1", "198.51.100.1"},
		{"[::1]:80", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"[::1]:80", "[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"},
		{"[::1]:80", "[2001:db8:1:3::9]", "2001:db8:1:3::/64"},
		{"[fe80::1%eth0]:80", "", "fe80::/64"},
		{"[2001:db8:1:2::1]:80", "198.51.100.1", "2001:db8:1:2::/64"},
		{"", "", "invalid IP"},
	} {
		t.Run(c.peer+" for "+c.forwarded, func(t *testing.T) {
			r := &http.Request{RemoteAddr: c.peer, Header: http.Header{}}
			for line := range strings.SplitSeq(c.forwarded, "|") {
				r.Header.Add(HeaderForwarded, line)
			}
			assert.Equal(t, networkOf(trusted.CallerAddress(r)), c.want, "%s for %q", c.peer, c.forwarded)
		})
	}
}

func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/8": "10.0.0.0/8", "10.1.2.3/8": "10.0.0.0/8", "10.1.2.3": "10.1.2.3/32", "::1": "::1/128", "fd00::1/8": "fd00::/8", "::ffff:10.0.0.1": "10.0.0.1/32",
		"": "", "10.0.0.0/33": "", "10.0.0": "", "::ffff:10.0.0.0/104": "", "fe80::1%eth0": "", "localhost": "", "0.0.0.0/0": "0.0.0.0/0",
	} {
		t.Run(text, func(t *testing.T) {
			got, err := ParseNetwork(text)
			if want == "" && (err == nil || !strings.Contains(err.Error(), strconv.Quote(text))) || want != "" && (err != nil || got.String() != want) {
				t.Errorf("%q: %v, %v, want %q", text, got, err, want)
			}
		})
	}
}

// FuzzForwarded: a caller is no proxy unless a trusted proxy forwards it.
func FuzzForwarded(f *testing.F) {
	for _, text := range []string{"", "198.51.100.1", "a, 10.0.0.1", "[::1]:80,,", "::ffff:1.2.3.4, fe80::1%x"} {
		f.Add("192.0.2.7:80", text)
		f.Add("10.9.9.9:80", text)
	}
	trusted := TrustedProxies{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, peer, text string) {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{HeaderForwarded: {text}}}
		from, _ := parseAddress(peer)
		got := trusted.CallerAddress(r)
		assert.Must(t, trusted.includes(from) || got == from, "%q from %s is taken for %s", text, peer, got)
		assert.Must(t, networkOf(trusted.CallerAddress(r)) != "", "no key")
	})
}
