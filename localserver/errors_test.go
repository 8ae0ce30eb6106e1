package localserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

const nobodyID = "01890000-0000-7000-8000-000000000000"

func pathOf(row *route, personaID string) string {
	p := wire.Path(row.Path, personaID)
	switch strings.TrimPrefix(row.ID, "sdk-") {
	case "publish":
		return p + "?persona_id=" + personaID
	case "get-progress", "reset-progress", "available-machines", "history", "trace", "reset", "machines", "session", "branches":
		return p + "?user_session_id=ann"
	}
	return p
}

func bodyOf(row *route) string {
	switch strings.TrimPrefix(row.ID, "sdk-") {
	case "save":
		return gatePersona
	case "init-session":
		return initJSON("ann")
	case "message", "message-stream":
		return messageJSON("ann", "hello")
	case "fork":
		return `{"user_session_id": "ann", "at": 0}`
	case "migrate-progress":
		return `{"old_session_id": "ann"}`
	case "create-api-key":
		return `{"name": "game"}`
	case "generate":
		return `{"description": "A guard."}`
	}
	return ""
}

func TestUnknownPersona(t *testing.T) {
	h := begin(t)
	for i := range routes {
		row := &routes[i]
		if !strings.Contains(row.Path, "{persona_id}") && row.ID != "publish" {
			continue
		}
		for _, id := range []string{nobodyID, "no-uuid", "ünïcode", "a%20b", "%00", strings.Repeat("x", 300)} {
			h.send(h.as(row, alice), row.Method, pathOf(row, id), bodyOf(row)).fails(404, wire.CodeNotFound)
		}
	}
	h.send(alice, "POST", wire.PathSave+"?persona_id="+nobodyID, gatePersona).fails(404, wire.CodeNotFound)
}

func TestUnknownPath(t *testing.T) {
	h := begin(t)
	for _, path := range []string{
		"/nothing", wire.Prefix, wire.Prefix + "/personas/", wire.Prefix + "//personas", wire.Prefix + "/x/../personas",
		wire.Prefix + "/personas/%2e%2e%2fx", "/openapi", "/openapi.yaml", "/schemas/Persona.json",
	} {
		h.send("", "GET", path, "").fails(404, wire.CodeNotFound)
		h.send("", "POST", path, "{}").fails(404, wire.CodeNotFound)
	}
	for _, row := range routes {
		answer := h.send("", "PATCH", wire.Path(row.Path, nobodyID), "{}")
		answer.fails(405, wire.CodeMethod)
		assert.Contains(t, answer.header.Get("Allow"), row.Method, "%s: Allow", row.Path)
	}
}

func TestBadRequests(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	init, save := wire.Path(wire.PathInitSession, id), wire.PathSave
	for _, c := range []struct {
		name, method, path, body string
		header                   [2]string
		status                   int
	}{
		{"broken JSON", "POST", init, `{"user_session_id": "secret`, [2]string{}, 400},
		{"two values", "POST", init, initJSON("a") + initJSON("b"), [2]string{}, 400},
		{"no JSON", "POST", init, "secret=1", [2]string{}, 400},
		{"no UTF-8", "POST", init, strings.Replace(initJSON("ann"), "Ann", "\xff", 1), [2]string{}, 400},
		{"no body", "POST", init, "", [2]string{}, 400},
		{"a form", "POST", init, "secret=1", [2]string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{"plain text", "POST", init, initJSON("a"), [2]string{"Content-Type", "text/plain"}, 415},
		{"broken document", "POST", save, `{"name": "secret`, [2]string{}, 400},
		{"YAML document", "POST", save, "name: secret\n", [2]string{}, 400},
		{"no document", "POST", save, "", [2]string{}, 400},
		{"limit no number", "GET", wire.PathPersonas + "?limit=secret", "", [2]string{}, 400},
		{"no truth", "GET", wire.PathPersonas + "?public_only=secret", "", [2]string{}, 400},
		{"long key", "POST", init, initJSON("a"), [2]string{wire.HeaderIdempotencyKey, strings.Repeat("k", wire.MaxIdempotencyKey+1)}, 400},
		{"If-Match no time", "POST", save + "?persona_id=" + id, gatePersona, [2]string{"If-Match", `"secret"`}, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			headers := c.header[:]
			if c.header[0] == "" {
				headers = nil
			}
			answer := h.send(alice, c.method, c.path, c.body, headers...)
			answer.TB = t
			code := map[int]string{400: wire.CodeBadRequest, 415: wire.CodeMediaType}[c.status]
			assert.NotContains(t, string(answer.body), "secret", "it repeats what was sent: %v", answer.fails(c.status, code))
		})
	}
	for _, header := range []string{"application/json; charset=utf-8", "application/problem+json", "APPLICATION/JSON"} {
		h.send("", "POST", init, initJSON("a"), "Content-Type", header).want(200)
	}
	h.send("", "POST", init, initJSON("a"), wire.HeaderIdempotencyKey, strings.Repeat("k", wire.MaxIdempotencyKey)).want(200)
}

