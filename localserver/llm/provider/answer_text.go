package provider

import (
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

// answerText is an answer as it comes in.
type answerText struct {
	text   strings.Builder
	limit  int
	emit   func(string) error
	finish Finish
	in     int
	out    int
	cached int // part of in, read from the server's cache
	cost   float64
	first  []TokenProbability
	// ended is set by the API's end mark of an answer, over after the very last event.
	ended, over bool
	// emitted is set when something was given to emit.
	emitted bool
	// emitErr is the error of emit.
	emitErr error
	pieces  plaintext.PieceJoiner
	mask    keyMask
	thought thoughtFilter
	turn    turnFilter
	length  lengthLimit
}

func newAnswerText(limit int, emit func(string) error) *answerText {
	return &answerText{limit: limit, emit: emit}
}

// addPiece adds a piece of the text; it masks keys and drops thoughts. It ends an answer that is
// too long.
func (a *answerText) addPiece(delta string) error {
	err := a.emitThoughtless(a.mask.filterPiece(a.pieces.JoinPiece(plaintext.Piece(delta))), false)
	a.length.countCome(delta)
	a.over = a.over || a.length.reached
	return err
}

// emitThoughtless passes on the part of a piece that belongs to the model's turn and is outside of
// thoughts. If a thought was passed on before it was recognized, the text begins again after it.
func (a *answerText) emitThoughtless(delta string, final bool) error {
	delta = a.thought.filterText(delta, final)
	if a.thought.withdrawn {
		a.thought.withdrawn = false
		a.turn = turnFilter{off: a.turn.off}
		a.text.Reset()
	}
	err := a.emitPiece(a.turn.filterText(delta, final))
	a.over = a.over || a.turn.ended
	return err
}

// emitPiece passes a piece on.
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

// setFinish notes why the answer ended.
func (a *answerText) setFinish(reason Finish) { a.ended, a.finish = true, reason }

// endAnswer closes an answer: one without an end mark was cut off. One that was ended
// here, because it went on for too long, has its length.
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
	// maxSaid is the maximum length of a quotation from a provider, in characters.
	maxSaid = 200
	// shred is the shortest piece of a key that is taken out of a text.
	shred = 8
	// maskedKey replaces a key or a piece of one.
	maskedKey = "[key]"
)

// keyLike matches the keys of providers, also half masked, and very long words.
var keyLike = plaintext.Pattern(`(?i)\b(?:bearer\s+\S+|(?:sk|pk|rk|gsk|xai|hf|key|tgp|csk|nvapi)[-_][-_a-z0-9.*]{6,}|AIza[-_a-z0-9*]{6,}|[a-z0-9]{32,})`)

// withoutKeys removes keys from the text of an error, everything that looks like a key, and pieces
// of the keys: providers often repeat the beginning and the end of one.
func withoutKeys(text string, keys []string) string {
	pieces := map[string]bool{}
	for _, key := range keys {
		if key == "" {
			continue
		}
		for _, form := range formsOf(key) {
			text = strings.ReplaceAll(text, form, maskedKey)
		}
		for i := 0; i+shred <= len(key); i++ {
			pieces[key[i:i+shred]] = true
		}
	}
	return withoutPieces(keyLike().ReplaceAllString(text, maskedKey), pieces)
}

// withoutPieces masks each run of a text that consists of pieces.
func withoutPieces(text string, pieces map[string]bool) string {
	var out strings.Builder
	kept := 0
	for i := 0; i+shred <= len(text); {
		if !pieces[text[i:i+shred]] {
			i++
			continue
		}
		end := i + shred
		for end < len(text) && pieces[text[end-shred+1:end+1]] {
			end++
		}
		out.WriteString(text[kept:i])
		out.WriteString(maskedKey)
		kept, i = end, end
	}
	out.WriteString(text[kept:])
	return out.String()
}
