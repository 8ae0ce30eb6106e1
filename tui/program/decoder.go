package program

import (
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

const (
	bell       = 0x07
	cancel     = 0x18
	substitute = 0x1a
	esc        = 0x1b
	del        = 0x7f
)

type state int

const (
	inText         state = iota
	inEscape             // after an Escape, which is a key or begins a sequence
	inMeta               // after an Escape and a part of a UTF-8 character
	inCSI                // "ESC ["
	inConsoleKey         // "ESC [ [", a function key of the Linux console
	inX10Mouse           // "ESC [ M", three bytes follow
	inSS3                // "ESC O"
	inString             // OSC, DCS, APC, PM or SOS: an answer of the terminal
	inStringEscape       // after an Escape in a string, which may begin its terminator
	inPaste              // between the marks of a paste
)

const maxSequence = 256

// How long the decoder waits for the rest of incomplete input.
const (
	// EscapeWait is for input that may be a complete key, such as Escape or Alt+[.
	EscapeWait = 100 * time.Millisecond
	// sequenceWait is for a sequence with parameters.
	sequenceWait = 500 * time.Millisecond
	stringWait   = time.Second
	pasteWait    = 3 * time.Second
	// lateWait is how long the decoder waits for the rest of a sequence after it took the beginning
	// for a key. Input after this time is text.
	lateWait = time.Second
)

// Decoder decodes the input of a terminal into messages. Splitting the input into several reads
// does not change the messages. A Decoder stores at most maxPaste bytes of a paste (NewDecoder).
type Decoder struct {
	answer func(osc string)

	state    state
	doubled  bool   // the sequence is preceded by another Escape
	sequence []byte // the bytes after the Escape
	tooLong  bool   // the sequence has more than maxSequence bytes
	text     []byte // typed text for which there is no message yet
	paste    pasteText
	late     []byte // the beginning of a sequence that was taken for keys
	msgs     []tea.Msg
}

// NewDecoder returns a decoder that accepts pastes of up to maxPaste bytes. It calls answer, which
// may be nil, with the text of each OSC string, for example "11;rgb:0000/0000/0000".
func NewDecoder(maxPaste int, answer func(osc string)) *Decoder {
	if answer == nil {
		answer = func(string) {}
	}
	return &Decoder{answer: answer, paste: pasteText{most: maxPaste}}
}

// Feed decodes the result of one read.
func (d *Decoder) Feed(chunk []byte) []tea.Msg {
	if len(d.late) > 0 {
		d.resumeLate(chunk)
	}
	for _, b := range chunk {
		d.step(b)
	}
	d.handText(true)
	return d.takeMessages()
}

// Wait returns how long the caller must wait for more input before it calls Expire. If Wait returns
// 0, the caller need not call Expire.
func (d *Decoder) Wait() time.Duration {
	switch {
	case d.state == inText && len(d.late) > 0:
		return lateWait
	case d.state == inText:
		return 0
	case d.state == inPaste:
		return pasteWait
	case len(d.sequence) <= 1:
		return EscapeWait
	case d.state == inString, d.state == inStringEscape:
		return stringWait
	}
	return sequenceWait
}

// Expire ends incomplete input after the duration of Wait has passed. It returns an Escape as a key
// and an unfinished paste as a message. It drops an incomplete sequence.
func (d *Decoder) Expire() []tea.Msg {
	d.late = d.late[:0]
	switch d.state {
	case inText:
	case inPaste:
		d.endPaste()
	default:
		if !d.tooLong {
			d.late = append(append(d.late, esc), d.sequence...)
		}
		d.abandon()
	}
	return d.takeMessages()
}

func (d *Decoder) takeMessages() []tea.Msg {
	msgs := d.msgs
	d.msgs = nil
	return msgs
}

func (d *Decoder) step(b byte) {
	switch d.state {
	case inText:
		d.stepText(b)
	case inEscape:
		d.stepEscape(b)
	case inMeta:
		d.stepMeta(b)
	case inCSI:
		d.stepCSI(b)
	case inConsoleKey:
		d.finishKey(decodeConsoleKey(b))
	case inX10Mouse:
		if d.keep(b); len(d.sequence) == len("[M")+3 {
			d.finish(decodeX10Mouse(d.sequence[len("[M"):]))
		}
	case inSS3:
		d.stepSS3(b)
	case inString:
		d.stepString(b)
	case inStringEscape:
		if b == '\\' {
			d.endString()
			return
		}
		d.endWithEscape()
		d.step(b)
	case inPaste:
		if d.paste.add(b) {
			d.endPaste()
		}
	}
}

func (d *Decoder) stepText(b byte) {
	switch {
	case b == esc:
		d.begin(inEscape)
	case b == ' ':
		d.emit(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
	case b < ' ' || b == del:
		d.emit(tea.KeyMsg{Type: tea.KeyType(b)})
	default:
		d.text = append(d.text, b)
	}
}

func (d *Decoder) stepEscape(b byte) {
	switch b {
	case esc:
		if d.doubled {
			d.emit(tea.KeyMsg{Type: tea.KeyEscape})
		}
		d.doubled = true
		return
	case '[':
		d.enter(inCSI, b)
		return
	case 'O':
		d.enter(inSS3, b)
		return
	}
	d.emitDoubled() // The first of two Escapes means Alt only if the sequence of a key follows.
	switch {
	case b == ']' || b == 'P' || b == '_' || b == '^' || b == 'X':
		d.enter(inString, b)
	case b >= utf8.RuneSelf:
		d.enter(inMeta, b)
	case b == ' ':
		d.finish(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}, Alt: true})
	case b < ' ' || b == del:
		d.finish(tea.KeyMsg{Type: tea.KeyType(b), Alt: true})
	default:
		d.finish(altKey(rune(b)))
	}
}

