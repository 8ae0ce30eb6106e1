package localserver

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

type clock struct {
	start time.Time
	ahead atomic.Int64
}

func (c *clock) now() time.Time { return c.start.Add(time.Duration(c.ahead.Load())) }

func (c *clock) forward(d time.Duration) { c.ahead.Add(int64(d)) }

func beginLimited(t testing.TB, change ...func(*Options)) (*harness, *clock) {
	c := &clock{start: time.Now()}
	return begin(t, append([]func(*Options){func(o *Options) { o.RateLimit, o.Now = true, c.now }}, change...)...), c
}

func (r replied) checkRefused(most int, c api.Category) time.Duration {
	r.Helper()
	r.want(http.StatusTooManyRequests)
	seconds, err := strconv.Atoi(r.header.Get(wire.HeaderRetryAfter))
	var body map[string]string
	jsonErr := json.Unmarshal(r.body, &body)
	assert.NoError(r, err)
	assert.True(r, jsonErr == nil, "Retry-After %q, body %s: want whole seconds and one text", r.header.Get(wire.HeaderRetryAfter), r.body)
	assert.Equal(r, len(body), 1)
	want := fmt.Sprintf("the limit of %d requests a minute (%s) is reached, try again in %d second", most, c, seconds)
	assert.True(r, strings.HasPrefix(body["error"], want), "the error is %q, want %q", body["error"], want)
	assert.True(r, seconds >= 1 && seconds <= 60, "the error is %q, want %q", body["error"], want)
	r.checkCounted(most, 0)
	assert.Equal(r, r.header.Get(api.HeaderReset), strconv.Itoa(seconds), "%s wait %d", api.HeaderReset, seconds)
	return time.Duration(seconds) * time.Second
}

func (r replied) checkCounted(most, remaining int) {
	r.Helper()
	reset, err := strconv.Atoi(r.header.Get(api.HeaderReset))
	assert.Equal(r, r.header.Get(api.HeaderLimit), strconv.Itoa(most))
	assert.Equal(r, r.header.Get(api.HeaderRemaining), strconv.Itoa(remaining))
	assert.NoError(r, err)
	assert.True(r, reset >= 1 && reset <= 60, "reset %q, want 1 to 60", r.header.Get(api.HeaderReset))
}

func numberOf(c api.Category) int { return api.RateLimits[c].PerMinute }

func routeOf(t *testing.T, c api.Category) *route {
	t.Helper()
	i := slices.IndexFunc(routes, func(r route) bool { return r.Limit == c })
	assert.Must(t, i >= 0, "no route is counted as %s", c)
	return &routes[i]
}

// TestLimits exceeds each category's limit by one, waits as requested, and is admitted again.
func TestLimits(t *testing.T) {
	for c, limit := range api.RateLimits {
		if c == api.LimitPages {
			continue // no route has it: TestPagesAreLimited
		}
		t.Run(string(c), func(t *testing.T) {
			t.Parallel()
			h, clock := beginLimited(t)
			row := routeOf(t, c)
			subject := subject{persona: h.publishPersona(), player: "ann", key: "none"}
			who := h.as(row, alice)
			clock.forward(time.Minute)
			path, body := subject.request(row)
			send := func() replied { return h.send(who, row.Method, path, body) }
			for i := range limit.PerMinute {
				answer := send()
				assert.Must(t, answer.status != http.StatusTooManyRequests, "request %d of %d is refused", i+1, limit.PerMinute)
				answer.checkCounted(limit.PerMinute, limit.PerMinute-1-i)
			}
			wait := send().checkRefused(limit.PerMinute, c)
			clock.forward(wait - time.Second)
			again := send().checkRefused(limit.PerMinute, c)
			assert.True(t, again <= time.Second, "a second early the wait is %s", again)
			clock.forward(time.Second)
			answer := send()
			assert.True(t, answer.status != http.StatusTooManyRequests, "after the wait it is refused: %v", answer.header)
		})
	}
}

// TestWhoIsLimited: each key is counted separately, and a token by the address too.
func TestWhoIsLimited(t *testing.T) {
	h, clock := beginLimited(t)
	id := h.publishPersona()
	key, other := h.key(alice), h.key(bob)
	clock.forward(time.Minute)
	most := numberOf(api.LimitSDKGeneral)
	for _, who := range []string{key, other} {
		h.send(who, "POST", wire.Path(wire.PathSDKReset, id)+"?user_session_id=ann", "").checkCounted(most, most-1)
	}
	clock.forward(time.Minute)
	most = numberOf(api.LimitGeneral)
	h.send("", "GET", wire.PathPersonas, "").checkCounted(most, most-1)
	h.send(alice, "GET", wire.PathMe, "").checkCounted(most, most-2)
}

