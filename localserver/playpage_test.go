package localserver

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
)

// TestPlayInBrowser plays a sample to its ending in a browser, with a reload, and begins again.
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

func TestPlayAsksGender(t *testing.T) {
	h := begin(t)
	for text, asked := range map[string]bool{"You are Hobb.": false, "You speak to a {{ player_gender }} traveller.": true, "player_gender": false} {
		id := h.savePersona(strings.Replace(gatePersona, "You are a guard.", text, 1))
		h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
		page := h.send("", "GET", "/play/"+id, "").body
		assert.Equal(t, !strings.Contains(string(page), "<fieldset hidden>"), asked, text)
	}
}

// TestPlayGoesOn: unlocked parts can be chosen after an ending, the linked one first.
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

	b.enterGate(h)
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

func (b *tab) checkAnswered(path, answer string) {
	b.Helper()
	js[bool](b, `(() => { const real = window.real ||= fetch; window.fetch = (u, o) => u.includes('`+path+`') ? (`+answer+`) : real(u, o); return true })()`)
}

func (b *tab) answeredTruly() { b.Helper(); js[bool](b, `(window.fetch = window.real, true)`) }

// TestPlayTroubles: on any failure, the page keeps the message and suggests a remedy.
func TestPlayTroubles(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.enterGate(h)
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

// TestPlayTellsWaits: the page reports waits for a model's provider, and an unusable answer.
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

// TestPlayWithoutPersona: a link to a persona that is missing, unpublished or needs a sign-in.
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
	strict := begin(t, func(o *Options) { o.ChatNeedsToken = true })
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

// TestPlayPage: the page loads nothing else, and shows nothing that only the owner may see.
func TestPlayPage(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	answer := h.send("", "GET", "/play/"+id, "").is(200)
	policy := answer.header.Get("Content-Security-Policy")
	for _, rule := range []string{
		"default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "connect-src 'self'", "frame-ancestors 'none'",
		"base-uri 'none'",
	} {
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

func TestDocsInBrowser(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.URL() + "/docs")
	b.says("h1", "Persona chat service")
	for i := range routes {
		assert.True(t, js[bool](b, `document.getElementById(`+literal(routes[i].ID)+`) !== null`), "%s is not shown", routes[i].ID)
	}
	broken := js[string](b, `[...document.querySelectorAll('a[href^="#"]')].map((a) => a.getAttribute('href').slice(1))
		.filter((id) => !document.getElementById(id)).join()`)
	assert.True(t, broken == "", "links that lead nowhere: %s", broken)
	b.picture("docs")
}

const quiet = `document.querySelector('#log').getAttribute('aria-busy') === 'false'`

func (b *tab) count(selector string) int {
	b.Helper()
	return js[int](b, "document.querySelectorAll('"+selector+"').length")
}

func (b *tab) openSecond(url string) *tab {
	b.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	second := &tab{TB: b.TB, ctx: ctx}
	b.Cleanup(cancel)
	second.listen()
	second.open(url)
	return second
}

func pressKey(key input.DispatchKeyEventParams) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		key.Type = input.DispatchKeyEventTypeKeyDown
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent, key)
		return err
	})
}

// TestEndingTakesFocus plays over an ending into the next part with only the keyboard.
func TestEndingTakesFocus(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.enterGate(h)
	b.say("[[pass]]")
	first := `document.activeElement === document.querySelector('.end button')`
	b.until(first)
	assert.Equal(t, js[string](b, `document.querySelector('.end').closest('[aria-live]').getAttribute('aria-live')`), "off", "the ending is announced by the log")
	b.says("#status", "This opens hall.")
	b.do(chromedp.Reload())
	b.until(first + " && " + quiet)
	b.do(pressKey(input.DispatchKeyEventParams{Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13, AutoRepeat: new(true)}))
	assert.True(t, b.count(".end") == 1 && js[bool](b, quiet), "a key that is held down chooses")
	b.do(chromedp.KeyEvent("\r"))
	b.says("#log", "Welcome in.")
	b.until(quiet + ` && document.activeElement.id === 'words'`)
}

