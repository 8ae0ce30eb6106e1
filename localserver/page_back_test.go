package localserver

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/parley-npc/parley/personas/assert"
)

// TestPageTakesBack: the buttons after the last reply put the last message back into the input,
// also after an ending, or ask for other words. They can be reached with the keyboard and do not
// move the page.
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
