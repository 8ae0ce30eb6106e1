package provider

import (
	"slices"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/plaintext"
)

// breakTokens returns a request without control tokens: in the messages also without tags that
// look like such and without lines that begin like another speaker's.
func breakTokens(r Request) Request {
	r.System, r.Messages = plaintext.BreakTemplateTokens(r.System), slices.Clone(r.Messages)
	for i, m := range r.Messages {
		r.Messages[i] = llm.Message{Role: m.Role, Text: plaintext.BreakTokens(m.Text)}
	}
	return r
}

// tokenMender mends a text that comes in pieces.
type tokenMender struct {
	emit func(string) error
	held string
}

// emitFunc returns the function that receives the pieces, or nil without a listener.
func (m *tokenMender) emitFunc() func(string) error {
	if m.emit == nil {
		return nil
	}
	return m.emitPiece
}

// emitPiece returns a piece on, without a look-alike at its end: joiners may follow.
func (m *tokenMender) emitPiece(piece string) error {
	piece, m.held = plaintext.CutLookAlike(m.held + piece)
	return m.emitText(piece)
}

// emitHeld returns on what was held back until the end.
func (m *tokenMender) emitHeld() error {
	held := m.held
	m.held = ""
	return m.emitText(held)
}

func (m *tokenMender) emitText(text string) error {
	if text == "" {
		return nil
	}
	return m.emit(plaintext.MendTokens(text))
}
