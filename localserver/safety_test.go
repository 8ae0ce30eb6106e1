package localserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

var callers = []string{"nobody", "stranger", "owner", "stranger's key", "owner's key"}

func (h *harness) caller(name string) string {
	switch name {
	case "stranger":
		return bob
	case "owner":
		return alice
	case "stranger's key":
		return h.key(bob)
	case "owner's key":
		return h.key(alice)
	}
	return ""
}

type answers [5]int

// verdict is an endpoint's answers about a published and an unpublished persona.
type verdict struct{ published, hidden answers }

// An API key counts for nothing on the web side, and a token for nothing on the
// SDK side.
var (
	anybody  = verdict{answers{200, 200, 200, 200, 200}, answers{404, 404, 200, 404, 404}}
	noMatter = verdict{answers{200, 200, 200, 200, 200}, answers{200, 200, 200, 200, 200}}
	ownKey   = verdict{answers{401, 401, 401, 403, 200}, answers{401, 401, 401, 404, 403}}
	anyKey   = verdict{answers{401, 401, 401, 200, 200}, answers{401, 401, 401, 200, 200}}
)

func ownerOnly(ok int) verdict {
	return verdict{answers{401, 403, ok, 401, 401}, answers{401, 404, ok, 401, 401}}
}

func anyUser(ok int) verdict {
	return verdict{answers{401, ok, ok, 401, 401}, answers{401, ok, ok, 401, 401}}
}

var whoMay = map[string]verdict{
	"list-personas":      noMatter,
	"get-persona":        anybody,
	"get-full-persona":   anybody,
	"get-progress":       anybody,
	"reset-progress":     anybody,
	"available-machines": anybody,
	"init-session":       anybody,
	"message":            anybody,
	"message-stream":     anybody,
	"history":            anybody,
	"trace":              anybody, // who may direct, here all; TestWhoDirects has the others
	"reset":              anybody,
	"branches":           anybody,
	"fork":               {answers{201, 201, 201, 201, 201}, answers{404, 404, 201, 404, 404}},

	"save":           ownerOnly(200),
	"publish":        ownerOnly(200),
	"delete-persona": ownerOnly(204),
	"list-sessions":  ownerOnly(200),
	"delete-session": ownerOnly(404), // no session matches
	"generate":       anyUser(409),   // no model
	"me":             anyUser(200),
	"create-api-key": anyUser(201),
	"list-api-keys":  anyUser(200),
	// A stranger has no hidden progress that could be taken over.
	"migrate-progress": {answers{401, 200, 200, 401, 401}, answers{401, 404, 200, 401, 401}},
	// The key that is named is the owner's.
	"revoke-api-key": {answers{401, 404, 204, 401, 401}, answers{401, 404, 204, 401, 401}},

	"sdk-list-personas":    anyKey,
	"sdk-validate-llm-key": anyKey,
	"sdk-machines":         ownKey,
	"sdk-session":          ownKey,
	"sdk-init-session":     ownKey,
	"sdk-message":          ownKey,
	"sdk-message-stream":   ownKey,
	"sdk-history":          ownKey,
	"sdk-reset":            ownKey,
	"sdk-branches":         ownKey,
	"sdk-fork":             {answers{401, 401, 401, 403, 201}, answers{401, 401, 401, 404, 403}},
}

type subject struct{ persona, player, key string }

func (s subject) request(row *route) (path, body string) {
	verb := strings.TrimPrefix(row.ID, "sdk-")
	query := ""
	switch verb {
	case "save", "publish":
		query = "?persona_id=" + s.persona
	case "get-progress", "reset-progress", "available-machines", "machines", "session", "history", "trace", "reset", "branches":
		query = "?user_session_id=" + s.player
	case "revoke-api-key":
		return wire.Path(row.Path, s.key), ""
	case "delete-session":
		return strings.Replace(wire.Path(row.Path, s.persona), "{session_id}", nobodyID, 1), ""
	}
	return wire.Path(row.Path, s.persona) + query, strings.ReplaceAll(bodyOf(row), `"ann"`, `"`+s.player+`"`)
}

