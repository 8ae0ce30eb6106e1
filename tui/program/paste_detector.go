package program

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// PasteDetector is a model that passes messages to another model, the screen. It distinguishes keys
// that a person presses from keys that the terminal sends for an unmarked paste or the mouse wheel.
// The keys of a paste arrive faster than a person can type. PasteDetector collects them into one
// PastedMsg. An Enter in the paste then does not send the message, and the screen draws only one
// frame.
type PasteDetector struct {
	screen tea.Model
	now    func() time.Time
	After  func(time.Duration, tea.Msg) tea.Cmd

	ready   time.Time // when handling the last message ended
	until   time.Time // when the held keys are passed on
	due     time.Time // when the next QuietMsg arrives, or zero
	waiting []tea.KeyMsg
	leading string    // text that was passed on as typed, but may be the beginning of a paste
	streak  int       // number of text keys in a row that arrived at once
	began   time.Time // when the present run of fast keys began
	run     int       // number of keys in that run
	pressed time.Time // when handling the last key ended
	typed   int       // number of keys in a row that arrived at typing speed during a paste
	enter   bool      // the last key was an Enter
	paste   *gatheredPaste

	shown string
	stale bool // the view of the screen may have changed
}

type gatheredPaste struct {
	text       strings.Builder
	characters int
	// held contains an Enter and the keys after it, until it is certain whether they are a paste.
	held   []tea.KeyMsg
	behind int // number of characters after the Enter in held
}

func (g *gatheredPaste) addText(text string) {
	n := terminal.CountCharacters(text)
	if g.characters += n; g.characters <= wire.MaxMessage {
		g.text.WriteString(text)
	}
}

// Times and numbers that distinguish pastes from typing.
//
// A key arrives "at once" if it arrives less than AtOnce after the previous key was handled. A busy
// computer can delay typed keys and then deliver several at once. It delivers at most one such key
// for each typedKey of passed time, so more keys than that are not typed. After manyAtOnce keys at
// once, the following keys are a paste. The text keys before them belong to the paste if the gaps
// between them are at most soonBefore.
//
// The detector holds an Enter for enterWait, or for BurstWait if it arrived at once, because a
// script may pause between lines. If fewAtOnce characters follow, the Enter belongs to a paste. A
// paste ends after PasteQuiet without keys, or when two keys in a row arrive at typing speed, that
// is, at least typedGap apart.
//
// At least wheelArrows arrow keys within ArrowsWait are one turn of the wheel.
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

// QuietMsg arrives after a wait. The PasteDetector then passes on the keys that it has held long
// enough.
type QuietMsg struct{}

// PastedMsg is a paste that arrived as keys, or a marked paste that is too long. Text is "" if the
// paste is longer than the longest message.
type PastedMsg struct {
	Text       string
	Leading    string // the beginning that was already passed on as keys
	Characters int    // number of characters of the whole paste
	Lines      int    // number of lines
	Enter      bool   // the paste is one line and an Enter, which a person may have typed
}

// WheelTurnedMsg reports that the wheel was turned. Lines is negative if it was turned up. Press is
// the arrow key that the terminal sent for it.
type WheelTurnedMsg struct {
	Lines int
	Press tea.KeyMsg
}

// NewPasteDetector returns a PasteDetector for a screen. after returns a command that sends a
// message after some time.
func NewPasteDetector(screen tea.Model, now func() time.Time, after func(time.Duration, tea.Msg) tea.Cmd) *PasteDetector {
	return &PasteDetector{screen: screen, now: now, After: after, stale: true}
}

// Init calls the screen's Init.
func (p *PasteDetector) Init() tea.Cmd { return p.screen.Init() }

// Update passes a key to the screen as soon as it is certain whether the key was typed. It passes
// other messages immediately.
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

// View returns the screen's view. It calls the screen's View only if messages were passed on since
// the last call.
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

const longestKeyName = 16

// splitWord splits a key message with a typed word into a message for each letter. Otherwise the
// screen would take the typed word "up" or "enter" for a key.
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

func (p *PasteDetector) handleKey(press tea.KeyMsg) tea.Cmd {
	text, isText := textOf(press)
	endsLine := p.enter && press.Type == tea.KeyCtrlJ // the LF of CR LF
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

// handleFollowing handles a text key right after a held Enter. The Enter and the key may be the
// beginning of a paste.
func (p *PasteDetector) handleFollowing(press tea.KeyMsg, text string) tea.Cmd {
	if isEnter(press) {
		return p.keepKey(press, BurstWait)
	}
	p.paste = &gatheredPaste{held: p.waiting}
	p.paste.addText(strings.Repeat("\n", len(p.waiting)))
	p.waiting = nil
	return p.gatherKey(press, text)
}

// isAtOnce reports whether a key arrived at once (see AtOnce). The run of fast keys up to this key
// must also have more keys than a person can type in the time of the run.
func (p *PasteDetector) isAtOnce() bool {
	now := p.now()
	if now.Sub(p.ready) >= AtOnce {
		p.began, p.run = now, 0
	}
	p.run++
	return now.Sub(p.began) < time.Duration(p.run-1)*typedKey
}

// isTyped reports whether a key during a paste was typed, that is, at least typedGap after the
// previous key. If it is certain that the keys before are a paste, the previous key must also have
// been typed.
func (p *PasteDetector) isTyped() bool {
	if p.now().Sub(p.pressed) < typedGap {
		p.typed = 0
		return false
	}
	p.typed++
	return p.paste.held != nil || p.typed > 1
}

func (p *PasteDetector) gatherKey(press tea.KeyMsg, text string) tea.Cmd {
	if g := p.paste; g.held != nil {
		g.held = append(g.held, press)
		if g.behind += terminal.CountCharacters(text); g.behind >= fewAtOnce {
			g.held = nil
		}
	}
	return p.gatherText(text)
}

// gatherText adds text to a paste. After a single complete line it waits for a shorter time,
// because that may be the whole paste.
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

func (p *PasteDetector) delayRelease(d time.Duration) tea.Cmd {
	p.until = p.now().Add(d)
	if !p.due.IsZero() && !p.until.Before(p.due) {
		return nil // At the next QuietMsg, releaseWhenQuiet delays again.
	}
	p.due = p.until
	return p.After(d, QuietMsg{})
}

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

// finishPaste passes on a paste, or its keys if it is uncertain whether they are a paste. It sets
// PastedMsg.Enter for one line with an Enter, because a person or a script may have typed them.
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

func (p *PasteDetector) holdsEnter() bool { return len(p.waiting) > 0 && isEnter(p.waiting[0]) }

func isEnter(press tea.KeyMsg) bool { return press.Type == tea.KeyEnter && !press.Alt }

func isArrow(press tea.KeyMsg) bool {
	return (press.Type == tea.KeyUp || press.Type == tea.KeyDown) && !press.Alt
}

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
