package tui

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/tuitest"
)

// toolbox is the player's machine in memory.
type toolbox struct {
	files     map[string]string
	clipboard string
	broken    error // of the clipboard
	edited    string
	given     string // what the editor was given
}

func (b *toolbox) equip(o *Options) {
	o.Files = record.Files{
		Save: func(file string, content []byte) (string, error) {
			if _, there := b.files[file]; there {
				return "", fmt.Errorf("write %s: %w", file, fs.ErrExist)
			}
			b.files[file] = string(content)
			return file, nil
		},
		SavePlay: func(_ context.Context, r *record.Record, file string) ([]string, error) {
			b.files[file] = fmt.Sprint(len(r.Chapters))
			return []string{"Written to " + file + "."}, nil
		},
	}
	o.Copy = func(_ context.Context, text string) error { b.clipboard = text; return b.broken }
	o.Edit = func(text string) (string, error) { b.given = text; return b.edited, nil }
}

// equipped returns a chat with Mira that has the tools of a toolbox and numbers its sessions.
func equipped(t testing.TB, b *toolbox) *driver {
	n := 0
	d := newDriver(t, func(o *Options) {
		asAlex(o)
		b.files = map[string]string{}
		b.equip(o)
		o.NewID = func() string { n++; return fmt.Sprintf("u-%d", n) }
	})
	d.settle()
	return d
}

func talked(t testing.TB) *driver {
	return equipped(t, &toolbox{}).say("pass, I am a friend", "redi and a question about the well")
}

// sessionful is a chat of a player with several sessions.
func sessionful(t testing.TB) *driver {
	d := talked(t)
	d.now = time.Unix(400000, 0)
	for _, k := range []conversation.SavedSession{
		{Persona: "oskar", PersonaName: "Oskar", UserSessionID: "o-1", PlayerName: "Alex", UsedAt: d.now.Add(-26 * time.Hour)},
		{Persona: "oskar", PersonaName: "Oskar", UserSessionID: "o-2", PlayerName: "Kim", Label: "the cheap way", UsedAt: d.now.Add(-3 * time.Hour)},
		{Persona: "mira", PersonaName: "Mira", UserSessionID: "m-0", PlayerName: "Alex", UsedAt: d.now.Add(-80 * time.Hour)},
	} {
		d.notes[k.UserSessionID] = k
	}
	return d
}

var toolScreens = []struct {
	name string
	make func(t testing.TB) *driver
}{
	{"palette", func(t testing.TB) *driver { return talked(t).press("ctrl+p") }},
	{"palette-search", func(t testing.TB) *driver { return talked(t).press("ctrl+p", "mch") }},
	{"slash", func(t testing.TB) *driver { return talked(t).press("/") }},
	{"slash-at-ending", func(t testing.TB) *driver { return talked(t).say("pass").press("ctrl+u", "/") }},
	{"sessions", func(t testing.TB) *driver { return sessionful(t).press("ctrl+s").settle() }},
	{"sessions-forget", func(t testing.TB) *driver { return sessionful(t).press("ctrl+s").settle().press("down", "ctrl+x") }},
	{"sessions-name", func(t testing.TB) *driver { return sessionful(t).press("ctrl+s").settle().press("ctrl+t", "the first") }},
	{"search", func(t testing.TB) *driver { return talked(t).press("ctrl+r", "well") }},
	{"copied", func(t testing.TB) *driver { return talked(t).press("ctrl+y").settle() }},
}

func TestToolScreens(t *testing.T) {
	for _, s := range toolScreens {
		t.Run(s.name, func(t *testing.T) { goldenSizes(t, s.name, s.make(t)) })
	}
}

// At every size a list fills the window exactly, and each line fits.
func TestToolLayouts(t *testing.T) {
	for _, s := range toolScreens {
		t.Run(s.name, func(t *testing.T) {
			d := s.make(t)
			eachSize(d, func(w, h int) {
				if strings.HasPrefix(s.name, "sla") && !strings.Contains(d.screen(), " F1") {
					t.Fatalf("%s at %dx%d pushes the status line out:\n%s", s.name, w, h, d.screen())
				}
			})
		})
	}
}

// Every row of the table does something on the screen, and its key is one of the screen's.
func TestEveryCommandRunsOnTheScreen(t *testing.T) {
	for _, c := range conversation.Commands() {
		t.Run(c.Name, func(t *testing.T) {
			d := equipped(t, &toolbox{}).say("more", "redi", "pass", "more", "redi")
			before := d.screen()
			cmd := d.chat().runCommand(&c, "")
			if d.chat().layOut(); cmd == nil && d.screen() == before {
				t.Errorf("/%s does nothing", c.Name)
			}
			_, ok := d.root.env.keys.FindBinding(c.Action)
			assert.Equal(t, ok, c.Action != "", "%s is not an action of the screen", c.Action)
		})
	}
}

