package program

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	bell       = 0x07
	cancel     = 0x18
	substitute = 0x1a
	esc        = 0x1b
	del        = 0x7f

	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"

	// maxSequence is in bytes. Longer sequences are dropped.
	maxSequence = 256
)

const (
	escapeWait   = 100 * time.Millisecond
	sequenceWait = time.Second
	pasteWait    = 3 * time.Second
	// lateWait is for the rest of a sequence after its start was decoded as a key.
	lateWait = time.Second
)

// lateSequence matches the start of a delayed key or terminal response.
var lateSequence = plaintext.Pattern("^\x1b" + `(\[[0-9;:<=>?]+[$ ]?[A-Za-z~]|\[[A-DFHZ]$|O[A-DFHPQRS]$|\][0-9]+;|P([>!]\||[01][$+]r)|_G)`)

// Decoder decodes terminal input into messages. The messages do not depend on the boundaries of
// reads. At most maxPaste bytes of a paste are stored.
type Decoder struct {
	answer   func(osc string)
	maxPaste int

	buf     []byte
	late    []byte // keys that may begin a delayed sequence
	tooLong bool   // buf lacks the middle of a long sequence
	pasting bool
	pasted  []byte
	dropped int
	msgs    []tea.Msg
}

// NewDecoder returns a Decoder for pastes up to maxPaste bytes. answer receives each OSC string,
// for example "11;rgb:0000/0000/0000". answer may be nil.
func NewDecoder(maxPaste int, answer func(osc string)) *Decoder {
	if answer == nil {
		answer = func(string) {}
	}
	return &Decoder{answer: answer, maxPaste: maxPaste}
}

// Feed decodes the bytes of one read.
func (d *Decoder) Feed(chunk []byte) []tea.Msg {
	// A single byte was probably typed.
	if len(d.late) > 0 && len(chunk) > 1 {
		if joined := slices.Concat(d.late, chunk); lateSequence().Match(joined) {
			chunk = joined
		}
	}
	d.late = nil
	for len(chunk) > 0 {
		n := min(len(chunk), maxSequence) // keeps buf short
		d.buf, chunk = append(d.buf, chunk[:n]...), chunk[n:]
		d.decode(false)
	}
	return d.takeMessages()
}

// Wait returns the timeout before Expire, or 0 for no timeout.
func (d *Decoder) Wait() time.Duration {
	switch {
	case d.pasting:
		return pasteWait
	case len(d.late) > 0 && len(d.buf) == 0:
		return lateWait
	case len(d.buf) == 0 || d.buf[0] != esc:
		return 0
	case len(bytes.TrimLeft(d.buf, "\x1b")) <= 1:
		return escapeWait
	}
	return sequenceWait
}

// Expire ends incomplete input after a timeout. An Escape is a key, a paste is complete, and other
// sequences are dropped.
func (d *Decoder) Expire() []tea.Msg {
	d.late = nil
	if !d.tooLong && !d.pasting && len(d.buf) > 0 && d.buf[0] == esc {
		d.late = slices.Clone(d.buf)
	}
	d.decode(true)
	if d.pasting {
		d.endPaste()
	}
	return d.takeMessages()
}

func (d *Decoder) takeMessages() []tea.Msg {
	msgs := d.msgs
	d.msgs = nil
	return msgs
}

func (d *Decoder) decode(final bool) {
	for len(d.buf) > 0 {
		n := d.decodeFirst(final)
		if n == 0 {
			return
		}
		d.buf = d.buf[n:]
	}
}

