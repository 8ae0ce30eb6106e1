package provider

import (
	"slices"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/plaintext"
)

// breakTokens returns a request without control tokens. In messages it also removes tags that look
// like control tokens, and beginnings of lines that look like another speaker's turn.
func breakTokens(r Request) Request {
	r.System, r.Messages = plaintext.BreakTemplateTokens(r.System), slices.Clone(r.Messages)
	for i, m := range r.Messages {
		r.Messages[i] = llm.Message{Role: m.Role, Text: plaintext.BreakTokens(m.Text)}
	}
	return r
}

type tokenMender struct {
	emit func(string) error
	held string
}

func (m *tokenMender) emitFunc() func(string) error {
	if m.emit == nil {
		return nil
	}
	return m.emitPiece
}

// emitPiece emits a piece. If the piece ends with a look-alike of a token, it holds the look-alike
// back, because joiners may follow in the next piece.
func (m *tokenMender) emitPiece(piece string) error {
	piece, m.held = plaintext.CutLookAlike(m.held + piece)
	return m.emitText(piece)
}

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
