package localserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// clock is a server's time, which a test moves.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) forward(d time.Duration) { c.ahead.Add(int64(d)) }

// limited is a server that keeps its limits, and its clock.
func limited(t testing.TB, change ...func(*Options)) (*harness, *clock) {
	c := &clock{}
	return begin(t, append([]func(*Options){func(o *Options) { o.RateLimit, o.Now = true, c.now }}, change...)...), c
}

// refused checks that it is a rate limit's answer and gives its wait.
func (a replied) refused(most int, c category) time.Duration {
	a.Helper()
	a.want(http.StatusTooManyRequests)
	seconds, err := strconv.Atoi(a.header.Get(wire.HeaderRetryAfter))
	var body map[string]string
	if jsonErr := json.Unmarshal(a.body, &body); err != nil || jsonErr != nil || len(body) != 1 {
		a.Fatalf("Retry-After %q, body %s: want whole seconds and one text", a.header.Get(wire.HeaderRetryAfter), a.body)
	}
	want := fmt.Sprintf("the limit of %d requests a minute (%s) is reached, try again in %d second", most, c, seconds)
	if !strings.HasPrefix(body["error"], want) || seconds < 1 || seconds > 60 {
		a.Errorf("the error is %q, want %q", body["error"], want)
	}
	a.counted(most, 0)
	if a.header.Get(headerReset) != strconv.Itoa(seconds) {
		a.Errorf("%s is %q with a wait of %d", headerReset, a.header.Get(headerReset), seconds)
	}
	return time.Duration(seconds) * time.Second
}

// counted checks the headers of an answer that counts.
func (a replied) counted(most, remaining int) {
	a.Helper()
	reset, err := strconv.Atoi(a.header.Get(headerReset))
	if a.header.Get(headerLimit) != strconv.Itoa(most) || a.header.Get(headerRemaining) != strconv.Itoa(remaining) || err != nil || reset < 1 || reset > 60 {
		a.Errorf("limit %q, remaining %q, reset %q, want %d, %d and 1 to 60", a.header.Get(headerLimit), a.header.Get(headerRemaining), a.header.Get(headerReset), most, remaining)
	}
}

// TestLimits goes to each category's limit and one past it, waits as it is told,
// and is let in again. The interface's table stands here once more, so that a
// changed number is found.
func TestLimits(t *testing.T) {
	h, clock := limited(t)
	id := h.published()
	key, other := h.key(alice), h.key(bob)
	clock.forward(time.Minute)
	session := "?user_session_id=ann"
	for _, c := range []struct {
		of   category
		most int
		send func() replied
	}{
		{limitChat, 60, func() replied { return h.send("", "POST", wire.Path(wire.PathMessage, id), "{}") }},
		{limitGeneral, 120, func() replied { return h.send("", "GET", wire.Path(wire.PathPersona, id), "") }},
		{limitSDKChat, 30, func() replied { return h.send(key, "POST", wire.Path(wire.PathSDKMessage, id), "{}") }},
		{limitSDKGeneral, 60, func() replied { return h.send(key, "POST", wire.Path(wire.PathSDKReset, id)+session, "") }},
	} {
		for i := range c.most {
			answer := c.send()
			if answer.status == http.StatusTooManyRequests {
				t.Fatalf("%s: request %d of %d is refused", c.of, i+1, c.most)
			}
			answer.counted(c.most, c.most-1-i)
		}
		wait := c.send().refused(c.most, c.of)
		clock.forward(wait - time.Second)
		if again := c.send().refused(c.most, c.of); again > time.Second {
			t.Errorf("%s: a second early the wait is %s", c.of, again)
		}
		clock.forward(time.Second)
		if answer := c.send(); answer.status == http.StatusTooManyRequests {
			t.Errorf("%s: after the wait it is refused: %v", c.of, answer.header)
		}
	}
	// Each key is counted by itself; who has a token is counted by the address too.
	h.send(other, "POST", wire.Path(wire.PathSDKReset, id)+session, "").counted(60, 59)
	clock.forward(time.Minute)
	h.send("", "GET", wire.PathPersonas, "").counted(120, 119)
	h.send(alice, "GET", wire.PathMe, "").counted(120, 118)
}

