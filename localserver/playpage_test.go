package localserver

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestPlayInBrowser plays a sample from its play link to its ending in a real
// browser, with a reload in the middle, and begins again.
func TestPlayInBrowser(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.sample("gate"))
	b.until(`document.activeElement.id === 'player'`)
	b.picture("door")
	b.until(`document.querySelector('fieldset').hidden`) // no text of his depends on it
	b.begin("Ann")
	b.says("#log", "Ann")
	b.says("#part", "The Eel Gate · The bar is down")
	b.says("#score-text", "0 of 3")
	b.say("What are you knitting?")
	b.say("Here are my papers")
	b.says("#part", "The Eel Gate · Papers")
	b.says("#score-text", "1 of 3")
	b.picture("talk")

	before := b.text("#log")
	b.do(chromedp.Reload())
	b.until(`document.querySelectorAll('.you').length === 2`)
	assert.Equal(t, b.text("#log"), before, "after a reload the page shows")
	b.says("#score-text", "1 of 3")

	b.say("The rind always comes first")
	b.until(`document.querySelector('.end.won')`)
	b.says(".end", "Your score of 3 is enough: it takes 3.")
	b.says("#status", "You made it")
	b.picture("end")
	b.do(chromedp.Reload())
	b.until(`document.querySelector('.end.won') && document.querySelector('#send').hidden`)

	b.do(chromedp.Click(chromedp.CSS(".end button")))
	b.until(`document.querySelectorAll('.them').length === 1 && !document.querySelector('#send').hidden`)
	b.says("#score-text", "0 of 3")
	b.do(chromedp.Click(chromedp.CSS("#menu summary")))
	b.picture("menu")
	b.do(chromedp.Click(chromedp.CSS("#leave")))
	b.until(`!document.querySelector('#enter').hidden && localStorage.length === 0`)
}

// TestPlayAsksGender: the page asks for the player's gender if a text of the persona depends on it.
func TestPlayAsksGender(t *testing.T) {
	h := begin(t)
	for text, asked := range map[string]bool{"You are Hobb.": false, "You speak to a {{ player_gender }} traveller.": true, "player_gender": false} {
		id := h.savePersona(strings.Replace(gatePersona, "You are a guard.", text, 1))
		h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
		page := h.send("", "GET", "/play/"+id, "").body
		assert.Equal(t, !strings.Contains(string(page), "<fieldset hidden>"), asked, text)
	}
}

// TestPlayGoesOn: unlocked parts can be chosen after an ending. The part that the author links to
// is first.
func TestPlayGoesOn(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.sample("hotel"))
	b.begin("Ann")
	b.says("#part", "Check")
	b.say("I'm here for my cousin's wedding tomorrow.")
	b.say("I promise to follow the rules, but the whistling will be hard.")
	b.says(".end .ways button.first", "Go on to The night round")
	b.do(chromedp.Click(chromedp.CSS(".end .ways button.first")))
	b.until(`document.querySelector('.chapter') && document.querySelector('#log').getAttribute('aria-busy') === 'false'`)
	part := b.text("#part")
	assert.True(t, !strings.HasPrefix(part, "Check"), "still in %s", part)
	b.picture("on")
	b.do(chromedp.Click(chromedp.CSS("#menu summary")))
	b.until(`document.querySelectorAll('#chapters button').length > 1`)
	b.picture("chapters")

	b.open(h.link(gatePersona))
	b.begin("Ann")
	b.say("[[pass]]")
	b.until(`document.querySelector('.ways button.first')`)
	b.checkAnswered("/init-session", `Promise.reject(new TypeError('no network'))`)
	b.do(chromedp.Click(chromedp.CSS(".ways button.first")))
	b.says("#fault", "cannot be reached")
	b.answeredTruly()
	b.says(".ways", "Go on to hall")
	b.picture("unlocked")
	b.do(chromedp.Click(chromedp.CSS(".ways button.first")))
	b.until(`document.querySelector('#log').innerText.includes('Welcome in.')`)
	b.do(chromedp.Reload())
	b.until(`document.querySelector('#log').innerText.includes('Welcome in.')`)
}