// stage saves a new persona of alice's that every allowed caller has begun to play, each under a
// separate session id. It also creates a new API key of hers.
func stage(h *harness, published bool) (about func(caller string) subject) {
	persona := h.savePersona(gatePersona)
	if published {
		h.send(alice, "POST", wire.PathPublish+"?persona_id="+persona, "").want(200)
	}
	player := func(caller string) string { return strings.Map(letters, caller) + "-" + persona }
	for _, caller := range callers {
		for _, path := range []string{wire.PathInitSession, wire.PathSDKInitSession} {
			h.send(h.caller(caller), "POST", wire.Path(path, persona), initJSON(player(caller)))
		}
	}
	h.revokeKeys(alice, "spare")
	key := h.send(alice, "POST", wire.PathAPIKeys, `{"name": "spare"}`).want(201)["id"].(string)
	return func(caller string) subject { return subject{persona, player(caller), key} }
}

func letters(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}

func stopClock(o *Options) {
	at := time.Now()
	o.Now = func() time.Time { return at }
}

// TestWhoMay calls every endpoint as every caller. A refused call changes nothing.
func TestWhoMay(t *testing.T) {
	t.Parallel()
	h := begin(t, stopClock)
	for i := range routes {
		h.run(t, routes[i].ID, func(t *testing.T, h *harness) {
			row := &routes[i]
			v, ok := whoMay[row.ID]
			if !ok {
				t.Errorf("%s has no row in the safety table", row.ID)
				return
			}
			for kind, want := range map[string]answers{"published": v.published, "unpublished": v.hidden} {
				about := stage(h, kind == "published")
				for who, caller := range callers {
					before := dump(t, h)
					path, body := about(caller).request(row)
					got := h.send(h.caller(caller), row.Method, path, body)
					assert.Equal(t, got.status, want[who], "%s of a %s persona by %s: status %s", row.ID, kind, caller, got.body)
					isUnchanged := got.status < 400 || maps.EqualFunc(before, dump(t, h), slices.Equal)
					assert.True(t, isUnchanged, "%s of a %s persona by %s was refused and changed something", row.ID, kind, caller)
				}
			}
		})
	}
	for id := range whoMay {
		rowOf(t, id)
	}
}

func TestBadCredentials(t *testing.T) {
	h, other := begin(t, stopClock), begin(t)
	about := stage(h, true)
	h.send(bob, "GET", wire.PathMe, "").want(200)
	before := dump(t, h)
	for i := range routes {
		h.run(t, routes[i].ID, func(t *testing.T, h *harness) {
			row := &routes[i]
			path, body := about("owner").request(row)
			onSDK := row.Access.NeedsAPIKey()
			for _, token := range []string{
				"Bearer secret", "Bearer secret.secret.secret", "Bearer " + other.token(alice), "Bearer " + h.key(alice),
				"Bearer ", "Basic c2VjcmV0", h.token(alice),
			} {
				e := h.send("", row.Method, path, body, "Authorization", token).fails(401, wire.CodeUnauthenticated)
				assert.NotContains(t, e.Message, "secret", "%s repeats the token", row.ID)
			}
			for _, key := range []string{"secret", h.token(alice), api.KeyPrefix, h.key(alice)[:len(h.key(alice))-1], " or 1=1"} {
				got := h.send("", row.Method, path, body, wire.HeaderAPIKey, key, wire.HeaderLLMKey, llmKey)
				assert.True(t, !onSDK || got.status == 401, "%s with the key %q: status %d", row.ID, key, got.status)
				assert.True(t, row.Access != api.Account || got.status == 401, "%s with a key and no token: status %d", row.ID, got.status)
			}
			if onSDK {
				h.send("", row.Method, path, body, "Authorization", "Bearer "+h.token(alice), wire.HeaderAPIKey, "secret").fails(401, wire.CodeUnauthenticated)
			}
		})
	}
	after := dump(t, h)
	assert.EqualSlices(t, after["personas"], before["personas"])
	assert.EqualSlices(t, after["api_keys"], before["api_keys"])
}

