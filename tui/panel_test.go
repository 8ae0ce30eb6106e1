package tui

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
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
	assert.True(t, len(kept) == 2 && kept[0] && !kept[1], "remembered %v", kept)
	d.root.env.opts.KeepPanel = func(bool) error { return errors.New("the disk is full") }
	d.say("/panel on").shows("Where you have been", "could not be saved: the disk is full")
	d.press("/panel ").shows("hide it, in the next chats too")
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