// TestLimitsAreTheInterfaces compares the table of routes with the interface, section Limits.
func TestLimitsAreTheInterfaces(t *testing.T) {
	want := map[api.Category]api.RateLimit{
		api.LimitGeneration: {PerMinute: 10}, api.LimitChat: {PerMinute: 60}, api.LimitGeneral: {PerMinute: 120},
		api.LimitSDKChat: {PerMinute: 30, PerKey: true}, api.LimitSDKGeneral: {PerMinute: 60, PerKey: true},
		api.LimitPages: {PerMinute: 300}, // an addition of this server
	}
	assert.True(t, maps.Equal(api.RateLimits, want), "%+v, want %+v", api.RateLimits, want)
	for _, row := range routes {
		verb := strings.TrimPrefix(row.ID, "sdk-")
		bySDK, chat := row.Access.NeedsAPIKey(), strings.HasPrefix(verb, "message") || verb == "fork"
		want := map[[2]bool]api.Category{
			{false, false}: api.LimitGeneral, {false, true}: api.LimitChat,
			{true, false}: api.LimitSDKGeneral, {true, true}: api.LimitSDKChat,
		}[[2]bool{bySDK, chat}]
		if row.ID == "generate" {
			want = api.LimitGeneration
		}
		assert.Equal(t, row.Limit, want, "%s is counted as", row.ID)
	}
}

func TestLimitOff(t *testing.T) {
	h := begin(t)
	for range numberOf(api.LimitGeneral) + 10 {
		answer := h.send("", "GET", wire.PathPersonas, "").is(200)
		assert.Must(t, len(answer.header.Values(api.HeaderLimit)) == 0, "headers %v", answer.header)
	}
}

func TestRefusedBeforeTheToken(t *testing.T) {
	h, _ := beginLimited(t)
	for range numberOf(api.LimitGeneral) {
		h.send("", "GET", wire.PathMe, "", "Authorization", "Bearer nonsense").want(401)
	}
	h.send("", "GET", wire.PathMe, "", "Authorization", "Bearer nonsense").checkRefused(numberOf(api.LimitGeneral), api.LimitGeneral)
}

// TestTriedKeys: invalid keys count for their address, and do not affect a game with a valid one.
func TestTriedKeys(t *testing.T) {
	h, _ := beginLimited(t)
	key := h.key(alice) // one general request
	for i := range numberOf(api.LimitGeneral) - 1 {
		h.send(fmt.Sprintf("%s%032x", api.KeyPrefix, i), "GET", wire.PathSDKPersonas, "").want(401)
	}
	h.send(api.KeyPrefix+strings.Repeat("f", 32), "GET", wire.PathSDKPersonas, "").checkRefused(numberOf(api.LimitGeneral), api.LimitGeneral)
	h.send("", "GET", wire.PathSDKPersonas, "").checkRefused(numberOf(api.LimitGeneral), api.LimitGeneral)
	h.send(key, "GET", wire.PathSDKPersonas, "").checkCounted(numberOf(api.LimitSDKGeneral), numberOf(api.LimitSDKGeneral)-1)
}

func TestWhatIsNotLimited(t *testing.T) {
	h, _ := beginLimited(t)
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/nothing"} {
		for range numberOf(api.LimitGeneral) + 5 {
			answer := h.send("", "GET", path, "")
			assert.Must(t, answer.status != 429 && answer.header.Get(api.HeaderLimit) == "", "%s: %d %v", path, answer.status, answer.header)
		}
	}
}

