package provider

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/plaintext"
)

type answerText struct {
	text            strings.Builder
	limit           int
	emit            func(string) error
	finish          Finish
	usage           llm.Usage
	first           []TokenProbability
	ended, complete bool
	emitted         bool
	emitErr         error
	pieces          plaintext.PieceJoiner
	mask            keyMask
	thought         thoughtFilter
	turn            turnFilter
	length          lengthLimit
}

func newAnswerText(limit int, emit func(string) error) *answerText {
	return &answerText{limit: limit, emit: emit}
}

func (a *answerText) addPiece(delta string) error {
	err := a.emitThoughtless(a.mask.filterPiece(a.pieces.JoinPiece(plaintext.Piece(delta))), false)
	a.length.countCome(delta)
	a.complete = a.complete || a.length.reached
	return err
}

func (a *answerText) emitThoughtless(delta string, final bool) error {
	delta = a.thought.filterText(delta, final)
	if a.thought.withdrawn {
		a.thought.withdrawn = false
		a.turn = turnFilter{off: a.turn.off}
		a.text.Reset()
	}
	err := a.emitPiece(a.turn.filterText(delta, final))
	a.complete = a.complete || a.turn.ended
	return err
}

func (a *answerText) emitPiece(delta string) error {
	if delta = a.length.cutPiece(delta); delta == "" {
		return nil
	}
	if a.text.Len()+len(delta) > a.limit {
		return newTooMuch(a.limit)
	}
	a.text.WriteString(delta)
	if a.emit == nil {
		return nil
	}
	a.emitted = true
	a.emitErr = a.emit(delta)
	return a.emitErr
}

// The events of a stream repeat the totals.
func (a *answerText) addUsage(prompt, completion, cached tokenCount, cost dollars) {
	a.usage.In, a.usage.Out = max(a.usage.In, int(prompt)), max(a.usage.Out, int(completion))
	a.usage.Cached, a.usage.Cost = max(a.usage.Cached, int(cached)), max(a.usage.Cost, float64(cost))
}

func (a *answerText) setFinish(reason Finish) { a.ended, a.finish = true, reason }

func (a *answerText) endAnswer() error {
	if !a.ended && !a.length.reached && !a.turn.ended {
		return newCutOff(nil)
	}
	rest := a.mask.filterPiece(a.pieces.ReleaseHeld()) + a.mask.releaseHeld()
	err := a.emitThoughtless(rest, true)
	switch {
	case a.length.reached:
		a.setFinish(Length)
	case a.turn.ended && a.finish != Refused:
		a.setFinish(Stopped)
	}
	return err
}

const (
	maxSaid       = 200
	minErrorPiece = 8
	maskedKey     = "[key]"
)

var keyLike = plaintext.Pattern(`(?i)\b(?:bearer\s+\S+|(?:sk|pk|rk|gsk|xai|hf|key|tgp|csk|nvapi)[-_][-_a-z0-9.*]{6,}|AIza[-_a-z0-9*]{6,}|[a-z0-9]{32,})`)

// Providers often quote the beginning and the end of a key.
func withoutKeys(text string, keys []string) string {
	pieces := map[string]bool{}
	for _, key := range keys {
		if key == "" {
			continue
		}
		for _, form := range formsOf(key) {
			text = strings.ReplaceAll(text, form, maskedKey)
		}
		for i := 0; i+minErrorPiece <= len(key); i++ {
			pieces[key[i:i+minErrorPiece]] = true
		}
	}
	return withoutPieces(keyLike().ReplaceAllString(text, maskedKey), pieces)
}

func withoutPieces(text string, pieces map[string]bool) string {
	var out strings.Builder
	start := 0
	for i := 0; i+minErrorPiece <= len(text); {
		if !pieces[text[i:i+minErrorPiece]] {
			i++
			continue
		}
		end := i + minErrorPiece
		for end < len(text) && pieces[text[end-minErrorPiece+1:end+1]] {
			end++
		}
		out.WriteString(text[start:i])
		out.WriteString(maskedKey)
		start, i = end, end
	}
	out.WriteString(text[start:])
	return out.String()
}

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

// Several objects are rejected, because the player may have quoted one.
func findJSON(text string) (string, bool) {
	text = dropTrailingCommas(text)
	object := ""
	for {
		index := strings.IndexByte(text, '{')
		if index < 0 {
			return object, object != ""
		}
		text = text[index:]
		if !beginsObject(text) {
			text = text[1:]
			continue
		}
		if object != "" {
			return "", false
		}
		var raw json.RawMessage
		_ = json.NewDecoder(strings.NewReader(text)).Decode(&raw) // Invalid JSON leaves raw empty.
		if object = string(raw); object == "" {
			return "", false
		}
		text = text[len(object):]
	}
}

func beginsObject(text string) bool {
	inside := strings.TrimLeft(text[1:], " \t\r\n")
	return inside != "" && (inside[0] == '"' || inside[0] == '}')
}

func dropTrailingCommas(text string) string {
	var out strings.Builder
	start, comma, quoted := 0, -1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted, comma = !quoted, -1
		case quoted, strings.IndexByte(" \t\r\n", c) >= 0:
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out.WriteString(text[start:comma])
			start, comma = comma+1, -1
		default:
			comma = -1
		}
	}
	if start == 0 {
		return text
	}
	out.WriteString(text[start:])
	return out.String()
}
