package provider

import "strings"

// answerText is an answer as it comes in.
type answerText struct {
	text   strings.Builder
	limit  int
	emit   func(string) error
	finish Finish
	in     int
	out    int
	// ended is set by the mark with which the API ends an answer, over when
	// nothing comes behind it.
	ended, over bool
	// emitted is set when something was given to emit.
	emitted bool
	// emitErr is the error of emit.
	emitErr error
	thought thoughtFilter
}

func newAnswerText(limit int, emit func(string) error) *answerText {
	return &answerText{limit: limit, emit: emit}
}

// addPiece takes a piece of the text; thoughts at its beginning are left out.
func (a *answerText) addPiece(delta string) error { return a.emitPiece(a.thought.filterPiece(delta)) }

// emitPiece passes a piece on.
func (a *answerText) emitPiece(delta string) error {
	if delta == "" {
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

// endAnswer closes an answer: one without an end mark was cut off.
func (a *answerText) endAnswer() error {
	if !a.ended {
		return newCutOff(nil)
	}
	return a.emitPiece(a.thought.releaseHeld())
}

// The marks that some models put around thoughts in front of the answer, where
// their server leaves them in the text.
const (
	thoughtBegin = "<think>"
	thoughtEnd   = "</think>"
)

// thoughtFilter leaves out what a model thinks in front of its answer.
type thoughtFilter struct {
	held string
	// inside is set between the marks, behind from the end mark to the first
	// character of the answer, past when no thought can come any more.
	inside, behind, past bool
}

// filterPiece returns what of a piece belongs to the answer.
func (t *thoughtFilter) filterPiece(delta string) string {
	if t.past {
		return delta
	}
	t.held += delta
	if !t.inside && !t.behind {
		begun := strings.TrimLeft(t.held, " \t\r\n")
		if !strings.HasPrefix(begun, thoughtBegin) {
			if strings.HasPrefix(thoughtBegin, begun) {
				return ""
			}
			return t.releaseText(t.held)
		}
		t.inside, t.held = true, begun[len(thoughtBegin):]
	}
	if t.inside {
		t.skipThought()
	}
	if t.held = strings.TrimLeft(t.held, "\r\n"); t.behind && t.held != "" {
		return t.releaseText(t.held)
	}
	return ""
}

// skipThought drops a thought; it keeps only what can be the beginning of the
// end mark.
func (t *thoughtFilter) skipThought() {
	_, answer, found := strings.Cut(t.held, thoughtEnd)
	if found {
		t.inside, t.behind, t.held = false, true, answer
		return
	}
	t.held = t.held[max(0, len(t.held)-len(thoughtEnd)):]
}

func (t *thoughtFilter) releaseText(text string) string {
	t.past, t.held = true, ""
	return text
}

// releaseHeld returns what was held back until the end of the text and is no
// thought.
func (t *thoughtFilter) releaseHeld() string {
	if t.inside || t.behind || t.past {
		return ""
	}
	return t.releaseText(t.held)
}
