package program

import (
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

const pasteEnds = "\x1b[201~"

// LongPasteMsg reports a marked paste that is longer than the decoder's maximum. The text is
// dropped.
type LongPasteMsg struct {
	Characters int // number of characters of the whole paste
}

type pasteText struct {
	most    int    // maximum length of the field kept, in bytes
	kept    []byte // the beginning of the paste
	dropped int    // number of characters that were dropped
	matched int    // number of bytes of pasteEnds that have arrived
}

func (p *pasteText) add(b byte) (ended bool) {
	if b == pasteEnds[p.matched] {
		p.matched++
		return p.matched == len(pasteEnds)
	}
	p.releaseMatched()
	if b == pasteEnds[0] {
		p.matched = 1
		return false
	}
	p.keep(b)
	return false
}

// releaseMatched adds the matched bytes of pasteEnds to the text, because the rest of pasteEnds did
// not follow them.
func (p *pasteText) releaseMatched() {
	for _, b := range []byte(pasteEnds[:p.matched]) {
		p.keep(b)
	}
	p.matched = 0
}

func (p *pasteText) keep(b byte) {
	switch {
	case p.dropped == 0 && len(p.kept) < p.most:
		p.kept = append(p.kept, b)
	case utf8.RuneStart(b):
		p.dropped++
	}
}

func (p *pasteText) end() tea.Msg {
	if p.matched < len(pasteEnds) {
		p.releaseMatched()
	}
	if p.dropped > 0 {
		return LongPasteMsg{Characters: utf8.RuneCount(p.kept) + p.dropped}
	}
	var letters []rune
	for rest := p.kept; len(rest) > 0; {
		letter, size := utf8.DecodeRune(rest)
		if letter != utf8.RuneError || size > 1 {
			letters = append(letters, letter)
		}
		rest = rest[size:]
	}
	p.kept = nil
	if len(letters) == 0 {
		return nil
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: letters, Paste: true}
}
