package tui

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/views"
)

// TestPanelSaysItOnce: the aim, the tries and the score are only in the panel, in every part.
func TestPanelSaysItOnce(t *testing.T) {
	d := playing(t)
	d.Resize(120, 40)
	for _, c := range []struct {
		say  string
		once []string
	}{
		{"", []string{"Talk the guard into it.", "tries left", "0 of 2"}},
		{"pass", []string{"Talk the guard into it.", "tries left", "Score 1 of 2"}},
		{"pass", []string{"Talk the guard into it.", "Score"}},
	} {
		if c.say != "" {
			d.say(c.say)
		}
		for _, words := range c.once {
			if got := strings.Count(strings.ReplaceAll(d.screen(), "The gate, score", ""), words); got != 1 {
				t.Errorf("after %q, %q is shown %d times:\n%s", c.say, words, got, d.screen())
			}
		}
	}
	d.press("f7").shows("score 2 of 2")
	playing(t).shows("Your aim   Talk the guard into it.", "score 0 of 2", "3 tries left here")
}

// On a wide window each screen is in the middle, at most as wide as can be read.
func TestWideWindows(t *testing.T) {
	for _, s := range screens {
		d := s.make(t)
		d.Resize(300, 60)
		d.press("esc") // Not about to leave, which is said over the whole width.
		for line := range strings.Lines(d.screen()) {
			said, _, _ := strings.Cut(line, strings.Repeat(" ", 30)+"│ ")
			said = strings.Trim(said, "\u200e│ \n")
			if ansi.StringWidth(said) > views.WidestScreen && !strings.HasPrefix(said, "Mira · ") && s.name != "leaving" {
				t.Errorf("%s has %d cells: %q", s.name, ansi.StringWidth(said), said)
			}
		}
	}
}

// F7 hides the panel and shows it again, for this chat; with /panel it stays so.
func TestPanelIsHidden(t *testing.T) {
	var kept []bool
	d := newDriver(t, func(o *Options) {
		asAlex(o)
		o.KeepPanel = func(shown bool) error { kept = append(kept, shown); return nil }
	}).settle()
	d.Resize(120, 40)
	d.press("f7").shows("F7 shows it again", "At the gate · score 0 of 2")
	d.hides("Where you have been")
	d.press("f7").shows("Where you have been")
	d.say("/panel").hides("Where you have been")
	assert.True(t, kept == nil, "a key is remembered: %v", kept)
	d.say("/panel ON").shows("Where you have been")
	d.say("/panel off").hides("Where you have been")
	d.say("/panel sideways").shows("on or off, not sideways")
	assert.EqualSlices(t, kept, []bool{true, false}, "remembered")
	d.root.env.opts.KeepPanel = func(bool) error { return errors.New("the disk is full") }
	d.say("/panel on").shows("Where you have been", "could not be saved: the disk is full")
}

// In a window that is too narrow for the panel, the key shows that, and does not change the setting.
func TestPanelNeedsRoom(t *testing.T) {
	d := playing(t).press("f7")
	d.shows("100 columns")
	d.Resize(120, 40)
	d.shows("Where you have been")
}

// The panel is wider in a wider window and leaves a hundred columns to the conversation.
func TestPanelGrows(t *testing.T) {
	d := playing(t)
	for width, want := range map[int]int{99: 0, 100: 28, 150: 36, 200: 44, 300: 44} {
		d.Resize(width, 40)
		assert.Equal(t, d.root.child.(*chat).sideWidth(), want, "at %d columns the panel", width)
	}
}

// TestWhyIsRefusedToPlayers: a player who is not the author is told so, and the play goes on.
func TestWhyIsRefusedToPlayers(t *testing.T) {
	d := playing(t)
	d.service.TraceError = &wire.Error{Status: http.StatusForbidden, Message: "no"}
	d.press("f2").settle().shows("only the persona's author can read explanations")
	d.say("pass").shows("In the yard")
}

func asAuthor(t testing.TB) *driver {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Debug, o.Directed = true, true })
	return d.settle().say("redi, please", "more", "pass, I am a friend of the house")
}

func TestAuthorScreens(t *testing.T) {
	for _, s := range []struct{ name, keys string }{{"author", "f2"}, {"director", "f5"}, {"debug", ""}} {
		d := asAuthor(t)
		if s.keys != "" {
			d.press(s.keys).settle()
		}
		goldenSizes(t, s.name, d)
	}
}

// TestAsideOnTheScreen: an aside is ordinary talk for a player; the author sees that it is one.
func TestAsideOnTheScreen(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Debug = true }).settle().say("aside, nice weather")
	d.hides("say more")
	d.press("f2").settle().showing("an aside, which").press("f2")
	d.say("more").shows("Mira wants you to say more")
}

func TestAuthorViewByKeys(t *testing.T) {
	d := asAuthor(t).press("f2").settle()
	d.shows("Why: each turn", "pass, I am a friend", "transition 1 of 4, pass to In the yard, score +1")
	d.hides("the opening line")
	d.press("pgup", "pgup", "pgup").shows("the opening line")
	d.press("ctrl+end").showing("pass, I am a friend").press("f2")
	d.hides("Why: each turn")
	d.press("/why", "enter").settle().showing("Why: each turn").press("esc")
	d.hides("Why: each turn")
}

// With --debug each reply is followed by why, also when the next machine opens at once.
func TestDebugNotes(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Debug, o.Machine = true, "cellar" })
	d.service.Unlocked = []string{"m-cellar"}
	d.settle().say("pass")
	d.Resize(80, 60)
	d.shows("Fired: transition 1 of 2, pass to In the light", "You made it", "This opens The tower.")
	hidden := playing(t).say("pass")
	hidden.hides("Fired:")
}

func TestDirectorByKeys(t *testing.T) {
	d := asAuthor(t).press("Let me through").press("f5").settle()
	d.shows("Director: what your words do", "pass to Through the gate, score +1", "[[1]]", "redirect", "needs no transition", "follow up")
	d.press("redirect", "enter").settle()
	if h := d.service.Messages["m-gate"]; h[len(h)-2].Content != "Let me through [[redirect]]" {
		t.Errorf("said %q", h[len(h)-2].Content)
	}
	d.press("f5").settle().press("esc").press("/direct 9 x", "enter").settle().shows(`unknown direction "9"`)
	d.press("ctrl+u", "/direct 1 So", "enter").settle()
	if h := d.service.Messages["m-gate"]; h[len(h)-2].Content != "So [[1]]" {
		t.Errorf("said %q", h[len(h)-2].Content)
	}
	d.press("/direct 1 More", "enter").settle().shows("The gate has ended: directions are not possible")
}

// TestDirectorAsksWhoPlays: directions are only for the offline model, which the author's trace reveals.
func TestDirectorAsksWhoPlays(t *testing.T) {
	d := playing(t).press("f2").settle().press("esc", "f5").settle().showing("Director: what your words do").press("esc")
	d.service.Traces["m-gate"][0].Usage = map[string]wire.Usage{"open": {Model: "a/b", In: 1}}
	d.press("f5").settle().shows("another model plays")
	d.press("/direct 1 hm", "enter").settle().shows("another model plays")
	d.service.TraceError = &wire.Error{Status: http.StatusForbidden, Message: "no"}
	d.press("f5").settle().shows("directions need the built-in offline model")
	assert.Equal(t, len(d.service.Messages["m-gate"]), 1, "messages")
}
