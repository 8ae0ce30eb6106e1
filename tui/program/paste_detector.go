package program

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// PasteDetector sits between the terminal and the screen and distinguishes keys that a person
// presses from keys that the terminal makes: of an unmarked paste, and of the mouse wheel. Keys of
// a paste come faster than anybody types. It collects them into one paste, so that no Enter in it
// sends anything, and thousands of lines cost the screen one frame.
type PasteDetector struct {
	screen tea.Model
	now    func() time.Time
	After  func(time.Duration, tea.Msg) tea.Cmd

	ready   time.Time // when the last message had been dealt with
	until   time.Time // when what is kept here is handed on
	due     time.Time // when the next tick comes, zero for none
	waiting []tea.KeyMsg
	leading string    // what was handed on as typed before it was known to begin a paste
	streak  int       // how many keys of text came at once
	began   time.Time // when the first of the keys came that follow each other at once
	run     int       // how many those are
	pressed time.Time // when the last key had been dealt with
	typed   int       // how many keys in a row came into a paste as slowly as somebody types
	enter   bool      // the last key was an Enter
	paste   *gatheredPaste

	shown string
	stale bool // the screen may look different from shown
}

// gatheredPaste is a paste that is under way: its text as far as one message can have
// it, and how long the whole is.
type gatheredPaste struct {
	text       strings.Builder
	characters int
	// held are, while it is not sure that it is one, its keys with the Enter before them.
	held   []tea.KeyMsg
	behind int // characters behind that Enter
}

func (g *gatheredPaste) addText(text string) {
	n := terminal.CountCharacters(text)
	if g.characters += n; g.characters <= wire.MaxMessage {
		g.text.WriteString(text)
	}
}

// How fast keys are. Nobody types the next key AtOnce after the previous one was handled;
// manyAtOnce of such keys are a paste, and keys that came soonBefore belong to it. Keys that a busy
// machine delivers late come at once too, but no more than one per typedKey. An Enter waits a
// moment for what follows it, longer if it came at once, but not longer than a script pauses
// between lines; from fewAtOnce characters on, the following keys are a paste. A paste ends when it
// pauses for longer than a busy machine does, or when two keys in a row come at typing speed,
// typedGap apart; the arrows of one turn of the wheel come at once.
const (
	AtOnce      = 8 * time.Millisecond
	typedKey    = 20 * time.Millisecond
	typedGap    = 30 * time.Millisecond
	soonBefore  = 30 * time.Millisecond
	manyAtOnce  = 8
	fewAtOnce   = 3
	enterWait   = 40 * time.Millisecond
	BurstWait   = 100 * time.Millisecond
	PasteQuiet  = 250 * time.Millisecond
	ArrowsWait  = 5 * time.Millisecond
	wheelArrows = 2
)

// QuietMsg means that a moment has passed for the held keys.
type QuietMsg struct{}

// PastedMsg: keys, or a paste that the terminal has marked, are a paste. Text is
// "" when it is longer than a message may be.
type PastedMsg struct {
	Text       string
	Leading    string // what of its beginning has been written already
	Characters int    // of the whole
	Lines      int    // more than one where keys were taken for a paste of lines
	Enter      bool   // one line with its Enter, as a person types it
}

// WheelTurnedMsg: the wheel asks for lines further up (negative) or down; Press is
// the key that it was turned into.
type WheelTurnedMsg struct {
	Lines int
	Press tea.KeyMsg
}

// NewPasteDetector is before a screen. after gives a message when some time has
// passed.
func NewPasteDetector(screen tea.Model, now func() time.Time, after func(time.Duration, tea.Msg) tea.Cmd) *PasteDetector {
	return &PasteDetector{screen: screen, now: now, After: after, stale: true}
}

// Init is the screen's.
func (p *PasteDetector) Init() tea.Cmd { return p.screen.Init() }

// Update forwards other messages at once, and keys when their meaning is clear.
func (p *PasteDetector) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyMsg:
		cmd = p.handleKey(msg)
		p.pressed = p.now()
	case QuietMsg:
		cmd = p.releaseWhenQuiet()
	case LongPasteMsg:
		cmd = tea.Batch(p.finishPaste(), p.releaseKeys(), p.passOn(PastedMsg{Characters: msg.Characters}))
	default:
		cmd = p.passOn(msg)
	}
	p.ready = p.now()
	return p, cmd
}