// TestPlayHostile: texts of a persona and of a player stay texts.
func TestPlayHostile(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	evil := `<img src=x onerror="window.owned=1"><script>window.owned=2</script></script></style>` + "`${window.owned=3}`" + `'"]]>-->&lt;b&gt;` + "\u2028"
	quoted := assert.Value(json.Marshal(evil))(t)
	text := strings.Trim(string(quoted), `"`)
	document := strings.NewReplacer(`"Gate guard"`, `"`+text+`"`, `Keeps the gate`, text, `"The gate"`, `"`+text+`"`, `Get in`, text,
		`State your business.`, text, `Halt, `, text, `"state_key": "outside",`, `"state_key": "outside", "label": "`+text+`",`).Replace(gatePersona)
	b.open(h.link(document))
	b.begin(`<i>x</i>"><script>owned=4</script>`)
	b.say("[[redirect]] " + strings.TrimSpace(strings.ReplaceAll(evil, "\u2028", "")))
	for _, selector := range []string{".them", ".you", "#part"} {
		b.says(selector, `<img src=x onerror="window.owned=1"><script>`)
	}
	found := js[int](b, `document.querySelectorAll('img, iframe, object, b, i:not(.dots i, .track i), script:not(#persona)').length`)
	assert.Equal(t, found, 1, "%d elements came of texts", found-1)
	assert.True(t, !js[bool](b, `'owned' in window`), "a text was run")
	b.picture("hostile")
}

// checkAnswered makes the page's next calls of a path get this answer, or a broken connection.
func (b *tab) checkAnswered(path, answer string) {
	b.Helper()
	js[bool](b, `(() => { const real = window.real ||= fetch; window.fetch = (u, o) => u.includes('`+path+`') ? (`+answer+`) : real(u, o); return true })()`)
}

func (b *tab) answeredTruly() { b.Helper(); js[bool](b, `(window.fetch = window.real, true)`) }

// TestPlayTroubles: on any failure, the page keeps the message and suggests a remedy, and a turn
// never counts twice.
func TestPlayTroubles(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.link(gatePersona))
	b.begin("Ann")
	send := func(text string) {
		b.Helper()
		b.do(chromedp.SetValue(chromedp.CSS("#words"), text), chromedp.Click(chromedp.CSS("#go")))
	}
	kept := func(text, says string) {
		b.Helper()
		b.until(`document.querySelector('#fault').innerText.includes(` + literal(says) + `) && document.querySelector('#words').value === ` + literal(text))
		assert.Equal(t, js[int](b, `document.querySelectorAll('.you').length`), 0, "messages stand in the conversation")
	}

	b.checkAnswered("/message", `Promise.resolve(new Response('{"error":"slow down"}', {status: 429, headers: {'Retry-After': '2'}}))`)
	send("first [[redirect]]")
	kept("first [[redirect]]", "You can send it in 2 seconds.")
	b.picture("wait")
	b.until(`!document.querySelector('#go').disabled && document.querySelector('#fault').innerText === ''`)

	b.checkAnswered("/message", `Promise.resolve(new Response('{"error":"The model is away."}', {status: 502}))`)
	send("first [[redirect]]")
	kept("first [[redirect]]", "The model is away. The message did not count")

	b.checkAnswered("/message", `Promise.reject(new TypeError('no network'))`)
	send("first [[redirect]]")
	kept("first [[redirect]]", "cannot be reached")
	b.picture("lost")

	// The server heard it, and the answer got lost: it counts once.
	b.checkAnswered("/message", `real(u, o).then((r) => r.text()).then(() => { throw new TypeError('cut') })`)
	send("first [[redirect]]")
	kept("first [[redirect]]", "cannot be reached")
	b.answeredTruly()
	send("first [[redirect]]")
	b.until(`document.querySelectorAll('.you').length === 1 && document.querySelector('#words').value === ''`)
	b.do(chromedp.Reload())
	b.until(`document.querySelectorAll('.them').length === 2`)
	assert.Equal(t, js[int](b, `document.querySelectorAll('.you').length`), 1, "the turn counts")

	// The same, and the page is loaded again instead of sending again.
	b.checkAnswered("/message", `real(u, o).then((r) => r.text()).then(() => { throw new TypeError('cut') })`)
	send("second [[redirect]]")
	b.until(`document.querySelector('#fault').innerText.includes('cannot be reached')`)
	b.do(chromedp.Reload())
	b.until(`document.querySelectorAll('.you').length === 2 && document.querySelector('#words').value === ''`)

	// A server without streams.
	b.checkAnswered("/message/stream", `Promise.resolve(new Response('{}', {status: 405}))`)
	send("third [[pass]]")
	b.until(`document.querySelector('.end')`)
}