func TestPalette(t *testing.T) {
	d := talked(t).press("ctrl+p", "progress")
	d.shows("Commands", "Show which parts have ended")
	d.press("enter").settle().shows("0 of 3 parts ended")
	d.press("ctrl+p").shows("Ctrl+S", "/redo", "Alt+Z")
	d.press("ctrl+p").hides("Commands")
	d.press("ctrl+p", "sess", "enter").settle().shows("Your sessions")
	d.press("esc").hides("Your sessions")
	// Esc clears the search first, and closes then.
	d.press("ctrl+p", "zzz").shows("Nothing matches these words")
	d.press("esc").shows("Commands")
	d.press("esc").hides("Commands")
}

func TestCompletion(t *testing.T) {
	d := talked(t).press("/par", "tab").showing("› /parts\n")
	d.press("cellar", "enter").settle().shows("that part is closed")
	d.press("ctrl+u", "/prog", "enter").settle().shows("0 of 3 parts ended")
	// A complete name is run unchanged; Esc closes the list until the line changes.
	d.press("/history").shows("Read the conversation")
	d.press("esc").hides("Read the conversation")
	d.press("backspace").shows("Read the conversation")
	d.press("ctrl+u", "/exp", "enter").shows("› /export")
	d.press("ctrl+u", "//exp").hides("Write the conversation")
	d.press("ctrl+u", "/export", "ctrl+j").hides("Write the conversation")
}

func TestSessions(t *testing.T) {
	d := sessionful(t)
	c := d.chat()
	d.press("ctrl+s").settle()
	d.shows("Mira", "here", "the cheap way", "with Oskar as Kim, 3 h ago", "yesterday", "3 days ago")
	d.press("ctrl+x").shows("this is the current session")
	d.press("ctrl+t", "first try", "enter").settle().shows("first try")
	assert.Equal(t, d.notes["mira"].Label, "first try", "the label")
	// Anything but Enter keeps it.
	d.press("down", "ctrl+x").shows("Forget this session?")
	d.press("esc").hides("Forget this session?")
	d.press("ctrl+x", "enter").settle().shows("session forgotten", "2 of 3", "the cheap way")
	_, there := d.notes["m-0"]
	assert.True(t, !there, "the session is still remembered")
	d.press("first", "enter").hides("Your sessions")
	assert.True(t, d.chat() == c, "the present session was opened again")
}

func TestSessionsBeginAndGoOn(t *testing.T) {
	d := sessionful(t)
	first := d.notes["mira"].UserSessionID
	d.press("half a thought", "ctrl+s").settle().press("ctrl+n").settle().shows("At the gate")
	assert.True(t, d.notes["mira"].UserSessionID != first, "no new session: %v", d.notes)
	assert.Equal(t, d.notes[first].UserSessionID, first, "the first session")
	d.press("ctrl+s").settle().press("down", "down", "enter").settle()
	got := d.notes["mira"].UserSessionID
	assert.True(t, got == first || got == "m-0", "went on with %s", got)
	d.press("ctrl+u").say("/new").shows("Halt, Alex!")
}

func TestSessionsThatCannotBeRead(t *testing.T) {
	d := talked(t)
	d.root.env.requester.Memory = brokenMemory{d.notes}
	d.press("ctrl+s").settle().shows("your sessions could not be read: the file is damaged")
}

type brokenMemory struct{ conversation.Memory }

func (brokenMemory) Sessions() ([]conversation.SavedSession, error) {
	return nil, errors.New("the file is damaged")
}

func TestSearch(t *testing.T) {
	d := talked(t)
	d.service.Answer = strings.Repeat("On and on.\n\n", 20)
	d.say("follow up").press("ctrl+r").shows("What was said", "1 of 7")
	d.press("about the WELL").shows("1 of 2", "question about the well")
	d.press("down", "enter").shows("redi and a question about the well", "below")
	d.hides("What was said")
	d.press("/search nothing-like-it", "enter").shows("Nothing matches these words")
	d.press("esc", "esc").hides("What was said")
}

