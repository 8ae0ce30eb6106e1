package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// pasteDetector stands between the terminal and the screen and tells what is typed from
// what a terminal types for somebody: a paste where the terminal does not mark
// one, and the wheel where it is turned into arrow keys. Keys of a paste come
// faster than anybody types. They are gathered and handed on as one paste, so that
// no Enter in it sends anything, and thousands of lines cost the screen one frame.
type pasteDetector struct {
	screen  tea.Model
	now     func() time.Time
	after   func(time.Duration, tea.Msg) tea.Cmd
	limiter *pasteLimiter // before the terminal, nil for none

	ready   time.Time // when the last message had been dealt with
	until   time.Time // when what is kept here is handed on
	due     time.Time // when the next tick comes, zero for none
	held    []tea.KeyMsg
	leading string // what came at once and was handed on before it was known for a paste
	streak  int    // how many keys of text came at once
	enter   bool   // the last key was one
	paste   *gatheredPaste

	shown string
	stale bool // the screen may look different from shown
}

// gatheredPaste is a paste that is under way: its text as far as one message can have
// it, and how long the whole is.
type gatheredPaste struct {
	text       strings.Builder
	characters int
}

func (g *gatheredPaste) addText(text string) {
	n := countCharacters(text)
	if g.characters += n; g.characters <= wire.MaxMessage {
		g.text.WriteString(text)
	}
}

// How fast keys are. Nobody types the next key atOnce after the one before it was
// dealt with; manyAtOnce of them are a paste, and what came soonBefore belongs to
// it. An Enter waits a moment for what follows it, longer where it came at once; a
// paste is over when it pauses for longer than a busy machine does; the arrows of
// one turn of the wheel come at once.
const (
	atOnce      = 8 * time.Millisecond
	soonBefore  = 30 * time.Millisecond
	manyAtOnce  = 8
	enterWait   = 40 * time.Millisecond
	burstWait   = 250 * time.Millisecond
	pasteQuiet  = 250 * time.Millisecond
	arrowsWait  = 5 * time.Millisecond
	wheelArrows = 2
)

// quietMsg: a moment has passed for what is kept.
type quietMsg struct{}

// pastedMsg: keys, or a paste that the terminal has marked, are a paste. text is
// "" when it is longer than a message may be.
type pastedMsg struct {
	text       string
	leading    string // what of its beginning has been written already
	characters int    // of the whole
	lines      int    // more than one where keys were taken for a paste of lines
	enter      bool   // one line with its Enter, as a person types it
}

// wheelTurnedMsg: the wheel asks for lines further up (negative) or down; press is
// the key that it was turned into.
type wheelTurnedMsg struct {
	lines int
	press tea.KeyMsg
}

func newPasteDetector(screen tea.Model, now func() time.Time, after func(time.Duration, tea.Msg) tea.Cmd, limiter *pasteLimiter) *pasteDetector {
	return &pasteDetector{screen: screen, now: now, after: after, limiter: limiter, stale: true}
}

// Init is the screen's.
func (f *pasteDetector) Init() tea.Cmd { return f.screen.Init() }

// Update hands on what is no key, and keys when it is known what they mean.
func (f *pasteDetector) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyMsg:
		cmd = f.handleKey(msg)
	case quietMsg:
		cmd = f.releaseWhenQuiet()
	default:
		cmd = f.passOn(msg)
	}
	f.ready = f.now()
	return f, cmd
}

// View is the screen's. Keys that are kept do not change it.
func (f *pasteDetector) View() string {
	if f.stale {
		f.shown, f.stale = f.screen.View(), false
	}
	f.ready = f.now()
	return f.shown
}

func (f *pasteDetector) passOn(msgs ...tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, msg := range msgs {
		_, cmd := f.screen.Update(msg)
		cmds = append(cmds, cmd)
	}
	f.stale = f.stale || len(msgs) > 0
	return tea.Batch(cmds...)
}

// handleKey decides what a key belongs to.
func (f *pasteDetector) handleKey(press tea.KeyMsg) tea.Cmd {
	text, isText := textOf(press)
	half := f.enter && press.Type == tea.KeyCtrlJ // Of a line end of two characters.
	f.enter = isEnter(press)
	switch {
	case half && (f.paste != nil || f.holdsEnter()):
		return nil
	case f.paste != nil && isText:
		return f.gatherText(text)
	case f.paste != nil:
		return tea.Batch(f.finishPaste(), f.handleKey(press))
	case f.holdsEnter() && isText:
		return f.handleFollowing(press, text)
	case len(f.held) > 0 && press.Type == f.held[0].Type && !f.holdsEnter():
		return f.keepKey(press, arrowsWait)
	case len(f.held) > 0:
		return tea.Batch(f.releaseKeys(), f.handleKey(press))
	}
	return f.handleFirst(press, text, isText)
}