// TestStaleButtonsAreDisabled: the buttons of an earlier ending are disabled. The buttons of an ending
// that another tab has left show an error and change nothing.
func TestStaleButtonsAreDisabled(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	link := h.link(gatePersona)
	b.open(link)
	b.begin("Ann")
	b.say("[[pass]]")
	b.do(chromedp.Click(chromedp.CSS(".ways button.first")))
	b.says("#log", "Welcome in.")
	b.until(quiet)
	alive := b.count(".end button:enabled")
	assert.True(t, alive == 0 && b.count(".end button") != 0, "%d buttons of the past are alive, of %d", alive, b.count(".end button"))
	before := b.text("#log")
	js[bool](b, `(document.querySelectorAll('.end button').forEach((x) => x.click()), true)`)
	b.say("[[redirect]]")
	after := b.text("#log")
	assert.True(t, strings.HasPrefix(after, before), "dead buttons changed the page to\n%s", after)

	// The same session is restarted and continues without this page.
	b.do(chromedp.Click(chromedp.CSS("#menu summary")))
	b.until(`document.querySelectorAll('#chapters button').length > 1`)
	b.do(chromedp.Click(chromedp.CSS("#chapters button")))
	b.until(quiet + ` && document.querySelector('.end .ways')`)
	user, id := js[string](b, `JSON.parse(localStorage[Object.keys(localStorage)[0]]).user`), link[strings.LastIndex(link, "/")+1:]
	machine := js[string](b, `JSON.parse(localStorage[Object.keys(localStorage)[0]]).machine`)
	chat := func(path string) string { return strings.Replace(path, "{persona_id}", id, 1) }
	h.send("", "POST", chat(wire.PathReset)+"?machine_id="+machine+"&user_session_id="+user, "").want(200)
	h.send("", "POST", chat(wire.PathMessage)+"?machine_id="+machine, `{"user_session_id": "`+user+`", "message": "from elsewhere [[redirect]]"}`).want(200)
	b.do(chromedp.Click(chromedp.CSS(".end .ways button:last-child")))
	b.says("#fault", "continued in another window")
	b.until(quiet + ` && document.querySelector('#log').innerText.includes('from elsewhere')`)
}

// TestStoryIsCompleteAfterReload: a reload shows every part with its messages and ending, in order.
func TestStoryIsCompleteAfterReload(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.sample("hotel"))
	b.begin("Ann")
	b.say("I'm here for my cousin's wedding tomorrow.")
	b.say("I promise to follow the rules, but the whistling will be hard.")
	b.do(chromedp.Click(chromedp.CSS(".end .ways button.first")))
	b.until(`document.querySelector('.chapter') && ` + quiet)
	b.say("Good evening.")
	said := `[...document.querySelectorAll('.you, .them, .turn, .end h2')].map((x) => x.innerText).join('|')`
	before := js[string](b, said)
	b.do(chromedp.Reload())
	b.until(`document.querySelectorAll('.chapter').length === 2 && ` + quiet)
	assert.Equal(t, js[string](b, said), before, "after a reload the story")
	assert.Equal(t, b.count(".end"), 1)
	assert.Equal(t, b.count(".end button"), 0)
	b.picture("story")
	b.narrow()
}

func (b *tab) narrow() {
	b.Helper()
	for _, width := range []int64{390, 320} {
		b.do(chromedp.EmulateViewport(width, 640))
		wide := js[int](b, `document.documentElement.scrollWidth`)
		assert.True(b, int64(wide) <= width, "on a phone of %d the page is %d wide", width, wide)
	}
	b.do(chromedp.EmulateViewport(1100, 800))
}