func altKey(letter rune) tea.KeyMsg {
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{letter}, Alt: true}
}

func (d *Decoder) stepMeta(b byte) {
	if b < utf8.RuneSelf {
		d.redo(b)
		return
	}
	d.keep(b)
	if !utf8.FullRune(d.sequence) {
		return
	}
	letter, size := utf8.DecodeRune(d.sequence)
	if letter == utf8.RuneError && size <= 1 {
		d.begin(inText)
		return
	}
	d.finish(altKey(letter))
}

func (d *Decoder) stepCSI(b byte) {
	first := len(d.sequence) == 1
	switch {
	case b < ' ' || b >= del:
		d.redo(b)
	case b == '[' && first:
		d.enter(inConsoleKey, b)
	case b == 'M' && first:
		d.enter(inX10Mouse, b)
	case b == '$' && isNumber(d.sequence[1:]): // A key with Shift in urxvt; an answer of the terminal would contain a ";" before the "$".
		d.finishCSI(b)
	case b < '@':
		d.keep(b)
	default:
		d.finishCSI(b)
	}
}

func (d *Decoder) finishCSI(final byte) {
	body := string(d.sequence[1:])
	if body == "200" && final == '~' {
		d.emitDoubled()
		d.begin(inPaste)
		d.paste = pasteText{most: d.paste.most}
		return
	}
	if d.tooLong {
		d.finish(nil)
		return
	}
	if report, ok := decodeSGRMouse(body, final); ok {
		d.finish(report)
		return
	}
	d.finishKey(decodeCSIKey(body, final))
}

func (d *Decoder) stepSS3(b byte) {
	switch {
	case b < ' ' || b >= del:
		d.redo(b)
	case b >= '0' && b <= '9':
		d.keep(b)
	default:
		d.finishKey(decodeSS3Key(string(d.sequence[1:]), b))
	}
}

// stepString decodes a byte of a string. Ctrl+C ends an unterminated string.
func (d *Decoder) stepString(b byte) {
	switch b {
	case bell:
		d.endString()
	case cancel, substitute:
		d.finish(nil)
	case byte(tea.KeyCtrlC):
		d.redo(b)
	case esc:
		d.state = inStringEscape
	default:
		d.keep(b)
	}
}

func (d *Decoder) endWithEscape() {
	d.state = inString
	d.abandon()
	d.begin(inEscape)
}

func (d *Decoder) endString() {
	if d.sequence[0] == ']' && !d.tooLong {
		d.answer(string(d.sequence[1:]))
	}
	d.finish(nil)
}

func (d *Decoder) endPaste() {
	if msg := d.paste.end(); msg != nil {
		d.emit(msg)
	}
	d.begin(inText)
}

func (d *Decoder) begin(s state) {
	d.state, d.doubled, d.tooLong, d.sequence = s, false, false, d.sequence[:0]
}

func (d *Decoder) enter(s state, b byte) {
	d.state = s
	d.keep(b)
}

func (d *Decoder) keep(b byte) {
	if len(d.sequence) == maxSequence {
		d.tooLong = true
		return
	}
	d.sequence = append(d.sequence, b)
}

func (d *Decoder) finish(msg tea.Msg) {
	d.emitDoubled()
	if msg != nil {
		d.emit(msg)
	}
	d.begin(inText)
}

// finishKey ends a sequence and emits its key. ok means that the sequence is valid. An Escape
// before a valid sequence adds Alt to the key. An Escape before an invalid sequence is the Escape
// key.
func (d *Decoder) finishKey(press tea.KeyMsg, ok bool) {
	if !ok {
		d.finish(nil)
		return
	}
	press.Alt = press.Alt || d.doubled
	d.doubled = false
	d.finish(press)
}

func (d *Decoder) redo(b byte) {
	d.abandon()
	d.step(b)
}

// abandon ends an incomplete sequence. Escape alone becomes the Escape key. Escape and one more
// byte become a key with Alt. Longer sequences are dropped.
func (d *Decoder) abandon() {
	if d.state == inStringEscape {
		d.endWithEscape()
	}
	switch {
	case d.state == inEscape:
		d.finish(tea.KeyMsg{Type: tea.KeyEscape})
	case d.state != inMeta && len(d.sequence) == 1:
		d.finish(altKey(rune(d.sequence[0])))
	default:
		d.finish(nil)
	}
}

func (d *Decoder) emitDoubled() {
	if d.doubled {
		d.doubled = false
		d.emit(tea.KeyMsg{Type: tea.KeyEscape})
	}
}

func (d *Decoder) emit(msg tea.Msg) {
	d.handText(false)
	d.msgs = append(d.msgs, msg)
}

// handText makes a message of the typed text, without invalid UTF-8. more means that an incomplete
// character at the end is kept.
func (d *Decoder) handText(more bool) {
	var letters []rune
	rest := d.text
	for len(rest) > 0 && (!more || utf8.FullRune(rest)) {
		letter, size := utf8.DecodeRune(rest)
		if letter != utf8.RuneError || size > 1 {
			letters = append(letters, letter)
		}
		rest = rest[size:]
	}
	d.text = append(d.text[:0], rest...)
	if len(letters) > 0 {
		d.msgs = append(d.msgs, tea.KeyMsg{Type: tea.KeyRunes, Runes: letters})
	}
}
