package tui

import (
	"context"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/views"
)

// withMouse returns a driver with the mouse in a chat with Mira, and a window with a side panel.
func withMouse(t *testing.T, change func(*Options)) *driver {
	d := newDriver(t, func(o *Options) {
		asAlex(o)
		o.Mouse = true
		if change != nil {
			change(o)
		}
	})
	d.settle()
	d.Resize(110, 30)
	return d
}

// point presses or moves the left button at the first place of a text on the screen.
func (d *driver) point(text string, action tea.MouseAction) *driver {
	d.t.Helper()
	for y, line := range strings.Split(d.screen(), "\n") {
		if before, _, found := strings.Cut(line, text); found {
			d.send(tea.MouseMsg{X: len([]rune(before)), Y: y, Button: tea.MouseButtonLeft, Action: action})
			return d.settle()
		}
	}
	d.t.Fatalf("there is no %q to click on:\n%s", text, d.screen())
	return d
}

func (d *driver) click(text string) *driver {
	d.t.Helper()
	return d.point(text, tea.MouseActionPress)
}

func (d *driver) wheel(button tea.MouseButton, times int) *driver {
	for range times {
		d.send(tea.MouseMsg{X: 5, Y: 5, Button: button, Action: tea.MouseActionPress})
	}
	return d
}

func TestMouseWheel(t *testing.T) {
	d := withMouse(t, nil)
	for range 12 {
		d.say("pass by")
	}
	d.wheel(tea.MouseButtonWheelUp, 2).shows("6 more lines below")
	d.wheel(tea.MouseButtonWheelDown, 2).hides("below")
	d.press("f1")
	before := d.screen()
	if d.wheel(tea.MouseButtonWheelDown, 1); d.screen() == before {
		t.Error("the wheel does not scroll help")
	}
	d.press("esc", "f3").settle()
	d.wheel(tea.MouseButtonWheelDown, 1).shows("2 of 2")
	d.wheel(tea.MouseButtonWheelUp, 5).shows("1 of 2")
}

// TestClickOnAMessage: a click marks a message, a second one or the copy key copies it, Esc removes the mark.
func TestClickOnAMessage(t *testing.T) {
	var copied string
	d := withMouse(t, func(o *Options) {
		o.Copy = func(_ context.Context, text string) error { copied = text; return nil }
	})
	d.say("pass by")
	d.click("pass by").shows("chosen: a click or Ctrl+Y copies it")
	d.press("ctrl+y").settle()
	assert.Equal(t, copied, "pass by", "the key copies")
	d.press("esc", "ctrl+y").settle()
	assert.True(t, copied != "pass by", "it was not let go")
	d.click("Halt, Alex").click("Halt, Alex").shows("copied what Mira said")
	assert.True(t, strings.HasPrefix(copied, "Halt"), "two clicks copy %q", copied)
	d.click("─ ").hides("chosen")
}

// TestClicksChoose clicks rows of lists, completions, a part, a choice at an ending, and the help.
func TestClicksChoose(t *testing.T) {
	d := withMouse(t, nil)
	d.press("/the").click("/theme").settle().shows("› /theme")
	d.press("ctrl+u", "f1").shows("Keys and commands")
	d.click("Esc closes").hides("Keys and commands")
	d.click("F1 keys").shows("Keys and commands")
	d.press("esc", "ctrl+p").click("Talk to somebody else").shows("Whom do you want")
	d.click("Mira").settle().shows("Mira · The gate")
	d.say("pass", "pass", "pass", "pass")
	d.press("esc")
	d.click("Talk to somebody else").shows("Whom do you want")
}

// TestMouseIsReleased: selecting is explained once, and a key and a command release and take the mouse.
func TestMouseIsReleased(t *testing.T) {
	d := withMouse(t, nil)
	d.point("Halt", tea.MouseActionMotion).shows("To select text hold Shift (Option on a Mac), or press F8 first.")
	d.press("a").hides("To select text")
	d.point("Halt", tea.MouseActionMotion).hides("To select text")
	d.press("ctrl+u").say("/mouse off")
	d.shows("The terminal uses the mouse", "F8 changes that")
	d.click("Halt").hides("chosen")
	d.say("/mouse on")
	d.shows("The chat uses the mouse")
	d.click("Halt").shows("chosen")
	d.say("/mouse maybe").shows("the mouse can be on or off")
	d = newDriver(t, func(o *Options) {
		asAlex(o)
		o.Keys = keysOf(t, "", map[string]string{"mouse": "none"})
		o.Mouse = true
	}).settle()
	d.say("/mouse off")
	d.shows("The terminal uses the mouse")
	d.hides("F8")
}

func keysOf(t *testing.T, preset string, table map[string]string) views.KeyMap {
	t.Helper()
	keys, faults := views.MakeKeyMap(preset, table)
	assert.Empty(t, faults)
	return keys
}

// TestOwnKeysAreInForce: keys from a table work and are shown everywhere; the replaced keys do nothing.
func TestOwnKeysAreInForce(t *testing.T) {
	table := map[string]string{"sessions": "f10", "help": "f12", "search": "ctrl+b"}
	d := newDriver(t, func(o *Options) { asAlex(o); o.Keys = keysOf(t, "", table) }).settle()
	d.send(tea.KeyMsg{Type: tea.KeyF10})
	d.settle().shows("Your sessions")
	d.press("esc").settle()
	d.press("ctrl+s").settle().hides("Your sessions")
	d.send(tea.KeyMsg{Type: tea.KeyCtrlB})
	d.shows("What was said")
	d.press("esc").send(tea.KeyMsg{Type: tea.KeyF12})
	d.Resize(110, 72)
	d.shows("F10        your sessions", "Ctrl+B     search", "F12        these keys")
	d.press("esc", "ctrl+p").shows("F10")
}

// TestVimReads: Esc reads, letters move, / searches, i writes; in lists letters move until /.
func TestVimReads(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Keys = keysOf(t, views.PresetVim, nil) }).settle()
	d.service.Answer = strings.Repeat("Words to be read. ", 200)
	d.say("more of it")
	d.press("jk").shows("› jk")
	d.press("ctrl+u", "esc").shows("reading: j k g G move")
	d.press("kkk").shows("3 more lines below", "Say something")
	d.press("j").shows("2 more lines below")
	d.press("g").hides(" 2 lines more")
	d.shows("below")
	d.press("G").hides("below")
	d.press("ctrl+u").shows("below")
	d.press("ctrl+d").hides("below") // A page, and no way out.
	d.press("x").shows("Say something")
	d.press("/").shows("What was said")
	d.press("halt").shows("1 of 1", "Enter goes there")
	d.press("esc", "esc").shows("reading")
	d.press("y").settle().shows("sent to your terminal")
	d.press(":").shows("› /", "/help")
	d.press("esc", "ctrl+u", "esc", "i", "jk").shows("› jk")
	d.press("ctrl+u", "f3").settle()
	d.press("jx").shows("2 of 2", "/ searches")
	d.press("/j").shows("/ j", "letters search")
	d.press("esc").shows("1 of 2", "/ searches")
	d.press("f1").shows("Keys and commands")
	d.press("G").shows("Esc closes")
	d.hides("Down shows more")
	d.press("q").hides("Keys and commands")
}

func TestVimKeysTypeLettersByDefault(t *testing.T) {
	d := playing(t)
	d.press("esc", "jkgGq/i:y").shows("› jkgGq/i:y")
}