// TestUnpublishedLooksAbsent: an unpublished persona looks absent to others, byte by byte.
func TestUnpublishedLooksAbsent(t *testing.T) {
	h := begin(t, stopClock)
	about := stage(h, false)
	hidden := about("owner").persona
	compare := func(id, method, path, absentPath, body, who string) {
		there, absent := h.send(who, method, path, body), h.send(who, method, absentPath, body)
		assert.Equal(t, there.status, absent.status, "%s by %q", id, who)
		assert.Equal(t, shown(there, hidden), shown(absent, nobodyID), "%s by %q", id, who)
	}
	for i := range routes {
		t.Run(routes[i].ID, func(t *testing.T) {
			row := &routes[i]
			if !strings.Contains(row.Path, "{persona_id}") && row.ID != "publish" && row.ID != "save" {
				return
			}
			for _, caller := range []string{"nobody", "stranger", "stranger's key"} {
				path, body := about(caller).request(row)
				compare(row.ID, row.Method, path, strings.Replace(path, hidden, nobodyID, 1), body, h.caller(caller))
			}
		})
	}
	for _, who := range []string{"", bob} {
		compare("play page", http.MethodGet, "/play/"+hidden, "/play/"+nobodyID, "", who)
	}
	for _, who := range []string{"", bob, h.key(bob)} {
		for _, path := range []string{wire.PathPersonas, wire.PathPersonas + "?public_only=false", wire.PathSDKPersonas} {
			assert.NotContains(t, string(h.send(who, "GET", path, "").body), hidden, "%s shows it to %q", path, who)
		}
	}
	assert.NotContains(t, string(h.send(h.key(alice), "GET", wire.PathSDKPersonas, "").body), hidden, "the SDK side lists an unpublished persona")
}

func shown(a replied, id string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		if name != "Date" && name != http.CanonicalHeaderKey(wire.HeaderRequestID) {
			b.WriteString(name + ": " + strings.Join(a.header[name], ", ") + "\n")
		}
	}
	body := strings.ReplaceAll(string(a.body), a.header.Get(wire.HeaderRequestID), "REQUEST")
	return b.String() + strings.ReplaceAll(body, id, "PERSONA")
}

// TestAnothersSession plays as alice, with a token and with a key. Then all other callers try her
// session id on every endpoint that uses an existing session. For them it does not exist.
func TestAnothersSession(t *testing.T) {
	h := begin(t, stopClock)
	id := h.publishPersona()
	for _, who := range []string{alice, h.key(alice)} {
		side := sideOf(who)
		h.send(who, "POST", wire.Path(side+"/chat/{persona_id}/init-session", id), initJSON("hers")).want(200)
		h.send(who, "POST", wire.Path(side+"/chat/{persona_id}/message", id), messageJSON("hers", "between us [[redirect]]")).want(200)
	}
	h.send(h.key(bob), "GET", wire.PathSDKPersonas, "").want(200) // Its first use is noted.
	before := dump(t, h)
	for i := range routes {
		h.run(t, routes[i].ID, func(t *testing.T, h *harness) {
			row := &routes[i]
			if !takesPlayer(row) || strings.HasSuffix(row.ID, "init-session") {
				return
			}
			for _, caller := range []string{"nobody", "stranger", "stranger's key"} {
				ask := func(player string) replied {
					path, body := subject{persona: id, player: player}.request(row)
					return h.send(h.caller(caller), row.Method, path, body)
				}
				got, free := ask("hers"), ask("free")
				want := statusOfAnothers(row, caller)
				assert.Equal(t, got.status, want, "%s by %s", row.ID, caller)
				assert.NotContains(t, string(got.body), "between us", "%s by %s", row.ID, caller)
				switch {
				case (row.ID == "get-progress" || row.ID == "available-machines") && caller != "stranger":
					// The interface asks for no token here: the session id is the secret.
				case comparable(got, "hers") != comparable(free, "free"):
					t.Errorf("%s by %s tells that the name is taken: %s, else %s", row.ID, caller, got.body, free.body)
				}
			}
		})
	}
	assert.True(t, maps.EqualFunc(before, dump(t, h), slices.Equal), "somebody else's calls changed something")
}