// TestEveryRowHasItsCategory holds the table of routes against the interface:
// messages are chat, drafts generation, what else a key opens is SDK general, the
// rest is general.
func TestEveryRowHasItsCategory(t *testing.T) {
	for _, row := range routes {
		bySDK, chat := row.who == sdk || row.who == sdkPlayer, strings.HasPrefix(strings.TrimPrefix(row.id, "sdk-"), "message")
		want := map[[2]bool]category{{false, false}: limitGeneral, {false, true}: limitChat, {true, false}: limitSDKGeneral, {true, true}: limitSDKChat}[[2]bool{bySDK, chat}]
		if row.id == "generate" {
			want = limitGeneration
		}
		if row.limit != want {
			t.Errorf("%s is %s, want %s", row.id, row.limit, want)
		}
	}
	for c, want := range map[category]struct {
		most   int
		perKey bool
	}{limitGeneration: {10, false}, limitChat: {60, false}, limitGeneral: {120, false}, limitSDKChat: {30, true}, limitSDKGeneral: {60, true}} {
		if limits[c] != want {
			t.Errorf("%s: %+v, want %+v", c, limits[c], want)
		}
	}
}

// TestTheWaitIsTrue really waits: the limit was filled almost a minute ago.
func TestTheWaitIsTrue(t *testing.T) {
	h, clock := limited(t)
	for range 120 {
		h.send("", "GET", wire.PathPersonas, "").want(200)
	}
	clock.forward(time.Minute - 1200*time.Millisecond)
	wait := h.send("", "GET", wire.PathPersonas, "").refused(120, limitGeneral)
	if wait > 2*time.Second {
		t.Fatalf("the wait is %s", wait)
	}
	time.Sleep(wait)
	h.send("", "GET", wire.PathPersonas, "").want(200)
}

func TestLimitOff(t *testing.T) {
	h := begin(t)
	for range 130 {
		answer := h.send("", "GET", wire.PathPersonas, "")
		answer.want(200)
		if len(answer.header.Values(headerLimit)) > 0 {
			t.Fatalf("headers %v", answer.header)
		}
	}
}

// TestConcurrentRequests sends more than the limit at once.
func TestConcurrentRequests(t *testing.T) {
	h, _ := limited(t)
	var ok, refused atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				switch h.send("", "GET", wire.PathPersonas, "").status {
				case 200:
					ok.Add(1)
				case 429:
					refused.Add(1)
				}
			}
		})
	}
	group.Wait()
	if ok.Load() != 120 || refused.Load() != 40 {
		t.Errorf("%d went through and %d were refused", ok.Load(), refused.Load())
	}
}

// TestRefusedBeforeTheToken: what is over the limit costs no verification.
func TestRefusedBeforeTheToken(t *testing.T) {
	h, _ := limited(t)
	for range 120 {
		h.send("", "GET", wire.PathMe, "", "Authorization", "Bearer nonsense").want(401)
	}
	h.send("", "GET", wire.PathMe, "", "Authorization", "Bearer nonsense").refused(120, limitGeneral)
}

// TestTriedKeys: keys that are none count for their address, and do no harm to a
// game with a good one.
func TestTriedKeys(t *testing.T) {
	h, _ := limited(t)
	key := h.key(alice) // one general request
	for i := range 119 {
		h.send(fmt.Sprintf("%s%032x", keyPrefix, i), "GET", wire.PathSDKPersonas, "").want(401)
	}
	h.send(keyPrefix+strings.Repeat("f", 32), "GET", wire.PathSDKPersonas, "").refused(120, limitGeneral)
	h.send("", "GET", wire.PathSDKPersonas, "").refused(120, limitGeneral)
	h.send(key, "GET", wire.PathSDKPersonas, "").counted(60, 59)
}