// TestTwoTabs: a message sent in one tab also appears in the other, once.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	link := h.link(gatePersona)
	b.open(link)
	b.begin("Ann")
	b.say("one [[redirect]]")
	second := b.openSecond(link)
	second.until(`document.querySelectorAll('.you').length === 1 && ` + quiet)
	second.do(chromedp.SetValue(chromedp.CSS("#words"), "half a word"))
	b.say("two [[redirect]]")
	second.until(`document.querySelectorAll('.you').length === 2 && ` + quiet)
	assert.Equal(t, js[string](second, `document.querySelector('#words').value`), "half a word", "the other tab's draft")
	js[string](second, `document.querySelector('#words').value = ""`)
	second.say("three [[pass]]")
	for _, each := range []*tab{second, b} {
		each.until(`document.querySelectorAll('.you').length === 3 && document.querySelectorAll('.end .ways').length === 1 && ` + quiet)
		log := each.text("#log")
		assert.True(t, strings.Count(log, "one [[redirect]]") == 1 && strings.Count(log, "You made it") == 1, "a tab shows\n%s", log)
	}
	js[bool](b, `(document.querySelector('#leave').click(), true)`)
	b.until(`!document.querySelector('#enter').hidden`)
	second.until(`!document.querySelector('#enter').hidden`)
}

// TestStopAndRecall: Esc stops a turn and restores the message; the up arrow recalls earlier ones.
func TestStopAndRecall(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.enterGate(h)
	b.checkAnswered("/message", `new Promise((_, no) => o.signal.addEventListener('abort', () => no(new DOMException('', 'AbortError'))))`)
	b.do(chromedp.SendKeys(chromedp.CSS("#words"), "first [[redirect]]"), enter())
	b.until(`!document.querySelector('#stop').hidden && document.querySelector('#go').hidden`)
	b.do(chromedp.KeyEvent("\x1b"))
	b.until(`document.querySelector('#words').value === 'first [[redirect]]' && document.querySelector('#stop').hidden &&
		document.querySelectorAll('.you').length === 0`)
	b.says("#status", "The message does not count, and your text is back")
	b.answeredTruly()
	b.do(enter())
	b.until(`document.querySelectorAll('.you').length === 1 && document.querySelector('#words').value === '' && ` + quiet)
	b.until(`document.activeElement.id === 'words'`)
	b.do(pressKey(input.DispatchKeyEventParams{Key: "ArrowUp", Code: "ArrowUp", WindowsVirtualKeyCode: 38}))
	b.until(`document.querySelector('#words').value === 'first [[redirect]]'`)
}

// TestPageTakesBack: the buttons after the last reply put the last message back into the input.
func TestPageTakesBack(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.link(yardPersona))
	b.begin("Ann")
	const shown = `getComputedStyle(document.querySelector('#back')).visibility`
	assert.Equal(t, js[string](b, shown), "hidden", "before the first message the buttons")
	height := js[int](b, `document.querySelector('#back').offsetHeight`)
	b.say("let me in [[pass]]")
	assert.Equal(t, js[string](b, shown), "visible", "the buttons are not shown, or have moved the page")
	assert.Equal(t, js[int](b, `document.querySelector('#back').offsetHeight`), height, "the buttons are not shown, or have moved the page")
	user := js[string](b, `JSON.parse(localStorage[Object.keys(localStorage)[0]]).user`)
	b.do(chromedp.Click(chromedp.CSS("#other")))
	b.until(quiet + ` && JSON.parse(localStorage[Object.keys(localStorage)[0]]).user !== '` + user + `' && document.querySelectorAll('.you').length === 1`)
	b.says("#score-text", "2 of 3")

	b.say("no [[reject]]")
	b.says(".end", "You did not make it")
	b.do(chromedp.Focus(chromedp.CSS("#undo")), chromedp.KeyEvent("\r"))
	b.until(quiet + ` && document.querySelectorAll('.end').length === 0`)
	assert.Equal(t, js[string](b, `document.querySelector('#words').value`), "no [[reject]]", "the input")
	b.until(`document.activeElement.id === 'words'`)
	b.says("#score-text", "2 of 3")
	assert.Equal(t, b.count(".you"), 1, "after taking back: %s", b.text("#log"))
	b.picture("back")
}