func statusOfAnothers(row *route, caller string) int {
	switch status := whoMay[row.ID].published[slices.Index(callers, caller)]; {
	case status == 401 || row.IsSDK():
		return status
	case row.ID == "get-progress", row.ID == "available-machines", row.ID == "reset-progress":
		return 200
	}
	return 404
}

func comparable(a replied, player string) string {
	body := strings.ReplaceAll(string(a.body), a.header.Get(wire.HeaderRequestID), "REQUEST")
	return fmt.Sprint(a.status, strings.ReplaceAll(body, `"`+player+`"`, `"PLAYER"`))
}

func takesPlayer(row *route) bool {
	path, body := subject{"P", "hers", "K"}.request(row)
	return strings.Contains(path+body, "hers")
}

func sideOf(who string) string {
	if strings.HasPrefix(who, api.KeyPrefix) {
		return strings.TrimSuffix(wire.PrefixSDK, "/")
	}
	return wire.Prefix
}

var attacks = []string{
	`'; DROP TABLE personas; --`,
	`" OR "1"="1`,
	`' OR 1=1 --`,
	`x' UNION SELECT hash FROM api_keys --`,
	`'); DELETE FROM users; SELECT ('`,
	`?1 :id @id $id %s %n {.} ${x}`,
	`%' LIKE '_%`,
	"line\r\nSet-Cookie: a=b\r\n\r\n{\"level\":\"ERROR\"}",
	`\"}],"machines":[]`,
	"\u202e\x1b[31m<script>alert(1)</script>",
}

func quoteText(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// TestTextsAreOnlyTexts sends every attack in every stored text, and reads it back unchanged.
func TestTextsAreOnlyTexts(t *testing.T) {
	h := begin(t, stopClock)
	bystander := h.publishPersona()
	for i, text := range attacks {
		player := fmt.Sprint(i, text)
		doc := strings.NewReplacer(`"Gate guard"`, quoteText(text), `"Keeps the gate"`, quoteText(text), `"You are a guard."`, quoteText(text),
			`"Ash"`, quoteText(text), `"The gate"`, quoteText(text), `"Get in"`, quoteText(text)).Replace(gatePersona)
		id := h.savePersona(doc)
		h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
		checkJSON(t, h.send("", "GET", wire.Path(wire.PathPersona, id), "").want(200),
			fmt.Sprintf(`{"name": %[1]s, "description": %[1]s, "persona_identity_prompt": %[1]s}`, quoteText(text)))
		full := h.send("", "GET", wire.Path(wire.PathFull, id), "").want(200)
		checkJSON(t, full["machines"].([]any)[0].(map[string]any), fmt.Sprintf(`{"name": %[1]s, "description": %[1]s}`, quoteText(text)))
		checkJSON(t, full["variables"].([]any)[0].(map[string]any), fmt.Sprintf(`{"value": %s}`, quoteText(text)))

		begun := fmt.Sprintf(`{"user_session_id": %s, "player_name": %s, "player_gender": "female"}`, quoteText(player), quoteText(text))
		opening := h.send("", "POST", wire.Path(wire.PathInitSession, id), begun, wire.HeaderIdempotencyKey, printable(text)).want(200)
		checkJSON(t, opening, fmt.Sprintf(`{"user_session_id": %s, "player_name": %s}`, quoteText(player), quoteText(text)))
		said := fmt.Sprintf(`{"user_session_id": %s, "message": %s}`, quoteText(player), quoteText(text))
		h.send("", "POST", wire.Path(wire.PathMessage, id), said).want(200)
		history := h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id="+url.QueryEscape(player), "").want(200)
		checkJSON(t, history["messages"].([]any)[1].(map[string]any), fmt.Sprintf(`{"role": "user", "content": %s}`, quoteText(text)))
		moved := h.send(bob, "POST", wire.PathMigrateProgress, fmt.Sprintf(`{"old_session_id": %s}`, quoteText(player))).want(200)
		checkJSON(t, moved, fmt.Sprintf(`{"migrated_sessions": 1, "personas": [%q]}`, id))

		key := h.send(alice, "POST", wire.PathAPIKeys, fmt.Sprintf(`{"name": %s}`, quoteText(text))).want(201)
		h.tokens[text] = key["key"].(string)
		checkJSON(t, key, fmt.Sprintf(`{"name": %s}`, quoteText(text)))
	}
	h.send("", "GET", wire.Path(wire.PathPersona, bystander), "").want(200)
	after := dump(t, h)
	assert.Equal(t, len(after["personas"]), 1+len(attacks))
	assert.Equal(t, len(after["sessions"]), len(attacks))
	assert.Equal(t, len(after["api_keys"]), len(attacks))
	forgedLines(t, h)
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '.'
		}
		return r
	}, text)
}

