package localserver

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestTraceOfOthers: a player who may direct cannot read the trace of another player's session.
func TestTraceOfOthers(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	trace := wire.Path(wire.PathTrace, id) + "?user_session_id=hers"
	h.sayAs(alice, id, "hers", "between us")
	for _, who := range []string{"", bob} {
		got := h.send(who, "GET", trace, "")
		assert.True(t, got.status == 404 && !strings.Contains(string(got.body), "between us"), "%q: %d %s", who, got.status, got.body)
	}
	h.sayAs("", id, "hers", "nobody's")
	var mine, hers wire.Trace
	h.send("", "GET", trace, "").decode(&mine)
	h.send(alice, "GET", trace, "").decode(&hers)
	assert.True(t, mine.SessionID != "" && mine.SessionID != hers.SessionID && len(mine.Turns) == 2,
		"nobody reads %+v, alice %+v", mine, hers)
}

// why opens the explanation of a reply with the keyboard and returns its text.
func (b *tab) why(reply int) string {
	b.Helper()
	const boxes = `document.querySelectorAll('.judged')`
	box := boxes + "[" + string(rune('0'+reply)) + "]"
	js[bool](b, "("+box+".firstElementChild.focus(), document.activeElement === "+box+".firstElementChild)")
	b.do(chromedp.KeyEvent("\r"))
	b.until(box + ".open && !" + box + ".innerText.includes('One moment')")
	return js[string](b, box+".innerText")
}

// TestPageExplains: on request, the page shows under each reply how the message was judged, by
// which method, and the cost. The choices have bars, and texts stay texts.
func TestPageExplains(t *testing.T) {
	t.Parallel()
	b := openBrowser(t)
	h, _ := playing(t, "openai/gpt-x", func(r llmtest.Request) llmtest.Script {
		script := act(r)
		script.In, script.Cached, script.Out = 1551, 1517, 3
		return script
	})
	b.open(h.link(gatePersona))
	b.begin("Ann")
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
