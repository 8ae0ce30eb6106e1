package program

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// PasteDetector passes messages to another model, the screen. Unmarked pastes and mouse wheels
// arrive as keys and are recognized by their speed. An Enter in a paste does not send the message.
type PasteDetector struct {
	screen tea.Model
	now    func() time.Time
	after  func(time.Duration, tea.Msg) tea.Cmd

	held           []tea.KeyMsg // arrows, or an Enter and later text
	heldCharacters int
	paste          *gatheredPaste
	releaseAt      time.Time
	quietAt        time.Time
	lastKeyAt      time.Time
	enter          bool
}

type gatheredPaste struct {
	text       strings.Builder
	characters int
}

func (g *gatheredPaste) addText(text string) {
	g.characters += terminal.CountCharacters(text)
	if g.characters <= wire.MaxMessage {
		g.text.WriteString(text)
	}
}

// Limits between typing and pasting. Keys within TypedGap may be part of a paste. pasteLength
// characters after an Enter are a paste. PasteQuiet without keys ends a paste. wheelArrows arrows
// within ArrowsWait are one turn of the wheel.
const (
	TypedGap    = 30 * time.Millisecond
	enterWait   = 40 * time.Millisecond
	pasteLength = 3
	PasteQuiet  = 250 * time.Millisecond
	ArrowsWait  = 5 * time.Millisecond
	wheelArrows = 2
)

// QuietMsg arrives after a wait and releases held keys.
type QuietMsg struct{}

// PastedMsg is an unmarked paste, or a marked paste over the limit. Text is "" for a paste longer
// than wire.MaxMessage.
type PastedMsg struct {
	Text       string
	Characters int // of the whole paste
}

// WheelTurnedMsg reports a turn of the wheel. Lines is negative for up. Press is the arrow key from
// the terminal.
type WheelTurnedMsg struct {
	Lines int
	Press tea.KeyMsg
}

// NewPasteDetector returns a PasteDetector for a screen. after returns a command that delays a
// message.
func NewPasteDetector(
	screen tea.Model, now func() time.Time, after func(time.Duration, tea.Msg) tea.Cmd,
) *PasteDetector {
	return &PasteDetector{screen: screen, now: now, after: after}
}

// Init calls the screen's Init.
func (p *PasteDetector) Init() tea.Cmd { return p.screen.Init() }

// View returns the screen's view.
func (p *PasteDetector) View() string { return p.screen.View() }

// Update passes typed keys and other messages to the screen. A possible paste is held.
func (p *PasteDetector) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		cmd := p.handleKey(msg)
		p.lastKeyAt = p.now()
		return p, cmd
	case QuietMsg:
		return p, p.releaseWhenQuiet()
	case PastedMsg:
		return p, tea.Batch(p.release(), p.passOn(msg))
	}
	return p, p.passOn(msg)
}

func (p *PasteDetector) passOn(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, part := range splitWord(msg) {
		var cmd tea.Cmd
		p.screen, cmd = p.screen.Update(part)
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

const longestKeyName = 16

// splitWord splits typed words into letters, because tea.KeyMsg.String would take "up" for a key.
func splitWord(msg tea.Msg) []tea.Msg {
	press, ok := msg.(tea.KeyMsg)
	if !ok || press.Type != tea.KeyRunes || press.Paste {
		return []tea.Msg{msg}
	}
	if len(press.Runes) < 2 || len(press.Runes) > longestKeyName {
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
	afterEnter := len(p.held) > 0 && isEnter(p.held[0])
	endsLine := p.enter && press.Type == tea.KeyCtrlJ // the LF of CR LF
	p.enter = isEnter(press)
	switch {
	case endsLine && (p.paste != nil || afterEnter):
		return nil
	case p.paste != nil && isText:
		p.paste.addText(text)
		return p.delayRelease(PasteQuiet)
	case afterEnter && isText && p.now().Sub(p.lastKeyAt) < TypedGap:
		return p.handleFollowing(press, text)
	case len(p.held) > 0 && isArrow(press) && press.Type == p.held[0].Type:
		return p.holdKey(press, ArrowsWait)
	case len(p.held) > 0 || p.paste != nil:
		return tea.Batch(p.release(), p.handleKey(press))
	case isEnter(press):
		return p.holdKey(press, enterWait)
	case isArrow(press):
		return p.holdKey(press, ArrowsWait)
	case press.Paste && len(press.Runes) > wire.MaxMessage:
		return p.passOn(PastedMsg{Characters: len(press.Runes)})
	}
	return p.passOn(press)
}

func (p *PasteDetector) handleFollowing(press tea.KeyMsg, text string) tea.Cmd {
	p.heldCharacters += terminal.CountCharacters(text)
	if p.heldCharacters < pasteLength {
		return p.holdKey(press, enterWait)
	}
	p.paste = &gatheredPaste{}
	for _, key := range append(p.held, press) {
		part, _ := textOf(key)
		p.paste.addText(part)
	}
	p.held, p.heldCharacters = nil, 0
	return p.delayRelease(PasteQuiet)
}

func (p *PasteDetector) holdKey(press tea.KeyMsg, d time.Duration) tea.Cmd {
	p.held = append(p.held, press)
	return p.delayRelease(d)
}

func (p *PasteDetector) delayRelease(d time.Duration) tea.Cmd {
	p.releaseAt = p.now().Add(d)
	if !p.quietAt.IsZero() && !p.releaseAt.Before(p.quietAt) {
		return nil
	}
	p.quietAt = p.releaseAt
	return p.after(d, QuietMsg{})
}

func (p *PasteDetector) releaseWhenQuiet() tea.Cmd {
	p.quietAt = time.Time{}
	isHolding := p.paste != nil || len(p.held) > 0
	if remaining := p.releaseAt.Sub(p.now()); isHolding && remaining > 0 {
		return p.delayRelease(remaining)
	}
	return p.release()
}

func (p *PasteDetector) release() tea.Cmd {
	held, paste := p.held, p.paste
	p.held, p.heldCharacters, p.paste = nil, 0, nil
	switch {
	case paste != nil && paste.characters > wire.MaxMessage:
		return p.passOn(PastedMsg{Characters: paste.characters})
	case paste != nil:
		text := strings.TrimRight(paste.text.String(), "\n")
		return p.passOn(PastedMsg{Text: text, Characters: paste.characters})
	case len(held) >= wheelArrows && isArrow(held[0]):
		lines := len(held)
		if held[0].Type == tea.KeyUp {
			lines = -lines
		}
		return p.passOn(WheelTurnedMsg{lines, held[0]})
	}
	var cmds []tea.Cmd
	for _, press := range held {
		cmds = append(cmds, p.passOn(press))
	}
	return tea.Batch(cmds...)
}

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
