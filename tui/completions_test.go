package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/conversation"
)

// The list offers the arguments of a command, and Enter inserts one.
func TestArgumentsAreOffered(t *testing.T) {
	d := newDriver(t, func(o *Options) {
		asAlex(o)
		o.Directed, o.Author = true, true
		_ = o.Memory.Remember(conversation.SavedSession{Persona: "oskar", PersonaName: "Oskar", UserSessionID: "u-9", PlayerName: "Kim", Label: "the \x1b[2Jbig deal", UsedAt: time.Unix(0, 0)})
	}).settle()
	d.say("pass")
	d.press("/copy ").shows("1  Mira: You said: pass.", "2  Alex: pass", "3  Mira: Halt")
	d.press("ctrl+u", "/sessions ").shows("the ␛[2Jbig deal  with Oskar as Kim, just now", "Mira", "with Mira as Alex")
	d.press("the ␛[2Jbig").shows("› the ␛[2Jbig deal")
	d.press("ctrl+u", "/theme h").shows("› high-contrast  the strongest")
	d.press("ctrl+u", "/direct ").shows("› 1", "redirect", "follow up")
	d.press("ctrl+u", "/export md ").hides("› md")
}

// A memory that fails causes neither completions nor an error message.
func TestNothingIsOfferedOfABrokenMemory(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Memory = brokenMemory{o.Memory} }).settle()
	d.press("/sessions ").hides("could not")
	d.press("enter").settle().shows("your sessions could not be read")
}

// A new theme immediately applies to the whole screen.
func TestThemeCommand(t *testing.T) {
	d := playing(t)
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(termenv.TrueColor)
	d.root.env.st.Renderer = r
	d.say("/theme dark")
	dark := d.root.View()
	d.say("/theme LIGHT")
	if light := d.root.View(); light == dark || !strings.Contains(light, "1;38;2;95;60;111") {
		t.Errorf("the screen has not changed its colours: %q", light[:200])
	}
	d.shows("the theme is light")
	d.say("/theme").shows("Themes, 3 of 5", "› light")
	d.press("esc").settle()
	d.say("/theme mauve").shows("there is no theme mauve: choose auto, dark, light, high-contrast or none")
	d = newDriver(t, func(o *Options) { asAlex(o); o.NoColor = true }).settle()
	d.say("/theme dark").shows("this chat has no colours")
}

// TestSuspend checks that Ctrl+Z suspends the chat, or explains that the chat cannot be suspended.
func TestSuspend(t *testing.T) {
	d := newDriver(t, func(o *Options) { asAlex(o); o.Suspends = true }).settle()
	_, cmd := d.root.Update(tea.KeyMsg{Type: tea.KeyCtrlZ})
	assert.Must(t, cmd != nil, "nothing happens")
	if _, ok := cmd().(tea.SuspendMsg); !ok {
		t.Errorf("it is %T", cmd())
	}
	d = playing(t)
	d.send(tea.KeyMsg{Type: tea.KeyCtrlZ})
	d.shows("this chat cannot be suspended")
}

// TestCopiedIsSaidTruly: a text that was only sent to the terminal is not reported as copied.
func TestCopiedIsSaidTruly(t *testing.T) {
	for say, copies := range map[string]func(context.Context, string) error{
		"copied what Mira said (46": func(context.Context, string) error { return nil },
		"sent to your terminal's clipboard, paste to check: what Mira said (46": func(context.Context, string) error { return errNoClipboard },
	} {
		t.Run(say, func(t *testing.T) {
			d := newDriver(t, func(o *Options) { asAlex(o); o.Copy = copies }).settle().say("pass")
			d.press("ctrl+y").settle().shows(say)
		})
	}
	playing(t).say("pass").press("ctrl+y").settle().shows("sent to your terminal")
}