const yardPersona = `{
  "name": "Gate guard", "description": "Keeps the gate", "persona_identity_prompt": "You are a guard.",
  "machines": [
    {"machine_key": "gate", "name": "The gate", "description": "Get in", "is_entry_machine": true, "pass_threshold": 3, "early_fail_bound": -5,
     "states": [
       {"state_key": "outside", "is_initial_state": true, "max_redirects": 1, "evaluation_criteria": {"reject": "The player refuses or says no."}, "offline": {"opening": ["Halt."], "lines": {"pass": ["Pass."], "redirect": ["Why?"]}}},
       {"state_key": "yard", "label": "<b>In the yard</b>"},
       {"state_key": "inside", "is_terminal_state": true}],
     "transitions": [
       {"from_state_key": "outside", "to_state_key": "yard", "decision_type": "pass", "score_delta": 2},
       {"from_state_key": "outside", "to_state_key": "inside", "decision_type": "reject"},
       {"from_state_key": "outside", "decision_type": "redirect"},
       {"from_state_key": "yard", "to_state_key": "inside", "decision_type": "pass", "score_delta": 2},
       {"from_state_key": "yard", "to_state_key": "inside", "decision_type": "reject"},
       {"from_state_key": "yard", "decision_type": "kick_out", "ending": "<i>Out</i> / away"},
       {"from_state_key": "yard", "decision_type": "redirect"}]}]
}`

// TestEndingOfThePageSaysWhy: an ending shows the reason and the number of endings found, in the
// words of the chat in the terminal; the way back leads to the turning point. Names stay text.
func TestEndingOfThePageSaysWhy(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.link(yardPersona))
	b.begin("Ann")
	b.says("#log", playwords.FreeTalkButNo)
	b.say("let me in [[pass]]")
	b.say("<img src=x onerror=window.owned=1> [[reject]]")
	b.says(".end .why", playwords.MissedTooLow("<img src=x onerror=window.owned=1> [[reject]]", 0, 2, 3))
	b.says(".end .found", playwords.FoundNow(1, 3, true))
	b.says("#status", playwords.FindEnding(personas.Reject).Title)
	b.says("#status", playwords.FoundNow(1, 3, true))
	b.says(".end .over", playwords.StoryOver(1, false))
	b.says("#status", playwords.StoryOver(1, false))
	b.picture("why")

	back := `[...document.querySelectorAll('.ways button')].find((x) => x.innerText.startsWith('Back to where it turned'))`
	assert.Equal(t, js[string](b, back+".innerText"), playwords.WayBack("<b>In the yard</b>", 1), "the way back")
	js[bool](b, "("+back+".click(), true)")
	b.says("#log", playwords.TurnedHere("<b>In the yard</b>"))
	b.until(quiet + ` && document.activeElement.id === 'words'`)
	b.says("#part", "<b>In the yard</b>")
	b.says("#score-text", "2 of 3")
	assert.Equal(t, b.count(".you"), 1, "after the way back: %s", b.text("#log"))
	assert.Equal(t, b.count(".end"), 0, "after the way back: %s", b.text("#log"))

	b.say("so there [[kick_out]]")
	b.says(".end .why", playwords.WentTooFar("Gate guard", "so there [[kick_out]]"))
	b.says(".end h2", playwords.FindEnding(personas.KickOut).Title+": <i>Out</i> / away")
	b.says(".end .found", playwords.FoundNow(2, 3, true))
	before := js[string](b, `document.querySelector('.end .why').innerText`)
	b.do(chromedp.Reload())
	b.says(".end .found", playwords.Found(2, 3))
	b.says(".end h2", "<i>Out</i> / away")
	assert.Equal(t, b.text(".end .why"), before, "after a reload it ended because")
	b.do(chromedp.Click(chromedp.CSS("#menu summary")))
	b.says("#found", playwords.Found(2, 3))
	b.do(chromedp.Click(chromedp.CSS("#again")))
	b.until(quiet + ` && document.querySelectorAll('.end').length === 0`)
	b.say("once [[redirect]]")
	b.say("twice [[redirect]]")
	b.says(".end .why", playwords.OutOfTries("twice [[redirect]]"))
	b.says(".end .found", playwords.FoundNow(2, 3, false))
	assert.True(t, !js[bool](b, back+" !== undefined"), "there is a way back to the beginning")
	js[bool](b, `(document.querySelector('.end:last-of-type .ways button.first').click(), true)`)
	b.until(quiet + ` && document.querySelectorAll('.end .ways button:not(:disabled)').length === 0`)
	b.say("in [[pass]]")
	b.say("and through [[pass]]")
	b.says(".end .why", playwords.ScoreReached("Gate guard", "and through [[pass]]", 4, 3))
	assert.NotContains(t, b.text(".end"), "needed", "the score is told twice")
	assert.True(t, !js[bool](b, `'owned' in window || document.querySelector('.log b, .log img') !== null`),
		"a text was taken for markup")
	b.narrow()
}

