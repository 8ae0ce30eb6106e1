package localserver

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playwords"
)

// yardPersona can be lost in the yard, behind the gate. One of its names contains markup.
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

// TestPageWaitsForItsReader: an ending with a next part waits for the player. The button for the
// unlocked part comes first and has the focus.
func TestPageWaitsForItsReader(t *testing.T) {
	t.Parallel()
	b, h := openBrowser(t), begin(t)
	b.open(h.sample("hotel"))
	b.begin("Ann")
	b.say("I'm here for my cousin's wedding tomorrow.")
	b.say("I promise to follow the rules, but the whistling will be hard.")
	b.says(".end", "This opens The night round.")
	b.until(`[...document.querySelectorAll('.end .ways button')].map((x) => x.innerText).join().includes('Begin this part again')`)
	b.until(quiet + ` && document.activeElement === document.querySelector('.end button')`)
	b.says(".end button.first", "Go on to The night round")
	b.picture("stays")
	words := b.text(".end")
	assert.True(t, !strings.Contains(words, " s.") && !strings.Contains(words, "seconds"), "a clock stands at the ending: %s", words)
	assert.Equal(t, b.count(".chapter"), 0, "it has gone on")
	b.do(chromedp.KeyEvent("\r"))
	b.until(`document.querySelector('.chapter') && ` + quiet)
}