func TestInvalid(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	init, message := wire.Path(wire.PathInitSession, id), wire.Path(wire.PathMessage, id)
	h.send("", "POST", init, initJSON("ann")).want(200)
	opening := func(change string, value any) string { return withMember(t, initJSON("ann"), change, value) }
	saying := func(change string, value any) string {
		return withMember(t, messageJSON("ann", "hello"), change, value)
	}
	wide := func(n int) string { return strings.Repeat("ß", n) }
	for _, c := range []struct {
		who, method, path, body string
		// faults are the paths of the details; nil means that the request is valid.
		faults string
	}{
		{"", "POST", init, opening("player_name", wide(wire.MaxPlayerName)), ""},
		{"", "POST", init, opening("player_name", wide(wire.MaxPlayerName+1)), "player_name"},
		{"", "POST", init, opening("player_name", ""), "player_name"},
		{"", "POST", init, opening("player_name", 7), "player_name"},
		{"", "POST", init, opening("player_name", "  "), "player_name"},
		{"", "POST", init, strings.Replace(opening("Player_Name", "x"), `"player_name"`, `"PLAYER_NAME"`, 1), "player_name"},
		{"", "POST", init, opening("user_session_id", wide(wire.MaxUserSessionID)), ""},
		{"", "POST", init, opening("user_session_id", wide(wire.MaxUserSessionID+1)), "user_session_id"},
		{"", "POST", init, opening("user_session_id", nil), "user_session_id"},
		{"", "POST", init, opening("player_gender", "non-binary"), ""},
		{"", "POST", init, opening("player_gender", "Female"), "player_gender"},
		{"", "POST", init, opening("unknown", map[string]int{"a": 1}), ""},
		{"", "POST", init, `{}`, "player_gender player_name user_session_id"},
		{"", "POST", init, `[]`, ""},
		{"", "POST", message, saying("message", wide(wire.MaxMessage)), ""},
		{"", "POST", message, saying("message", wide(wire.MaxMessage+1)), "message"},
		{"", "POST", message, saying("message", ""), "message"},
		{"", "POST", message, saying("message", " \t"), "message"},
		{"", "GET", wire.Path(wire.PathProgress, id) + "?user_session_id=" + strings.Repeat("x", wire.MaxUserSessionID), "", ""},
		{"", "GET", wire.Path(wire.PathProgress, id) + "?user_session_id=" + strings.Repeat("x", wire.MaxUserSessionID+1), "", "user_session_id"},
		{"", "POST", message, `{"message": 1, "user_session_id": []}`, "message user_session_id"},
		{alice, "POST", wire.PathAPIKeys, `{"name": "` + wide(wire.MaxKeyName) + `"}`, ""},
		{alice, "POST", wire.PathAPIKeys, `{"name": "` + wide(wire.MaxKeyName+1) + `"}`, "name"},
		{alice, "POST", wire.PathMigrateProgress, `{"old_session_id": "ann"}`, ""},
		{alice, "POST", wire.PathMigrateProgress, `{}`, "old_session_id"},
		{"", "GET", wire.PathPersonas + fmt.Sprintf("?limit=%d", wire.MaxListLimit), "", ""},
		{"", "GET", wire.PathPersonas + fmt.Sprintf("?limit=%d", wire.MaxListLimit+1), "", "limit"},
		{"", "GET", wire.PathPersonas + "?limit=0", "", "limit"},
		{"", "GET", wire.Path(wire.PathProgress, id), "", "user_session_id"},
		{"", "DELETE", wire.Path(wire.PathProgress, id), "", "user_session_id"},
		{"", "GET", wire.Path(wire.PathHistory, id) + "?user_session_id=", "", "user_session_id"},
		{alice, "POST", wire.PathPublish, "", "persona_id"},
	} {
		h.run(t, caseName(c.method, c.path, c.body), func(t *testing.T, h *harness) {
			answer := h.send(c.who, c.method, c.path, c.body)
			if c.faults == "" && c.body != "[]" {
				answer.want(200 + answer.status%100)
				return
			}
			e := answer.fails(422, wire.CodeInvalid)
			if c.path == wire.PathAPIKeys { // The SDK side's errors have a sentence and no details.
				e.Details = []wire.Detail{{Path: c.faults, Message: strings.TrimPrefix(e.Message, c.faults+": ")}}
			}
			assert.True(t, paths(e) == c.faults && len(e.Details) != 0, "%s %s: details %s, want %s", c.path, c.body, answer.body, c.faults)
			assert.Contains(t, e.Message, e.Details[0].Message)
		})
	}
}