func TestCopy(t *testing.T) {
	b := &toolbox{}
	d := equipped(t, b).say("pass")
	out := d.root.env.opts.Out.(*bytes.Buffer)
	out.Reset()
	d.press("ctrl+y").settle().shows("copied what Mira said (46 characters)")
	const said = "You said: pass. Here is what I think about it."
	want := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(b.clipboard)) + "\a"
	assert.Equal(t, out.String(), want, "to the terminal")
	assert.True(t, strings.HasPrefix(b.clipboard, said[:20]), "the system got %q", b.clipboard)
	d.press("x").hides("copied what")
	d.press("ctrl+u").say("/copy 2").shows("copied what Alex said (4 characters)")
	assert.Equal(t, b.clipboard, "pass", "copied")
	d.say("/copy 9").shows(`message "9" does not exist: write a number from 1 (the newest) to 3`)
	d.say("/copy").press("halt", "enter").settle().shows("copied what Mira said")
	d.press("ctrl+r", "down", "ctrl+y").settle().shows("copied what Alex said (4 characters)")
}

func TestEditor(t *testing.T) {
	b := &toolbox{edited: "one\r\ntwo \x1b[2J\n\n"}
	d := equipped(t, b).press("draft", "ctrl+o")
	d.send(editedMsg{b.edited, nil}) // The program itself runs the visit.
	d.shows("› one", "   two ␛[2J")
	d.send(editedMsg{"", errors.New("no such program")})
	d.shows("editor failed: no such program", "› one")
	d.send(editedMsg{strings.Repeat("x", wire.MaxMessage+1), nil})
	d.shows(fmt.Sprintf("%d characters: at most %d", wire.MaxMessage+1, wire.MaxMessage))
	none := playing(t).press("ctrl+o")
	none.shows("$VISUAL and $EDITOR are not set")
}

// TestEditorBesideTheCountdown: the text in the editor is not sent automatically, but the turn in countdown is.
func TestEditorBesideTheCountdown(t *testing.T) {
	b := &toolbox{edited: "other words"}
	d := equipped(t, b)
	d.service.TurnErrors = []error{tuitest.LimitedFor(9 * time.Second)}
	d.say("pass").showing("again in 9 s").press("ctrl+o").showing("again in 9 s", "waits: pass")
	d.runAsync(time.Minute).settle()
	d.send(editedMsg{b.edited, nil})
	d.shows("› other words")
	assert.EqualSlices(t, d.said(), []string{"pass"}, "the service has heard")
}

func TestExportCommand(t *testing.T) {
	b := &toolbox{}
	d := equipped(t, b).say("pass")
	d.say("/export").shows("Written to mira-1970-01-01.md, 3 messages.")
	d.say("/export md").shows("Written to mira-1970-01-01-2.md")
	d.say("/export html my page.html").shows("Written to my page.html")
	d.say("/export talk.json").shows("Written to talk.json")
	d.say("/export json talk.json").shows("not saved: talk.json exists: use another name")
	d.press("ctrl+u").say("/export pdf").shows(`not saved: "pdf" is not a format`)
	d.press("ctrl+u").say("/save-play").shows("Written to mira.play.yaml.")
	for _, file := range []string{"mira-1970-01-01.md", "mira-1970-01-01-2.md", "my page.html", "talk.json", "mira.play.yaml"} {
		assert.True(t, b.files[file] != "", "%s is not there", file)
	}
	playing(t).say("/export").shows("this chat writes no files")
}

// Nothing that is opened while a reply streams stops it, and what it closes over is current.
func TestToolsWhileWaiting(t *testing.T) {
	d := equipped(t, &toolbox{}).press("redi, go on", "enter", "ctrl+p")
	d.settle().shows("Commands")
	d.press("esc").shows("You said: redi, go on")
	d.press("redi, again", "enter", "/new", "enter").shows("one moment, Mira", "› /new")
	d.press("ctrl+u", "/search", "enter").settle().shows("What was said")
	d.press("esc").shows("You said: redi, again")
}

// What is too long for a terminal is not copied where the system takes nothing.
func TestCopyTooLong(t *testing.T) {
	b := &toolbox{broken: errors.New("no display")}
	d := equipped(t, b)
	d.service.Answer = strings.Repeat("x", 74995)
	d.say("pass").press("ctrl+y").settle().shows("not copied: 74995 bytes cannot be copied, because terminals accept at most")
}

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
	d.say("/theme").shows("Themes", "3 of 5", "› light")
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

// TestCopyReportsDestination: a text that was only sent to the terminal is not reported as copied.
func TestCopyReportsDestination(t *testing.T) {
	for say, copies := range map[string]func(context.Context, string) error{
		"copied what Mira said (46": func(context.Context, string) error { return nil },
		"sent to your terminal's clipboard, paste to check: what Mira said (46": func(context.Context, string) error { return errNoTmux },
	} {
		t.Run(say, func(t *testing.T) {
			d := newDriver(t, func(o *Options) { asAlex(o); o.Copy = copies }).settle().say("pass")
			d.press("ctrl+y").settle().shows(say)
		})
	}
	playing(t).say("pass").press("ctrl+y").settle().shows("sent to your terminal")
}