func TestWhatIsNotLimited(t *testing.T) {
	h, _ := limited(t)
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/nothing"} {
		for range 125 {
			if answer := h.send("", "GET", path, ""); answer.status == 429 || answer.header.Get(headerLimit) != "" {
				t.Fatalf("%s: %d %v", path, answer.status, answer.header)
			}
		}
	}
}

// TestWhoIsCounted reads addresses as proxies hand them on.
func TestWhoIsCounted(t *testing.T) {
	var trusted proxies
	for _, text := range []string{"127.0.0.0/8", "10.0.0.0/8", "::1", "fd00::/8"} {
		network, err := ParseNetwork(text)
		if err != nil {
			t.Fatal(err)
		}
		trusted = append(trusted, network)
	}
	for _, c := range []struct {
		peer, forwarded, want string
	}{
		{"192.0.2.7:80", "", "192.0.2.7"},
		{"192.0.2.7:80", "198.51.100.1", "192.0.2.7"}, // not a proxy: what it says is its own invention
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
		r := &http.Request{RemoteAddr: c.peer, Header: http.Header{}}
		for line := range strings.SplitSeq(c.forwarded, "|") {
			r.Header.Add(headerForwarded, line)
		}
		if got := trusted.network(r); got != c.want {
			t.Errorf("%s for %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

func TestParseNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/8": "10.0.0.0/8", "10.1.2.3/8": "10.0.0.0/8", "10.1.2.3": "10.1.2.3/32", "::1": "::1/128", "fd00::1/8": "fd00::/8", "::ffff:10.0.0.1": "10.0.0.1/32",
		"": "", "10.0.0.0/33": "", "10.0.0": "", "::ffff:10.0.0.0/104": "", "fe80::1%eth0": "", "localhost": "", "0.0.0.0/0": "0.0.0.0/0",
	} {
		got, err := ParseNetwork(text)
		if want == "" && (err == nil || !strings.Contains(err.Error(), strconv.Quote(text))) || want != "" && (err != nil || got.String() != want) {
			t.Errorf("%q: %v, %v, want %q", text, got, err, want)
		}
	}
}

// FuzzForwarded: whatever a caller writes, he is not counted as a proxy unless
// one hands it on, and nothing breaks.
func FuzzForwarded(f *testing.F) {
	for _, text := range []string{"", "198.51.100.1", "a, 10.0.0.1", "[::1]:80,,", "::ffff:1.2.3.4, fe80::1%x"} {
		f.Add("192.0.2.7:80", text)
		f.Add("10.9.9.9:80", text)
	}
	trusted := proxies{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, peer, text string) {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{headerForwarded: {text}}}
		from, _ := hopAddress(peer)
		if got := trusted.address(r); !trusted.trust(from) && got != from {
			t.Fatalf("%q from %s is taken for %s", text, peer, got)
		}
		if trusted.network(r) == "" {
			t.Fatal("no key")
		}
	})
}

// TestTrustedProxyCounts shows two callers behind one proxy, over HTTP.
func TestTrustedProxyCounts(t *testing.T) {
	h, _ := limited(t, func(o *Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	for range 120 {
		h.send("", "GET", wire.PathPersonas, "", headerForwarded, "198.51.100.1").want(200)
	}
	h.send("", "GET", wire.PathPersonas, "", headerForwarded, "203.0.113.9, 198.51.100.1").refused(120, limitGeneral)
	h.send("", "GET", wire.PathPersonas, "", headerForwarded, "198.51.100.2").counted(120, 119)
	// And where nobody is trusted, the header is no way to get more.
	h, _ = limited(t)
	for i := range 120 {
		h.send("", "GET", wire.PathPersonas, "", headerForwarded, fmt.Sprintf("198.51.100.%d", i)).want(200)
	}
	h.send("", "GET", wire.PathPersonas, "", headerForwarded, "203.0.113.200").refused(120, limitGeneral)
}

// discard reads an answer to its end.
func discard(r *http.Response) {
	_, _ = io.Copy(io.Discard, r.Body)
	_ = r.Body.Close()
}
