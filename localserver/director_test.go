package localserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func (h *harness) sayAs(who, id, player, text string, headers ...string) wire.Reply {
	h.Helper()
	side := sideOf(who)
	h.send(who, "POST", wire.Path(side+"/chat/{persona_id}/init-session", id), initJSON(player), headers...).want(200)
	answer := h.send(who, "POST", wire.Path(side+"/chat/{persona_id}/message", id), messageJSON(player, text), headers...)
	var reply wire.Reply
	err := json.Unmarshal(answer.body, &reply)
	assert.Must(h, err == nil && answer.status == 200, "%d %s: %v", answer.status, answer.body, err)
	return reply
}

// TestWhoDirects: the persona's owner may always direct, others only if the server allows it, which
// is the default on this machine with the development provider. The same callers read why their
// sessions went as they did, and the play page offers it to them. An API key identifies the owner of
// a game, not the player. For other callers, a mark is plain text, which is stored without an
// effect. The same callers can read the trace of their sessions, and the play page offers it to them.
func TestWhoDirects(t *testing.T) {
	const shared = "3f9c0b7de28a4651c7fa90d35be8126e"
	bySecret := func(o *Options) { o.Tokens.JWTSecretFile = secretFile(t, shared) }
	provider := begin(t)
	handedOn := []string{"X-Forwarded-For", "192.0.2.7"}
	for _, c := range []struct {
		name     string
		change   func(*Options)
		director Director
		headers  []string
		others   bool // whether others than the owner may direct
	}{
		{"development", nil, "", nil, true},
		{"development, on", nil, DirectorOn, nil, true},
		{"development, off", nil, DirectorOff, nil, false},
		{"development, handed on by a proxy", nil, "", handedOn, false},
		{"development, handed on by a proxy, on", nil, DirectorOn, handedOn, true},
		{"a secret", bySecret, "", nil, false},
		{"a secret, on", bySecret, DirectorOn, nil, true},
		{"a secret, off", bySecret, DirectorOff, nil, false},
		{"a secret, on all addresses", func(o *Options) { bySecret(o); o.Listen = "0.0.0.0:0" }, "", nil, false},
		{"an issuer", believing(provider.URL()), "", nil, false},
		{"an issuer, on", believing(provider.URL()), DirectorOn, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := begin(t, func(o *Options) {
				if c.change != nil {
					c.change(o)
				}
				o.Director = c.director
			})
			for _, who := range []string{alice, bob} {
				switch {
				case strings.HasPrefix(c.name, "a secret"):
					h.tokens[who] = sharedToken(shared, who)
				case strings.HasPrefix(c.name, "an issuer"):
					provider.signInAs(who)
					h.tokens[who] = provider.tokens[who]
				}
			}
			id := h.publishPersona()
			for who, may := range map[string]bool{alice: true, bob: c.others, "": c.others, h.key(alice): c.others} {
				if c.headers != nil && strings.Contains(who, "@") {
					continue // The development sign-in counts for nothing behind a proxy.
				}
				player := fmt.Sprintf("player %.8s", who)
				reply := h.sayAs(who, id, player, "What a fine day [[pass]]", c.headers...)
				if moved := reply.Decision != nil && *reply.Decision == "pass"; moved != may || !may && reply.Score != 0 {
					t.Errorf("%q moves %v, want %v: %+v", who, moved, may, reply)
				}
				history := h.send(who, "GET", wire.Path(sideOf(who)+"/chat/{persona_id}/history", id)+"?user_session_id="+strings.ReplaceAll(player, " ", "%20"), "")
				assert.Contains(t, string(history.body), "What a fine day [[pass]]", "%q: the history lost the words", who)
				if strings.HasPrefix(who, api.KeyPrefix) {
					continue
				}
				status := http.StatusOK
				if !may {
					status = map[string]int{"": http.StatusUnauthorized, bob: http.StatusForbidden}[who]
				}
				trace := h.send(who, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id="+url.QueryEscape(player), "", c.headers...)
				assert.Equal(t, trace.status, status, "%q: the trace: %s", who, trace.body)
			}
			if c.headers == nil {
				h.send(alice, "GET", wire.Path(wire.PathTrace, id)+"?user_session_id="+url.QueryEscape("player "+bob[:8]), "").want(200)
			}
			page := string(h.send("", "GET", "/play/"+id, "", c.headers...).body)
			assert.Equal(t, strings.Contains(page, `"explains":true`), c.others, "the page offers it")
		})
	}
}