// TestTrustedProxyCounts shows two callers behind one proxy, over HTTP.
func TestTrustedProxyCounts(t *testing.T) {
	h, _ := beginLimited(t, func(o *Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	for range numberOf(api.LimitGeneral) {
		h.send("", "GET", wire.PathPersonas, "", identity.HeaderForwarded, "198.51.100.1").want(200)
	}
	h.send("", "GET", wire.PathPersonas, "", identity.HeaderForwarded, "203.0.113.9, 198.51.100.1").checkRefused(numberOf(api.LimitGeneral), api.LimitGeneral)
	h.send("", "GET", wire.PathPersonas, "", identity.HeaderForwarded, "198.51.100.2").checkCounted(numberOf(api.LimitGeneral), numberOf(api.LimitGeneral)-1)
	// Without trusted proxies, the header does not raise the limit.
	h, _ = beginLimited(t)
	for i := range numberOf(api.LimitGeneral) {
		h.send("", "GET", wire.PathPersonas, "", identity.HeaderForwarded, fmt.Sprintf("198.51.100.%d", i)).want(200)
	}
	h.send("", "GET", wire.PathPersonas, "", identity.HeaderForwarded, "203.0.113.200").checkRefused(numberOf(api.LimitGeneral), api.LimitGeneral)
}

func discard(r *http.Response) {
	_, _ = io.Copy(io.Discard, r.Body)
	_ = r.Body.Close()
}

func (h *harness) addKeys(email string, count int) (keys, ids []string) {
	h.Helper()
	for range count {
		made := h.send(email, "POST", wire.PathAPIKeys, `{"name": "game"}`).want(201)
		keys, ids = append(keys, made["key"].(string)), append(ids, made["id"].(string))
		h.tokens["key "+made["id"].(string)] = made["key"].(string)
	}
	return keys, ids
}

// TestKeysOfAnAccount: a key above the limit of an account is refused with a remedy.
func TestKeysOfAnAccount(t *testing.T) {
	h := begin(t)
	_, ids := h.addKeys(alice, store.MaxKeys)
	e := h.send(alice, "POST", wire.PathAPIKeys, `{"name": "one more"}`).fails(http.StatusConflict, wire.CodeConflict)
	assert.Contains(t, e.Message, fmt.Sprint(store.MaxKeys))
	assert.Contains(t, e.Message, "revoke one")
	h.send(alice, "DELETE", wire.Path(wire.PathAPIKey, ids[0]), "").want(204)
	h.addKeys(alice, 1)
	h.addKeys(bob, 1)
}

// TestLimitOfAnAccount: all keys of an account share a limit, also with new keys.
func TestLimitOfAnAccount(t *testing.T) {
	h, clock := beginLimited(t, inPostgres(t))
	const over = ", all keys of the account"
	id := h.publishPersona()
	say, list := wire.Path(wire.PathSDKMessage, id), wire.PathSDKPersonas
	for _, c := range []struct {
		category           api.Category
		method, path, body string
	}{{api.LimitSDKGeneral, "GET", list, ""}, {api.LimitSDKChat, "POST", say, messageJSON("ann", "hi")}} {
		most := numberOf(c.category)
		clock.forward(time.Minute)
		keys, ids := h.addKeys(alice, api.OwnerMultiple+2)
		for _, key := range keys[:api.OwnerMultiple] {
			for range most {
				answer := h.send(key, c.method, c.path, c.body)
				assert.Must(h, answer.status != http.StatusTooManyRequests, "%s: refused too early: %s", c.category, answer.body)
			}
			clock.forward(time.Second)
		}
		for _, key := range keys[api.OwnerMultiple:] {
			h.send(key, c.method, c.path, c.body).checkRefused(api.OwnerMultiple*most, c.category+over)
		}
		for _, id := range ids {
			h.send(alice, "DELETE", wire.Path(wire.PathAPIKey, id), "").want(204)
		}
		fresh, _ := h.addKeys(alice, 1)
		wait := h.send(fresh[0], c.method, c.path, c.body).checkRefused(api.OwnerMultiple*most, c.category+over)
		h.send(h.key(bob), "GET", list, "").want(200)
		clock.forward(wait)
		// The refused calls do not count: the key has all of its limit left.
		for i := range most {
			answer := h.send(fresh[0], c.method, c.path, c.body)
			assert.Must(h, answer.status != http.StatusTooManyRequests,
				"%s: request %d after the wait is refused: %s", c.category, i+1, answer.body)
			if i == 0 {
				answer.checkCounted(most, most-1)
			}
		}
		h.send(fresh[0], c.method, c.path, c.body).checkRefused(most, c.category)
	}
}

func TestPagesAreLimited(t *testing.T) {
	h, clock := beginLimited(t)
	var counted []string
	for _, p := range listPages() {
		if probe := p.ID == "healthy" || p.ID == "ready" || p.ID == "metrics"; probe != (p.Limit == "") {
			t.Errorf("%s has the limit %q", p.Path, p.Limit)
		} else if !probe {
			counted = append(counted, strings.Replace(p.Path, "{persona_id}", "none", 1))
		}
	}
	most := numberOf(api.LimitPages)
	for i := range most {
		h.send("", "GET", counted[i%len(counted)], "").checkCounted(most, most-1-i)
	}
	for _, path := range counted {
		h.send("", "GET", path, "").checkRefused(most, api.LimitPages)
	}
	h.send("", "GET", wire.PathPersonas, "").want(200)
	h.send("", "GET", "/healthz", "").want(200)
	clock.forward(h.send("", "GET", "/docs", "").checkRefused(most, api.LimitPages))
	h.send("", "GET", "/docs", "").checkCounted(most, most-1)
}

func crowdedPersona(members int) string {
	var extra strings.Builder
	for i := range members {
		fmt.Fprintf(&extra, `"u%d":1,`, i)
	}
	return "{" + extra.String() + strings.TrimPrefix(gatePersona, "{")
}

// TestCrowdedPersona: unknown members are stored and returned whole.
func TestCrowdedPersona(t *testing.T) {
	h := begin(t)
	id := h.savePersona(crowdedPersona(80_000))
	h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
	full := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)
	extra := full["persona"].(map[string]any)
	assert.True(t, extra["u79999"] == 1.0 && len(extra) >= 80_000, "%d members", len(extra))
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("u")).want(200)
	page := h.send("", "GET", "/play/"+id, "")
	assert.True(t, page.status == 200 && strings.Contains(string(page.body), "Gate guard"), "the page is %d", page.status)
}