// View is the screen's. Keys that are kept do not change it.
func (p *PasteDetector) View() string {
	if p.stale {
		p.shown, p.stale = p.screen.View(), false
	}
	p.ready = p.now()
	return p.shown
}

func (p *PasteDetector) passOn(msgs ...tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, msg := range msgs {
		for _, part := range splitWord(msg) {
			_, cmd := p.screen.Update(part)
			cmds = append(cmds, cmd)
		}
	}
	p.stale = p.stale || len(msgs) > 0
	return tea.Batch(cmds...)
}

// longestKeyName is how many letters the name of a key has at most.
const longestKeyName = 16

// splitWord returns letters that came at once one by one: as one message the word "up", or
// "enter", is taken for the key that is called so.
func splitWord(msg tea.Msg) []tea.Msg {
	press, ok := msg.(tea.KeyMsg)
	if !ok || press.Type != tea.KeyRunes || press.Paste || len(press.Runes) < 2 || len(press.Runes) > longestKeyName {
		return []tea.Msg{msg}
	}
	letters := make([]tea.Msg, len(press.Runes))
	for i, letter := range press.Runes {
		letters[i] = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{letter}, Alt: press.Alt}
	}
	return letters
}

// handleKey decides what a key belongs to.
func (p *PasteDetector) handleKey(press tea.KeyMsg) tea.Cmd {
	text, isText := textOf(press)
	endsLine := p.enter && press.Type == tea.KeyCtrlJ // The second half of CR LF.
	p.enter = isEnter(press)
	switch {
	case endsLine && (p.paste != nil || p.holdsEnter()):
		return nil
	case p.paste != nil && isText && !p.isTyped():
		return p.gatherKey(press, text)
	case p.paste != nil:
		return tea.Batch(p.finishPaste(), p.handleKey(press))
	case p.holdsEnter() && isText:
		return p.handleFollowing(press, text)
	case len(p.waiting) > 0 && press.Type == p.waiting[0].Type && !p.holdsEnter():
		return p.keepKey(press, ArrowsWait)
	case len(p.waiting) > 0:
		return tea.Batch(p.releaseKeys(), p.handleKey(press))
	}
	return p.handleFirst(press, text, isText)
}

// handleFirst is a key where nothing is kept.
func (p *PasteDetector) handleFirst(press tea.KeyMsg, text string, isText bool) tea.Cmd {
	gap, fast := p.now().Sub(p.ready), p.isAtOnce()
	if !fast || !isText {
		p.streak = 0
	}
	if gap > soonBefore || !isText {
		p.leading = ""
	}
	switch {
	case press.Paste && len(press.Runes) > wire.MaxMessage:
		return p.passOn(PastedMsg{Characters: len(press.Runes)})
	case isEnter(press) && fast:
		return p.keepKey(press, BurstWait)
	case isEnter(press):
		return p.keepKey(press, enterWait)
	case isArrow(press):
		return p.keepKey(press, ArrowsWait)
	case p.streak == manyAtOnce:
		p.paste = &gatheredPaste{}
		return p.gatherText(text)
	case isText:
		p.leading += text
		p.streak++
	}
	return p.passOn(press)
}

// handleFollowing handles a key right after an Enter: another Enter waits with it, and text makes
// all of it a paste.
func (p *PasteDetector) handleFollowing(press tea.KeyMsg, text string) tea.Cmd {
	if isEnter(press) {
		return p.keepKey(press, BurstWait)
	}
	p.paste = &gatheredPaste{held: p.waiting}
	p.paste.addText(strings.Repeat("\n", len(p.waiting)))
	p.waiting = nil
	return p.gatherKey(press, text)
}

// isAtOnce reports whether a key came faster than anybody types: right after the previous one, and
// as one of more keys than can be typed since the first of them.
func (p *PasteDetector) isAtOnce() bool {
	now := p.now()
	if now.Sub(p.ready) >= AtOnce {
		p.began, p.run = now, 0
	}
	p.run++
	return now.Sub(p.began) < time.Duration(p.run-1)*typedKey
}