func withMember(t *testing.T, object, name string, value any) string {
	t.Helper()
	var m map[string]any
	assert.NoError(t, json.Unmarshal([]byte(object), &m))
	m[name] = value
	return jsonOf(t, m)
}

func paths(e *wire.Error) string {
	var all []string
	for _, d := range e.Details {
		all = append(all, d.Path)
	}
	return strings.Join(all, " ")
}

func TestSaveNamesEveryFault(t *testing.T) {
	h := begin(t)
	long := strings.Repeat("x", wire.MaxPersonaName+1)
	for _, c := range []struct{ name, body, faults string }{
		{"not an object", `[1]`, ""},
		{"shape", `{"name": 1, "description": "d", "persona_identity_prompt": "p", "machines": [{"machine_key": "m", "states": 5, "transitions": []}]}`,
			"name machines[0].states"},
		{"missing", `{"name": "n"}`, "description persona_identity_prompt machines"},
		{"meaning", strings.NewReplacer(`"to_state_key": "inside"`, `"to_state_key": "moon"`, `"target_machine_key": "hall"`, `"target_machine_key": "sky"`).Replace(gatePersona),
			"machines[0].transitions[0].to_state_key machine_links[0].target_machine_key"},
		{"NUL", strings.Replace(gatePersona, `"note": 1`, `"no\u0000te": 1`, 1), "machines[0].x-author"},
		{"length", strings.Replace(gatePersona, "Gate guard", long, 1), "name"},
	} {
		h.run(t, c.name, func(t *testing.T, h *harness) {
			e := h.send(alice, "POST", wire.PathSave, c.body).fails(422, wire.CodeInvalid)
			got := paths(e)
			for path := range strings.FieldsSeq(c.faults) {
				assert.Contains(t, " "+got+" ", " "+path+" ", "%s: details at %s, want one at %s: %v", c.name, got, path, e)
			}
		})
	}
}

func TestBodyLimits(t *testing.T) {
	t.Parallel()
	h := begin(t)
	id := h.publishPersona()
	for _, c := range []struct {
		path, body string
		limit      int
		fine       int
	}{
		{wire.Path(wire.PathInitSession, id), initJSON("ann"), wire.MaxBody, 200},
		{wire.Path(wire.PathMessage, id), messageJSON("ann", "hello"), wire.MaxBody, 200},
		{wire.PathSave, gatePersona, wire.MaxSaveBody, 201},
	} {
		h.run(t, c.path, func(t *testing.T, h *harness) {
			at := c.body + strings.Repeat(" ", c.limit-len(c.body))
			h.send(alice, "POST", c.path, at).want(c.fine)
			h.send(alice, "POST", c.path, at+" ").fails(413, wire.CodeTooLarge)
			for body, status := range map[string]int{at: c.fine, at + " ": 413} {
				r, _ := http.NewRequest("POST", h.URL()+c.path, struct{ *strings.Reader }{strings.NewReader(body)})
				r.Header.Set("Authorization", "Bearer "+h.token(alice))
				h.roundTrip(r).want(status)
			}
		})
	}
	// A stranger's body is not even read.
	h.send("", "POST", wire.PathSave, strings.Repeat(" ", wire.MaxSaveBody+1)).fails(401, wire.CodeUnauthenticated)
}