// handleFirst is a key where nothing is kept.
func (f *pasteDetector) handleFirst(press tea.KeyMsg, text string, isText bool) tea.Cmd {
	gap := f.now().Sub(f.ready)
	fast := gap < atOnce
	if !fast || !isText {
		f.streak = 0
	}
	if gap > soonBefore || !isText {
		f.leading = ""
	}
	switch {
	case press.Paste && len(press.Runes) > wire.MaxMessage:
		return f.passOn(pastedMsg{characters: len(press.Runes) + f.limiter.takeDropped()})
	case isEnter(press) && fast:
		return f.keepKey(press, burstWait)
	case isEnter(press):
		return f.keepKey(press, enterWait)
	case isArrow(press):
		return f.keepKey(press, arrowsWait)
	case f.streak == manyAtOnce:
		f.paste = &gatheredPaste{}
		return f.gatherText(text)
	case isText:
		f.leading += text
		f.streak++
	}
	return f.passOn(press)
}

// handleFollowing is what comes right behind an Enter: another one waits with it, and text
// makes all of it a paste.
func (f *pasteDetector) handleFollowing(press tea.KeyMsg, text string) tea.Cmd {
	if isEnter(press) {
		return f.keepKey(press, burstWait)
	}
	f.paste = &gatheredPaste{}
	f.paste.addText(strings.Repeat("\n", len(f.held)))
	f.held = nil
	return f.gatherText(text)
}

func (f *pasteDetector) gatherText(text string) tea.Cmd {
	f.paste.addText(text)
	return f.delayRelease(pasteQuiet)
}

func (f *pasteDetector) keepKey(press tea.KeyMsg, d time.Duration) tea.Cmd {
	f.held = append(f.held, press)
	return f.delayRelease(d)
}

// delayRelease puts off the handing on.
func (f *pasteDetector) delayRelease(d time.Duration) tea.Cmd {
	f.until = f.now().Add(d)
	if !f.due.IsZero() && !f.until.Before(f.due) {
		return nil // The tick that comes will see that there is time left.
	}
	f.due = f.until
	return f.after(d, quietMsg{})
}

// releaseWhenQuiet hands on what is kept when nothing has come for long enough.
func (f *pasteDetector) releaseWhenQuiet() tea.Cmd {
	f.due = time.Time{}
	left := f.until.Sub(f.now())
	switch {
	case f.paste == nil && len(f.held) == 0:
		return nil
	case left > 0:
		return f.delayRelease(left)
	}
	return tea.Batch(f.finishPaste(), f.releaseKeys())
}

// releaseKeys hands on keys that have waited, as what they turned out to be.
func (f *pasteDetector) releaseKeys() tea.Cmd {
	held := f.held
	f.held, f.leading, f.streak = nil, "", 0
	if len(held) >= wheelArrows && isArrow(held[0]) {
		lines := len(held)
		if held[0].Type == tea.KeyUp {
			lines = -lines
		}
		return f.passOn(wheelTurnedMsg{lines, held[0]})
	}
	return f.handKeys(held)
}

func (f *pasteDetector) handKeys(keys []tea.KeyMsg) tea.Cmd {
	msgs := make([]tea.Msg, len(keys))
	for i, press := range keys {
		msgs[i] = press
	}
	return f.passOn(msgs...)
}

// finishPaste hands a paste on. One line with its Enter is what a person types, or a
// program in his place: the Enter is one.
func (f *pasteDetector) finishPaste() tea.Cmd {
	if f.paste == nil {
		return nil
	}
	g, led := f.paste, f.leading
	f.paste, f.leading, f.streak = nil, "", 0
	all := pastedMsg{leading: led, characters: g.characters + countCharacters(led)}
	if g.characters <= wire.MaxMessage {
		whole := g.text.String()
		all.text = strings.TrimRight(whole, "\n")
		all.lines = 1 + strings.Count(all.text, "\n")
		all.enter = all.lines == 1 && all.text != whole
	}
	return f.passOn(all)
}

// holdsEnter tells whether an Enter waits for what follows it.
func (f *pasteDetector) holdsEnter() bool { return len(f.held) > 0 && isEnter(f.held[0]) }

func isEnter(press tea.KeyMsg) bool { return press.Type == tea.KeyEnter && !press.Alt }

func isArrow(press tea.KeyMsg) bool {
	return (press.Type == tea.KeyUp || press.Type == tea.KeyDown) && !press.Alt
}

// textOf is what a key writes where it is part of a paste.
func textOf(press tea.KeyMsg) (text string, ok bool) {
	switch {
	case press.Alt || press.Paste:
		return "", false
	case press.Type == tea.KeyRunes:
		return string(press.Runes), true
	case press.Type == tea.KeySpace:
		return " ", true
	case press.Type == tea.KeyTab:
		return "\t", true
	case press.Type == tea.KeyEnter, press.Type == tea.KeyCtrlJ:
		return "\n", true
	}
	return "", false
}