// decodeFirst decodes the start of buf and returns the length. The result is 0 for incomplete
// input, unless final is true.
func (d *Decoder) decodeFirst(final bool) int {
	switch b := d.buf[0]; {
	case d.pasting:
		return d.takePaste(final)
	case b == esc:
		return d.decodeEscape(final)
	case b == ' ':
		d.emit(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
	case b < ' ' || b == del:
		d.emit(tea.KeyMsg{Type: tea.KeyType(b)})
	default:
		return d.decodeText(final)
	}
	return 1
}

func (d *Decoder) decodeText(final bool) (n int) {
	var letters []rune
	for n < len(d.buf) && d.buf[n] > ' ' && d.buf[n] != del {
		if !final && !utf8.FullRune(d.buf[n:]) {
			break
		}
		letter, size := utf8.DecodeRune(d.buf[n:])
		if letter != utf8.RuneError || size > 1 {
			letters = append(letters, letter)
		}
		n += size
	}
	if len(letters) > 0 {
		d.emit(tea.KeyMsg{Type: tea.KeyRunes, Runes: letters})
	}
	return n
}

// decodeEscape decodes an Escape key or a sequence. An Escape before a key sequence means Alt.
func (d *Decoder) decodeEscape(final bool) int {
	sequence, before := d.buf, 0
	if len(sequence) > 1 && sequence[1] == esc {
		sequence, before = sequence[1:], 1
		if len(sequence) > 1 && sequence[1] != '[' && sequence[1] != 'O' {
			d.emit(tea.KeyMsg{Type: tea.KeyEscape})
			return 1
		}
	}
	n, ended := findEnd(sequence)
	switch {
	case n == 0 && final:
		n = len(bytes.TrimSuffix(sequence[1:], []byte{esc})) + 1
	case n == 0:
		if len(sequence) > maxSequence {
			d.shorten(before + 3)
		}
		return 0
	}
	msg := d.readSequence(sequence[:n], ended)
	press, isKey := msg.(tea.KeyMsg)
	switch {
	case before == 1 && ended && isKey:
		press.Alt = true
		msg = press
	case before == 1:
		d.emit(tea.KeyMsg{Type: tea.KeyEscape})
	}
	if msg != nil {
		d.emit(msg)
	}
	d.tooLong = false
	return before + n
}

func (d *Decoder) shorten(first int) {
	rest := d.buf[len(d.buf)-1:]
	if rest[0] != esc {
		rest = nil
	}
	d.buf, d.tooLong = append(d.buf[:first:first], rest...), true
}

// findEnd returns the length of the first sequence, or 0 if incomplete. ended is false after an
// interruption.
func findEnd(b []byte) (n int, ended bool) {
	if len(b) < 2 {
		return 0, false
	}
	switch b[1] {
	case '[':
		return findCSIEnd(b)
	case 'O':
		for n = 2; n < len(b); n++ {
			if b[n] < '0' || b[n] > '9' {
				return findFinal(b, n)
			}
		}
		return 0, false
	case ']', 'P', '_', '^', 'X':
		return findStringEnd(b)
	}
	if !utf8.FullRune(b[1:]) {
		return 0, false
	}
	_, size := utf8.DecodeRune(b[1:])
	return 1 + size, true
}

func findCSIEnd(b []byte) (n int, ended bool) {
	for n = 2; n < len(b) && b[n] >= ' ' && b[n] < '@'; n++ {
	}
	more := 0
	switch {
	case n == len(b):
		return 0, false
	case n == 2 && b[n] == '[':
		more = 1
	case n == 2 && b[n] == 'M': // an X10 mouse report
		more = 3
	}
	if n+more >= len(b) {
		return 0, false
	}
	return findFinal(b, n+more)
}

func findFinal(b []byte, index int) (n int, ended bool) {
	if b[2] != 'M' && (b[index] < ' ' || b[index] >= del) {
		return index, false
	}
	return index + 1, true
}

// findStringEnd finds the end of a terminal response. Ctrl+C ends an unterminated string.
func findStringEnd(b []byte) (n int, ended bool) {
	for n = 2; n < len(b); n++ {
		switch {
		case b[n] == bell:
			return n + 1, true
		case b[n] == cancel, b[n] == substitute:
			return n + 1, true
		case b[n] == byte(tea.KeyCtrlC):
			return n, false
		case b[n] == esc && n+1 == len(b):
			return 0, false
		case b[n] == esc && b[n+1] == '\\':
			return n + 2, true
		case b[n] == esc:
			return n, false
		}
	}
	return 0, false
}

func (d *Decoder) readSequence(sequence []byte, ended bool) tea.Msg {
	last := len(sequence) - 1
	switch {
	case last == 0:
		return tea.KeyMsg{Type: tea.KeyEscape}
	case sequence[1] >= utf8.RuneSelf:
		if letter, size := utf8.DecodeRune(sequence[1:]); size > 1 {
			return altKey(letter)
		}
		return nil
	case last == 1:
		return altKey(rune(sequence[1]))
	case !ended || d.tooLong:
		return nil
	}
	switch body := string(sequence[2:last]); sequence[1] {
	case '[':
		if string(sequence) == pasteBegins {
			d.pasting = true
			return nil
		}
		return decodeCSI(body, sequence[last])
	case 'O':
		return decodeSS3(body, sequence[last])
	case ']':
		if end := sequence[last]; end == bell || end == '\\' {
			d.answer(strings.TrimRight(body, "\x1b"))
		}
	}
	return nil
}

func altKey(letter rune) tea.Msg {
	switch {
	case letter == ' ':
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}, Alt: true}
	case letter < ' ' || letter == del:
		return tea.KeyMsg{Type: tea.KeyType(letter), Alt: true}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{letter}, Alt: true}
}

func (d *Decoder) takePaste(final bool) int {
	n, end := len(d.buf), bytes.Index(d.buf, []byte(pasteEnds))
	switch {
	case end >= 0:
		n = end
	case !final:
		for k := min(len(pasteEnds)-1, n); k > 0; k-- {
			if strings.HasPrefix(pasteEnds, string(d.buf[n-k:])) {
				n -= k
				break
			}
		}
	}
	room := min(n, d.maxPaste-len(d.pasted))
	d.pasted = append(d.pasted, d.buf[:room]...)
	for _, b := range d.buf[room:n] {
		if utf8.RuneStart(b) {
			d.dropped++
		}
	}
	if end >= 0 {
		d.endPaste()
		n += len(pasteEnds)
	}
	return n
}

func (d *Decoder) endPaste() {
	text := []rune(strings.ToValidUTF8(string(d.pasted), ""))
	switch {
	case d.dropped > 0:
		d.emit(PastedMsg{Characters: len(text) + d.dropped})
	case len(text) > 0:
		d.emit(tea.KeyMsg{Type: tea.KeyRunes, Runes: text, Paste: true})
	}
	d.pasting, d.pasted, d.dropped = false, nil, 0
}

func (d *Decoder) emit(msg tea.Msg) { d.msgs = append(d.msgs, msg) }