// TestPlayTellsWaits: the page reports waits for a model's provider, for the opening and for a
// turn. After an unusable answer, it reports that no try was used.
func TestPlayTellsWaits(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	b := openBrowser(t)
	h, _ := playing(t, "openai/gpt-x", func(r llmtest.Request) llmtest.Script {
		switch n := asked.Add(1); {
		case n == 1 || n == 3:
			return llmtest.Script{Failure: &llmtest.Failure{Status: 429, Message: "slow down", RetryAfter: "3"}}
		case n > 100:
			return llmtest.Script{Text: "I think that it passes."}
		}
		return act(r)
	})
	b.open(h.link(gatePersona))
	b.do(chromedp.SetValue(chromedp.CSS("#player"), "Ann"), chromedp.Click(chromedp.CSS("#begin")))
	b.says("#enter-fault", "rate limit: it is asked again in 3 seconds.")
	b.until(`document.querySelectorAll('.them').length === 1`)
	send := func(text string) {
		b.Helper()
		b.do(chromedp.SetValue(chromedp.CSS("#words"), text), chromedp.Click(chromedp.CSS("#go")))
	}
	send("one [redirect]")
	b.says("#fault", "rate limit: it is asked again in 3 seconds. Esc stops the waiting.")
	b.until(`document.querySelectorAll('.them').length === 2 && document.querySelector('#fault').innerText === ''`)
	asked.Store(100)
	send("two [redirect]")
	b.says("#fault", "nothing was stored")
	b.until(`document.querySelector('#words').value === 'two [redirect]' && document.querySelectorAll('.you').length === 1`)
}

// TestPlayFaults: the page works with a server that injects faults into every second turn.
func TestPlayFaults(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t, func(o *Options) {
		rule := assert.Value(api.ParseFault("status=429,retry-after=1,every=2,path=/message"))(t)
		o.Faults = []api.FaultRule{rule}
	})
	b.open(h.link(gatePersona))
	b.begin("Ann")
	b.say("one [[redirect]]")
	b.do(chromedp.SetValue(chromedp.CSS("#words"), "two [[redirect]]"), chromedp.Click(chromedp.CSS("#go")))
	b.says("#fault", "You can send it in 1 second.")
	b.until(`!document.querySelector('#go').disabled`)
	b.do(chromedp.Click(chromedp.CSS("#go")))
	b.until(`document.querySelectorAll('.you').length === 2 && document.querySelector('#words').value === ''`)
}

// TestPlayWithoutPersona: a link to a missing persona, to an unpublished persona, and to a server
// that requires players to sign in.
func TestPlayWithoutPersona(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	for _, id := range []string{nobodyID, "no-uuid", "%3Cscript%3E", h.savePersona(gatePersona)} {
		h.send("", "GET", "/play/"+id, "").want(404)
		h.send(alice, "GET", "/play/"+id, "").want(404)
		b.open(h.URL() + "/play/" + id)
		b.says("h1", "Nobody is here")
	}
	b.picture("nobody")
	strict := begin(t, func(o *Options) { o.ChatAuth = ChatAuthRequired })
	b.open(strict.link(gatePersona))
	b.until(`document.querySelector('#enter').hidden && document.querySelector('#closed').innerText.includes('sign in')`)
	b.picture("play-sign-in")
	locked := strings.NewReplacer(`"is_entry_machine": true,`, "", `"machine_links": [`,
		`"machine_links": [{"source_machine_key": "hall", "target_machine_key": "gate", "condition_type": "always"}, `).Replace(gatePersona)
	b.open(h.link(locked))
	b.until(`!document.querySelector('#enter').hidden`)
	b.do(chromedp.SendKeys(chromedp.CSS("#player"), "Ann\r"))
	b.until(`document.querySelector('#enter-fault').innerText.includes('This part is locked')`)
}

// TestPlayPage: the page is one answer, loads nothing else and enforces that by its policy, and
// shows nothing that only the owner may see.
func TestPlayPage(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	answer := h.send("", "GET", "/play/"+id, "")
	answer.want(200)
	policy := answer.header.Get("Content-Security-Policy")
	for _, rule := range []string{"default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
		assert.Contains(t, policy, rule, "the policy lacks")
	}
	assert.NotContains(t, policy, "unsafe", "the policy is weak")
	page := string(answer.body)
	for _, secret := range []string{"You are a guard.", alice, "State your business."} {
		assert.NotContains(t, page, secret, "the page tells")
	}
	for _, outside := range []string{"https://", "//cdn", "src=", "@import"} {
		assert.NotContains(t, page, outside, "the page")
	}
	kind := answer.header.Get("Content-Type")
	assert.True(t, kind == "text/html; charset=utf-8" && len(page) <= 64<<10, "%s of %d bytes", kind, len(page))
	assert.Equal(t, h.send(alice, "GET", wire.PathPersona, "").status, 404, "status")
}

// TestDocsInBrowser: the description is readable without resources of other sites.
func TestDocsInBrowser(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.URL() + "/docs")
	b.says("h1", "Persona chat service")
	for i := range routes {
		if !js[bool](b, `document.getElementById(`+literal(routes[i].ID)+`) !== null`) {
			t.Errorf("%s is not shown", routes[i].ID)
		}
	}
	if broken := js[string](b, `[...document.querySelectorAll('a[href^="#"]')].map((a) => a.getAttribute('href').slice(1)).filter((id) => !document.getElementById(id)).join()`); broken != "" {
		t.Errorf("links that lead nowhere: %s", broken)
	}
	b.picture("docs")
}