// isTyped reports whether a key that comes into a paste is somebody's who types: it is not
// sure yet that there is a paste, or the key before it was one too.
func (p *PasteDetector) isTyped() bool {
	if p.now().Sub(p.pressed) < typedGap {
		p.typed = 0
		return false
	}
	p.typed++
	return p.paste.held != nil || p.typed > 1
}

// gatherKey adds a key to a paste. While that is not sure to be one the key is held too.
func (p *PasteDetector) gatherKey(press tea.KeyMsg, text string) tea.Cmd {
	if g := p.paste; g.held != nil {
		g.held = append(g.held, press)
		if g.behind += terminal.CountCharacters(text); g.behind >= fewAtOnce {
			g.held = nil
		}
	}
	return p.gatherText(text)
}

// gatherText adds text to a paste. One line with its end may be all of it.
func (p *PasteDetector) gatherText(text string) tea.Cmd {
	p.paste.addText(text)
	if whole := p.paste.text.String(); whole != "" && strings.IndexByte(whole, '\n') == len(whole)-1 {
		return p.delayRelease(BurstWait)
	}
	return p.delayRelease(PasteQuiet)
}

func (p *PasteDetector) keepKey(press tea.KeyMsg, d time.Duration) tea.Cmd {
	p.waiting = append(p.waiting, press)
	return p.delayRelease(d)
}

// delayRelease puts off the handing on.
func (p *PasteDetector) delayRelease(d time.Duration) tea.Cmd {
	p.until = p.now().Add(d)
	if !p.due.IsZero() && !p.until.Before(p.due) {
		return nil // The tick that comes will see that there is time left.
	}
	p.due = p.until
	return p.After(d, QuietMsg{})
}

// releaseWhenQuiet forwards the held keys after a long enough pause.
func (p *PasteDetector) releaseWhenQuiet() tea.Cmd {
	p.due = time.Time{}
	left := p.until.Sub(p.now())
	switch {
	case p.paste == nil && len(p.waiting) == 0:
		return nil
	case left > 0:
		return p.delayRelease(left)
	}
	return tea.Batch(p.finishPaste(), p.releaseKeys())
}

// releaseKeys forwards the held keys as keys or as a paste.
func (p *PasteDetector) releaseKeys() tea.Cmd {
	held := p.waiting
	p.waiting, p.leading, p.streak = nil, "", 0
	if len(held) >= wheelArrows && isArrow(held[0]) {
		lines := len(held)
		if held[0].Type == tea.KeyUp {
			lines = -lines
		}
		return p.passOn(WheelTurnedMsg{lines, held[0]})
	}
	return p.handKeys(held)
}

func (p *PasteDetector) handKeys(keys []tea.KeyMsg) tea.Cmd {
	msgs := make([]tea.Msg, len(keys))
	for i, press := range keys {
		msgs[i] = press
	}
	return p.passOn(msgs...)
}

// finishPaste hands a paste on. One line with its Enter is what a person types, or a
// program in his place: the Enter is one.
func (p *PasteDetector) finishPaste() tea.Cmd {
	if p.paste == nil {
		return nil
	}
	g, leading := p.paste, p.leading
	p.paste, p.leading, p.streak, p.typed = nil, "", 0, 0
	if g.held != nil {
		return p.handKeys(g.held)
	}
	all := PastedMsg{Leading: leading, Characters: g.characters + terminal.CountCharacters(leading)}
	if g.characters <= wire.MaxMessage {
		whole := g.text.String()
		all.Text = strings.TrimRight(whole, "\n")
		all.Lines = 1 + strings.Count(all.Text, "\n")
		all.Enter = all.Lines == 1 && all.Text != whole
	}
	return p.passOn(all)
}

// holdsEnter reports whether an Enter waits for what follows it.
func (p *PasteDetector) holdsEnter() bool { return len(p.waiting) > 0 && isEnter(p.waiting[0]) }

func isEnter(press tea.KeyMsg) bool { return press.Type == tea.KeyEnter && !press.Alt }

func isArrow(press tea.KeyMsg) bool {
	return (press.Type == tea.KeyUp || press.Type == tea.KeyDown) && !press.Alt
}

// textOf returns the text of a key within a paste.
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
