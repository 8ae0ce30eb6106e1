package tui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
)

// typedKeys types into a chat with Mira as a terminal does, on a clock that only it
// moves.
type typedKeys struct {
	*driver
	flow  *program.PasteDetector
	ticks int           // that are on their way
	stall time.Duration // that the screen takes for the next key
}

// tooLong is the message about a paste of one character more than a message may have.
var tooLong = fmt.Sprintf("pasted text of %s characters left out", terminal.GroupThousands(wire.MaxMessage+1))

func newTypedKeys(d *driver) *typedKeys {
	w := &typedKeys{driver: d}
	w.flow = program.NewPasteDetector(w, d.root.env.opts.Now, func(time.Duration, tea.Msg) tea.Cmd { w.ticks++; return nil })
	return w
}

// typedKeys is the screen behind the paste detector, so that it sees the messages that pass.
func (k *typedKeys) Init() tea.Cmd { return nil }

func (k *typedKeys) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	k.now, k.stall = k.now.Add(k.stall), 0
	_, cmd := k.root.Update(msg)
	return k, cmd
}

func (k *typedKeys) View() string { return k.root.View() }

// keys sends keys at once. A carriage return is Enter, a line feed Ctrl+J, and <…> a special key.
func (k *typedKeys) keys(text string) *typedKeys {
	special := map[string]tea.KeyType{"up": tea.KeyUp, "down": tea.KeyDown, "ctrl+c": tea.KeyCtrlC, "ctrl+d": tea.KeyCtrlD, "f4": tea.KeyF4}
	signs := map[rune]tea.KeyType{'\r': tea.KeyEnter, '\n': tea.KeyCtrlJ, '\t': tea.KeyTab, ' ': tea.KeySpace}
	for text != "" {
		letter, n := utf8.DecodeRuneInString(text)
		press := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{letter}}
		if kind, ok := signs[letter]; ok {
			press.Type = kind
		}
		if letter == '<' {
			n = strings.IndexByte(text, '>') + 1
			press = tea.KeyMsg{Type: special[text[1:n-1]]}
		}
		text = text[n:]
		k.message(press)
	}
	return k
}

func (k *typedKeys) message(msg tea.Msg) {
	_, cmd := k.flow.Update(msg)
	if cmd != nil {
		k.due = append(k.due, cmd)
	}
}

// pause lets time pass, with the ticks that come in it.
func (k *typedKeys) pause(d time.Duration) *typedKeys {
	k.now = k.now.Add(d)
	for range k.ticks {
		k.ticks--
		k.message(program.QuietMsg{})
	}
	k.now = k.now.Add(program.TypedGap)
	k.settle()
	return k
}

// recorded sends keys with pauses: "120" waits milliseconds, "stall 300" delays the screen, others are keys.
func (k *typedKeys) recorded(steps ...string) *typedKeys {
	for _, step := range steps {
		var n int
		if _, err := fmt.Sscanf(step, "stall %d", &n); err == nil {
			k.stall = time.Duration(n) * time.Millisecond
			continue
		}
		n, err := strconv.Atoi(step)
		if err != nil {
			k.keys(step)
			continue
		}
		k.now = k.now.Add(time.Duration(n) * time.Millisecond)
		for range k.ticks {
			k.ticks--
			k.message(program.QuietMsg{})
		}
		k.settle()
	}
	return k
}

func (k *typedKeys) said() int { return len(k.service.Messages["m-gate"]) / 2 }

func (k *typedKeys) written() string { return k.root.child.(*chat).input.Text() }

func TestWhatIsTypedAndWhatIsPasted(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		said       int
		input      string
		shows      string
	}{
		{"a line and its Enter", "pass\r", 1, "", "You said: pass"},
		{"a long line and its Enter", strings.Repeat("pass the time ", 20) + "\r", 1, "", "You said: pass"},
		{"two lines", "one\rtwo", 0, "one\ntwo", "2 lines pasted: Enter sends them"},
		{"two lines with their ends", "one\rtwo\r", 0, "one\ntwo", "2 lines pasted: Enter sends them"},
		{"line ends of two characters", "one\r\ntwo\r\n", 0, "one\ntwo", "2 lines pasted"},
		{"line feeds", "one\ntwo", 0, "one\ntwo", "› one"},
		{"empty lines first", "\r\r\rone", 0, "\n\n\none", "4 lines pasted"},
		{"empty lines between, and tabs", "one\r\r\ttwo", 0, "one\n\n    two", "3 lines pasted"},
		{"as long as a message may be", strings.Repeat("é", 3999) + "\r" + strings.Repeat("x", wire.MaxMessage-4000), 0, strings.Repeat("é", 3999) + "\n" + strings.Repeat("x", wire.MaxMessage-4000), "2 lines pasted"},
		{"longer", strings.Repeat("é", 3999) + "\r" + strings.Repeat("x", wire.MaxMessage-3999), 0, strings.Repeat("é", 3999), "left out: a message can have at most " + terminal.GroupThousands(wire.MaxMessage)},
		{"very many lines", strings.Repeat("pasted\r", 10_000), 0, "pasted", "pasted text of 69,994 characters left out"},
		{"a command", "/progress\r", 0, "", "parts ended"},
		{"a list of commands", "/reset\r/reset\r", 0, "/reset\n/reset", "2 lines pasted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newTypedKeys(playing(t))
			w.pause(time.Second)
			w.keys(c.keys).pause(program.PasteQuiet)
			if w.said() != c.said || w.written() != c.input {
				t.Errorf("%s: %d messages were sent, the input holds %.80q:\n%s", c.name, w.said(), w.written(), w.screen())
			}
			w.shows(c.shows)
		})
	}
}