func forgedLines(t *testing.T, h *harness) {
	t.Helper()
	for line := range strings.Lines(h.journal.String()) {
		var entry struct{ Level, Msg string }
		err := json.Unmarshal([]byte(line), &entry)
		assert.True(t, err == nil && entry.Level != "ERROR", "%v: %s", err, line)
		assert.NotContains(t, line, "script")
		assert.NotContains(t, line, "DROP")
	}
}

// TestAddressesAreOnlyValues sends every attack in every id, key, number and header.
func TestAddressesAreOnlyValues(t *testing.T) {
	h := begin(t, stopClock)
	about := stage(h, true)
	of := about("owner")
	h.send(h.as(rowOf(t, "sdk-machines"), alice), "GET", wire.PathSDKPersonas, "").want(200)
	before := dump(t, h)
	for i := range routes {
		h.run(t, routes[i].ID, func(t *testing.T, h *harness) {
			row := &routes[i]
			for _, text := range attacks {
				for name, path := range addresses(row, of, url.QueryEscape(text)) {
					_, body := of.request(row)
					got := h.send(h.as(row, alice), row.Method, path, body)
					assert.True(t, got.status == 404 || got.status == 400, "%s with %s %q: status %d: %s", row.ID, name, text, got.status, got.body)
					assert.NotContains(t, string(got.body), text, "%s with %s %q", row.ID, name, text)
					assert.Equal(t, len(got.header["Set-Cookie"]), 0, "%s with %s %q", row.ID, name, text)
				}
			}
		})
	}
	assert.True(t, maps.EqualFunc(before, dump(t, h), slices.Equal), "something was changed")
}

func addresses(row *route, of subject, text string) map[string]string {
	path, _ := of.request(row)
	asked, values, _ := strings.Cut(path, "?")
	in := map[string]string{}
	if strings.Contains(row.Path, "{") {
		before, after := wire.Path(row.Path, "")[:strings.Index(row.Path, "{")], row.Path[strings.Index(row.Path, "}")+1:]
		in["path"] = before + strings.ReplaceAll(text, "+", "%20") + after + "?" + values
	}
	if strings.HasPrefix(values, "persona_id=") {
		in["persona_id"] = asked + "?persona_id=" + text
	}
	switch row.ID {
	case "list-personas":
		for _, name := range []string{"limit", "public_only", "my_personas"} {
			in[name] = asked + "?" + name + "=" + text
		}
	case "init-session", "message", "message-stream", "history", "reset",
		"sdk-init-session", "sdk-message", "sdk-message-stream", "sdk-history", "sdk-reset", "sdk-session":
		in["machine_id"] = asked + "?" + strings.TrimPrefix(values+"&machine_id="+text, "&")
	}
	switch row.ID {
	case "history", "reset", "sdk-history", "sdk-reset", "sdk-session":
		in["user_session_id"] = asked + "?user_session_id=" + text
	}
	return in
}

func TestNamesOfUsers(t *testing.T) {
	h := begin(t)
	const email = `o'brien'--@example.com`
	checkJSON(t, h.send(email, "GET", wire.PathMe, "").want(200), fmt.Sprintf(`{"email": %q}`, email))
	h.send(email, "POST", wire.PathSave, gatePersona).want(201)
}
