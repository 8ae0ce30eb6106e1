package localserver

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
)

// quiet is true when the page is idle.
const quiet = `document.querySelector('#log').getAttribute('aria-busy') === 'false'`

// count returns the number of matching elements.
func (b *tab) count(selector string) int {
	b.Helper()
	return js[int](b, "document.querySelectorAll('"+selector+"').length")
}

// openSecond opens a link in another tab of the same browser.
func (b *tab) openSecond(url string) *tab {
	b.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	second := &tab{TB: b.TB, ctx: ctx}
	b.Cleanup(cancel)
	second.listen()
	second.open(url)
	return second
}

// pressKey presses a key down.
func pressKey(key input.DispatchKeyEventParams) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		key.Type = input.DispatchKeyEventTypeKeyDown
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent, key)
		return err
	})
}

// TestEndingTakesFocus plays a part from the first form over its ending into the next part with
// only the keyboard. The ending's first button has the focus, also after a reload, and the ending
// is announced once.
func TestEndingTakesFocus(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.link(gatePersona))
	b.begin("Ann")
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

// TestStaleButtonsAreDead: the buttons of an earlier ending are disabled. The buttons of an ending
// that another tab has left show an error and change nothing.
func TestStaleButtonsAreDead(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	link := h.link(gatePersona)
	b.open(link)
	b.begin("Ann")
	b.say("[[pass]]")
	b.do(chromedp.Click(chromedp.CSS(".ways button.first")))
	b.says("#log", "Welcome in.")
	b.until(quiet)
	if alive := b.count(".end button:enabled"); alive != 0 || b.count(".end button") == 0 {
		t.Errorf("%d buttons of the past are alive, of %d", alive, b.count(".end button"))
	}
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

// TestStoryIsWholeAfterReload: a reload shows every part with its messages, the changes by each
// turn, and its ending, in order.
func TestStoryIsWholeAfterReload(t *testing.T) {
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

// narrow checks that nothing is wider than a small phone.
func (b *tab) narrow() {
	b.Helper()
	for _, width := range []int64{390, 320} {
		b.do(chromedp.EmulateViewport(width, 640))
		wide := js[int](b, `document.documentElement.scrollWidth`)
		assert.True(b, int64(wide) <= width, "on a phone of %d the page is %d wide", width, wide)
	}
	b.do(chromedp.EmulateViewport(1100, 800))
}

// TestTwoTabs: a message sent in one tab also appears in the other, once, without affecting a
// message being written there; endings appear in both, and a turn is sent by one.
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
	b.open(h.link(gatePersona))
	b.begin("Ann")
	b.checkAnswered("/message", `new Promise((_, no) => o.signal.addEventListener('abort', () => no(new DOMException('', 'AbortError'))))`)
	b.do(chromedp.SendKeys(chromedp.CSS("#words"), "first [[redirect]]"), enter())
	b.until(`!document.querySelector('#stop').hidden && document.querySelector('#go').hidden`)
	b.do(chromedp.KeyEvent("\x1b"))
	b.until(`document.querySelector('#words').value === 'first [[redirect]]' && document.querySelector('#stop').hidden && document.querySelectorAll('.you').length === 0`)
	b.says("#status", "The message does not count, and your text is back")
	b.answeredTruly()
	b.do(enter())
	b.until(`document.querySelectorAll('.you').length === 1 && document.querySelector('#words').value === '' && ` + quiet)
	b.until(`document.activeElement.id === 'words'`)
	b.do(pressKey(input.DispatchKeyEventParams{Key: "ArrowUp", Code: "ArrowUp", WindowsVirtualKeyCode: 38}))
	b.until(`document.querySelector('#words').value === 'first [[redirect]]'`)
}

// TestWordsOfThePage: the texts about tries and scores are the same as in the chat.
func TestWordsOfThePage(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.link(gatePersona))
	b.begin("Ann")
	b.says("#part", "3 tries left here")
	b.says("#score-text", playwords.Score(0, 2))
	b.say("[[redirect]]")
	b.says("#part", "2 tries left here")
	b.says("#log .turn:last-child", playwords.TryUsed(2))
	b.say("[[aside]]")
	assert.Equal(t, b.count("#log .turn"), 1, "talk that is free is told to cost: %s", b.text("#log"))
	b.say("[[redirect]]")
	b.says("#part", "last try here")
	b.says("#log .turn:last-child", playwords.TryUsed(1))
	log := b.text("#log")
	b.do(chromedp.Reload())
	b.until(quiet)
	assert.Equal(t, b.text("#log"), log, "after a reload the tries read")
	assert.True(t, js[bool](b, `document.querySelector('#part').classList.contains('last')`),
		"a last try looks like any other")
	b.do(chromedp.EmulateViewport(320, 640))
	if !js[bool](b, `document.querySelector('.tries').getBoundingClientRect().right <= document.querySelector('#score').getBoundingClientRect().left`) {
		t.Error("on a phone the tries are cut")
	}
	b.picture("tries")
	if beyond := js[string](b, `JSON.parse(document.querySelector('#persona').textContent).score.beyond`); strings.NewReplacer("%score", "4", "%enough", "3").Replace(beyond) != playwords.Score(4, 3) {
		t.Errorf("a score beyond the one that is enough reads %q", beyond)
	}
	b.say("[[redirect]]")
	b.says(".end h2", playwords.FindEnding(personas.Reject).Title)
}