func TestIfMatch(t *testing.T) {
	h := begin(t)
	first := h.send(alice, "POST", wire.PathSave, gatePersona).want(201)
	path := wire.PathSave + "?persona_id=" + first["id"].(string)
	tag := func(saved map[string]any) string { return `"` + saved["updated_at"].(string) + `"` }
	second := h.send(alice, "POST", path, gatePersona, "If-Match", tag(first)).want(200)
	h.send(alice, "POST", path, gatePersona, "If-Match", tag(first)).fails(412, wire.CodeChanged)
	h.send(alice, "POST", path, gatePersona, "If-Match", tag(second)).want(200)
	h.send(alice, "POST", path, gatePersona, "If-Match", "*").want(200)
	h.send(alice, "POST", path, gatePersona).want(200)
}

func TestPanicIsNotShownToCaller(t *testing.T) {
	h := begin(t, withFirstStep(func(_ context.Context, text string) error {
		if text == "boom" {
			panic("the internals")
		}
		return nil
	}))
	id := h.publishPersona()
	message := wire.Path(wire.PathMessage, id)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	answer := h.send("", "POST", message, messageJSON("ann", "boom"))
	e := answer.fails(500, wire.CodeInternal)
	assert.True(t, e.Message == "internal error" && !strings.Contains(string(answer.body), "internals"), "body %s", answer.body)
	log := h.journal.String()
	assert.Contains(t, log, "the internals")
	assert.Contains(t, log, "errors_test.go")
	assert.Contains(t, log, answer.header.Get(wire.HeaderRequestID))
	h.send("", "POST", message, messageJSON("ann", "hello")).want(200)
}

func providersError(kind provider.Kind) *provider.Error {
	return &provider.Error{
		Kind: kind, Provider: "openai", Model: "gpt-x", Message: "openai/gpt-x: it said " + string(kind),
		RetryAfter: 1500 * time.Millisecond, Cause: errors.New("inner trouble"),
	}
}

func failing() llm.Model {
	return &stepModel{Model: scripted.New(), first: func(_ context.Context, text string) error {
		if text == "hi" {
			return nil
		}
		return providersError(provider.Kind(text))
	}}
}