func TestRefusedPasteLeavesTheRest(t *testing.T) {
	w := newTypedKeys(playing(t))
	for _, letter := range "mine " {
		w.keys(string(letter)).pause(80 * time.Millisecond)
	}
	w.message(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune(strings.Repeat("x", wire.MaxMessage+1))})
	assert.Equal(t, w.written(), "mine ", "the input holds")
	w.shows(tooLong)
}

// An Enter that a person types sends the message, even if the next message is begun soon after.
func TestTypingIsNoPaste(t *testing.T) {
	w := newTypedKeys(playing(t))
	for _, letter := range "more\rpass\r" {
		w.keys(string(letter)).pause(60 * time.Millisecond)
	}
	assert.Equal(t, w.said(), 2)
	assert.Equal(t, w.written(), "")
	w.hides("pasted")
}

// TestRecordedTimings: recorded typed lines are separate messages, and a recorded paste is one message.
func TestRecordedTimings(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []string
		said  int
		input string
	}{
		{"a script that types a line every 150 ms", []string{"more of the first one\r", "150", "more of the second one\r", "150", "more three\r", "150", "more\r", "300"}, 4, ""},
		{"short lines of a script", []string{"yes\r", "120", "no\r", "120", "yes\r", "300"}, 3, ""},
		{"a key that overlaps the Enter", []string{"m", "90", "o", "90", "r", "90", "e", "95", "\r", "25", "p", "90", "a", "110", "s", "70", "s", "95", "\r", "300"}, 2, ""},
		{"two keys that overlap the Enter", []string{"m", "60", "o", "60", "\r", "20", "p", "20", "a", "110", "s", "70", "s", "95", "\r", "300"}, 2, ""},
		{"keys that a busy screen hands over late", []string{"stall 400", "p", "ass\r", "80", "m", "80", "o", "80", "\r", "300"}, 2, ""},
		{"a paste that pauses between its lines", []string{"one\rtwo\r", "120", "three\rfour", "120", "\rfive", "300"}, 0, "one\ntwo\nthree\nfour\nfive"},
		{"a paste on a slow screen", []string{"stall 40", "one\rtwo\rthree", "300"}, 0, "one\ntwo\nthree"},
		{"a paste of short lines", []string{"1\r2\r3\r", "300"}, 0, "1\n2\n3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newTypedKeys(playing(t))
			w.pause(time.Second)
			if w.recorded(c.steps...); w.said() != c.said || w.written() != c.input {
				t.Errorf("%d messages were sent, not %d, the input holds %q, not %q:\n%s", w.said(), c.said, w.written(), c.input, w.screen())
			}
		})
	}
}

// A QuietMsg that arrives too early passes on no keys, and requests another QuietMsg.
func TestPasteIsWaitedForToItsEnd(t *testing.T) {
	w := newTypedKeys(playing(t))
	w.keys("one\rtwo").pause(program.PasteQuiet / 2).keys("\rthree").pause(program.PasteQuiet / 2)
	w.hides("two")
	assert.True(t, w.ticks != 0, "nothing comes to hand the paste on")
	w.pause(program.PasteQuiet).shows("3 lines pasted")
}

func TestLeavingBehindAPaste(t *testing.T) {
	for keys, leaves := range map[string]bool{"one\rtwo\r<ctrl+d>": true, "one\r<ctrl+d>": true, "one\rtwo<ctrl+c>": false, "one\rtwo<ctrl+c><ctrl+c>": true} {
		w := newTypedKeys(playing(t))
		w.keys(keys)
		left := false
		for _, msg := range given(w.due) {
			_, quit := msg.(tea.QuitMsg)
			left = left || quit
		}
		assert.Equal(t, left, leaves, "%q leaves", keys)
	}
}

// given returns the messages of commands, including those in batches.
func given(cmds []tea.Cmd) (msgs []tea.Msg) {
	for _, cmd := range cmds {
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			msgs = append(msgs, given(msg)...)
		default:
			msgs = append(msgs, msg)
		}
	}
	return msgs
}

// Some terminals send several arrow keys at once for the wheel. These scroll, and do not recall earlier messages.
func TestWheelScrolls(t *testing.T) {
	d := playing(t).say("more", "redi", "redi", "more")
	w := newTypedKeys(d)
	w.keys("<up><up><up>").pause(program.ArrowsWait).shows("3 more lines below", "Say something")
	w.keys("<down><down><down>").pause(program.ArrowsWait).hides("below")
	w.keys("<up>").pause(program.ArrowsWait).shows("› more")
	w.keys("<down>").pause(program.ArrowsWait).shows("Say something")
	w.keys("<f4>").pause(program.ArrowsWait).keys("<down><down>").pause(program.ArrowsWait).shows("3 of 3")
}

// The form before a chat takes a name and two Enters that come at once.
func TestFormTakesKeysAtOnce(t *testing.T) {
	w := newTypedKeys(newDriver(t, func(o *Options) { o.Persona = "mira" }).settle())
	w.keys("Kim\r\r").pause(program.PasteQuiet).shows("Halt, Kim!")
}