// TestMarkInAStream: the streams allow marks to the same callers.
func TestMarkInAStream(t *testing.T) {
	h := begin(t, func(o *Options) { o.Director = DirectorOff })
	id := h.publishPersona()
	for who, may := range map[string]bool{alice: true, bob: false, "": false, h.key(alice): false} {
		player := fmt.Sprintf("player-%.8s", who)
		h.send(who, "POST", wire.Path(sideOf(who)+"/chat/{persona_id}/init-session", id), initJSON(player)).want(200)
		stream := h.send(who, "POST", wire.Path(sideOf(who)+"/chat/{persona_id}/message/stream", id), messageJSON(player, "[[pass]]"))
		moved := strings.Contains(string(stream.body), `"decision":"pass"`)
		assert.True(t, stream.status == 200 && moved == may, "%q moves %v, want %v: %d %s", who, moved, may, stream.status, stream.body)
	}
}

func (b *tab) why(reply int) string {
	b.Helper()
	const boxes = `document.querySelectorAll('.judged')`
	box := boxes + "[" + string(rune('0'+reply)) + "]"
	js[bool](b, "("+box+".firstElementChild.focus(), document.activeElement === "+box+".firstElementChild)")
	b.do(chromedp.KeyEvent("\r"))
	b.until(box + ".open && !" + box + ".innerText.includes('One moment')")
	return js[string](b, box+".innerText")
}

// TestPageExplains: on request, the page shows how each message was judged, and the cost.
func TestPageExplains(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	h, _ := playing(t, "openai/gpt-x", func(r llmtest.Request) llmtest.Script {
		script := act(r)
		script.In, script.Cached, script.Out = 1551, 1517, 3
		return script
	})
	b.enterGate(h)
	assert.Equal(t, b.count(".judged"), 0, "the opening line is explained")
	b.say("one <b>bold</b> [redirect]")
	b.say("two [redirect]")
	assert.Equal(t, b.count(".judged[open]"), 0)
	assert.Equal(t, b.count(".judged"), 2)
	text := b.why(0)
	for _, want := range []string{"redirect 100 %", "Judged by json", "Tokens, evaluation by openai/gpt-x: 1,551 read, 1,517 of them cached, 3 written"} {
		assert.Contains(t, text, want, "the page does not tell")
	}
	full := js[string](b, `document.querySelector('.judged li .track i').style.width`)
	assert.True(t, full == "100%" && b.count(".judged li .track[aria-hidden=true]") != 0, "the bar of the most probable choice is %s", full)
	b.picture("why")
	b.narrow()

	b.do(chromedp.Reload())
	b.until(`document.querySelectorAll('.you').length === 2 && ` + quiet)
	b.checkAnswered("/trace", `Promise.reject(new TypeError('no network'))`)
	assert.Contains(t, b.why(1), "cannot be reached", "without a network the page")
	b.checkAnswered("/trace", `real(u, o).then((r) => r.json()).then((body) => { body.turns[0].evaluation = '<img src=x onerror="owned=1">'; return new Response(JSON.stringify(body)) })`)
	if text := b.why(0); !strings.Contains(text, `Judged: <img src=x onerror="owned=1">`) || b.count(".judged img") != 0 {
		t.Errorf("the text of a judge came as\n%s", text)
	}
}