// TestProvidersFailures checks the status of each kind of error, on both sides.
func TestProvidersFailures(t *testing.T) {
	own := failing()
	h := begin(t, func(o *Options) { o.Model = &perCallerModel{Model: own, with: own} })
	id, key := h.publishPersona(), h.key(alice)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann")).want(200)
	for _, c := range []struct {
		kind      provider.Kind
		web, game int
	}{
		{provider.KeyMissing, 502, 502},
		{provider.KeyRefused, 502, 401},
		{provider.Quota, 502, 502},
		{provider.NoCredit, 502, 502},
		{provider.TooLong, 502, 502},
		{provider.NoModel, 502, 400},
		{provider.BadRequest, 502, 400},
		{provider.Down, 502, 502},
		{provider.Late, 504, 504},
		{provider.NotRecorded, 502, 502},
		{provider.Unusable, 502, 502},
	} {
		h.run(t, string(c.kind), func(t *testing.T, h *harness) {
			codes := map[int]string{502: wire.CodeModelFailed, 504: wire.CodeModelTimeout, 400: wire.CodeBadRequest, 401: wire.CodeModelKey}
			body := messageJSON("ann", string(c.kind))
			for path, want := range map[string]int{wire.PathMessage: c.web, wire.PathMessageStream: c.web} {
				a := h.send("", "POST", wire.Path(path, id), body)
				assert.Contains(t, a.fails(want, codes[want]).Message, "it said "+string(c.kind), "%s: a caller on this machine is told", c.kind)
				assert.Equal(t, a.header.Get(wire.HeaderRetryAfter), "2", "%s: Retry-After", c.kind)
			}
			for _, path := range []string{wire.PathSDKMessage, wire.PathSDKMessageStream} {
				e := h.send(key, "POST", wire.Path(path, id), body).fails(c.game, codes[c.game])
				assert.Contains(t, e.Message, "openai", c.kind)
				assert.Contains(t, e.Message, "nothing was stored", c.kind)
			}
		})
	}
	assert.Equal(t, len(h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=ann", "").want(200)["messages"].([]any)), 1, "messages were kept")
	for _, words := range []string{"it said key-refused", "inner trouble"} {
		assert.Contains(t, h.journal.String(), words, "the log does not hold")
	}
}

// TestFinalFailures: a client retries automatically only if the provider asks for a longer wait
// than the server allows, also on a stream that has not begun.
func TestFinalFailures(t *testing.T) {
	var wait time.Duration
	own := &stepModel{Model: scripted.New(), first: func(_ context.Context, text string) error {
		e := providersError(provider.Kind(text))
		e.RetryAfter = wait
		return e
	}}
	h := begin(t, func(o *Options) { o.Model = &perCallerModel{Model: scripted.New(), with: own} })
	id, key := h.publishPersona(), h.key(alice)
	h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann")).want(200)
	for kind, longer := range map[provider.Kind]string{
		provider.KeyRefused: "false", provider.Quota: "", provider.TooLong: "false", provider.Down: "",
		provider.Late: "false", provider.NotRecorded: "false", provider.Unusable: "false",
	} {
		h.run(t, string(kind), func(t *testing.T, h *harness) {
			for _, path := range []string{wire.PathSDKMessage, wire.PathSDKMessageStream} {
				for asked, want := range map[time.Duration]string{0: "false", provider.LongestWait: "false", provider.LongestWait + 1: longer} {
					wait = asked
					a := h.send(key, "POST", wire.Path(path, id), messageJSON("ann", string(kind)))
					got := a.header.Get(wire.HeaderShouldRetry)
					assert.Equal(t, got, want, "%s on %s with a wait of %s", kind, path, wait)
					assert.True(t, a.status >= 400, "%s on %s with a wait of %s: %d", kind, path, wait, a.status)
				}
			}
		})
	}
}

// TestRemoteCallersDoNotSeeProviderErrors: remote callers do not see a provider's message to the operator.
func TestRemoteCallersDoNotSeeProviderErrors(t *testing.T) {
	own := failing()
	h := begin(t, func(o *Options) {
		o.Model, o.TrustedProxies = &perCallerModel{Model: own, with: own}, []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	id, key := h.publishPersona(), h.key(alice)
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	h.send(key, "POST", wire.Path(wire.PathSDKInitSession, id), initJSON("ann")).want(200)
	from := []string{identity.HeaderForwarded, "198.51.100.1"}
	for _, path := range []string{wire.PathMessage, wire.PathMessageStream} {
		e := h.send("", "POST", wire.Path(path, id), messageJSON("ann", "quota"), from...).fails(502, wire.CodeModelFailed)
		assert.NotContains(t, e.Message, "openai", "a stranger is told")
		e = h.send("", "POST", wire.Path(path, id), messageJSON("ann", "unusable"), from...).fails(502, wire.CodeModelFailed)
		assert.Equal(t, e.Message, play.Unusable, "a stranger is told of an answer that could not be used")
	}
	e := h.send(key, "POST", wire.Path(wire.PathSDKMessage, id), messageJSON("ann", "quota"), from...).fails(502, wire.CodeModelFailed)
	assert.Contains(t, e.Message, "it said quota", "a game is told")
}

type checking struct {
	perCallerModel
	err error
	// ends is the time limit of the last check.
	ends time.Time
}

func (c *checking) Check(ctx context.Context, _ llm.Caller) (string, error) {
	c.ends, _ = ctx.Deadline()
	return "openai/gpt-x", c.err
}

// TestValidate: a refused key is an answer, and any other failure of a provider is an error.
func TestValidate(t *testing.T) {
	c := &checking{perCallerModel: perCallerModel{Model: scripted.New()}}
	h := begin(t, func(o *Options) { o.Model = c })
	key := h.key(alice)
	validate := func() replied { return h.send(key, "POST", wire.PathSDKValidate, "") }
	checkJSON(t, validate().want(200), `{"valid": true, "model": "openai/gpt-x", "error": null}`)
	assert.True(t, !c.ends.IsZero() && time.Until(c.ends) <= models.CheckTime, "a check may take until %s", c.ends)
	for _, kind := range []provider.Kind{provider.KeyRefused, provider.KeyMissing, provider.NoModel, provider.NoCredit} {
		c.err = providersError(kind)
		checkJSON(t, validate().want(200), `{"valid": false, "model": "openai/gpt-x", "error": "openai/gpt-x: it said `+string(kind)+`"}`)
	}
	for _, kind := range []provider.Kind{provider.Down, provider.Quota, provider.TooLong, provider.Unusable, provider.NotRecorded} {
		c.err = providersError(kind)
		assert.NotContains(t, validate().fails(http.StatusBadGateway, wire.CodeModelFailed).Message, "kept", kind)
	}
	c.err = providersError(provider.BadRequest)
	validate().fails(http.StatusBadRequest, wire.CodeBadRequest)
	c.err = providersError(provider.Late)
	validate().fails(http.StatusGatewayTimeout, wire.CodeModelTimeout)
}