// TestFoundEndingsAreBounded: the endings stored in a browser are validated and limited.
func TestFoundEndingsAreBounded(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	link := h.link(gatePersona)
	b.open(link)
	b.begin("Ann")
	js[bool](b, `(() => {
		const key = Object.keys(localStorage)[0], me = JSON.parse(localStorage[key])
		me.found = ['<b>/ACCEPT', me.machine + '/constructor', me.machine + '/ACCEPT/x', 7, null, {}]
		for (let i = 0; i < 500; i++) me.found.push(me.machine + '/REJECT')
		localStorage[key] = JSON.stringify(me)
		for (let i = 0; i < 1000; i++) localStorage['parley:old-' + i] = JSON.stringify({ at: 1000 + i })
		localStorage['parley:damaged'] = '{'
		return true })()`)
	b.do(chromedp.Reload())
	b.until(quiet)
	b.say("[[pass]]")
	b.says(".end .found", "2 of ")
	for range 2 {
		b.do(chromedp.Reload())
		b.until(quiet + ` && document.querySelector('.end .found')`)
	}
	left := js[string](b, `[Object.keys(localStorage).length <= 1001, 'parley:damaged' in localStorage, 'parley:old-999' in localStorage].join()`)
	assert.Equal(t, left, "true,false,true", "kept")
	id := link[strings.LastIndex(link, "/")+1:]
	assert.Equal(t, js[int](b, `JSON.parse(localStorage['parley:`+id+`']).found.length`), 2, "endings are kept")
	b.do(chromedp.Click(chromedp.CSS("#menu summary")), chromedp.Click(chromedp.CSS("#leave")))
	b.until(`!document.querySelector('#enter').hidden && !('parley:` + id + `' in localStorage)`)
}

// TestPlayContrast: text and controls have enough contrast (WCAG 2.2 AA) in every colour.
func TestPlayContrast(t *testing.T) {
	light, dark, _ := strings.Cut(playStyle, "@media (prefers-color-scheme:dark)")
	for tone := range tones {
		for scheme, style := range map[string]string{"light": light, "dark": dark} {
			named := palette(style, tone)
			for _, pair := range []struct {
				front, back string
				least       float64
			}{
				{"ink", "paper", 4.5}, {"ink", "card", 4.5}, {"ink", "tone-soft", 4.5}, {"soft", "paper", 4.5}, {"soft", "card", 4.5},
				{"tone-ink", "tone", 4.5}, {"fault", "card", 4.5}, {"good", "card", 4.5}, {"fault", "paper", 4.5}, {"tone", "paper", 3}, {"edge", "paper", 3}, {"edge", "card", 3},
			} {
				if got := contrast(t, named[pair.front], named[pair.back]); got < pair.least {
					t.Errorf("%s, tone %d: %s %s on %s %s has %.2f to 1", scheme, tone, pair.front, named[pair.front], pair.back, named[pair.back], got)
				}
			}
		}
	}
}

func palette(style string, tone int) map[string]string {
	named := map[string]string{}
	general, rest, _ := strings.Cut(style, "[data-tone")
	_, own, _ := strings.Cut("[data-tone"+rest, fmt.Sprintf("[data-tone=%q]", strconv.Itoa(tone)))
	own, _, _ = strings.Cut(own, "}")
	for _, m := range regexp.MustCompile(`--([a-z-]+):(#[0-9a-f]{6})`).FindAllStringSubmatch(general+own, -1) {
		named[m[1]] = m[2]
	}
	return named
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(colour string) (sum float64) {
		value := assert.Value(strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32))(t)
		for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
			c := float64(value>>(8*i)&0xff) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum + 0.05
	}
	x, y := luminance(a), luminance(b)
	return max(x, y) / min(x, y)
}
