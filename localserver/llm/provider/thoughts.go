package provider

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// thoughtMark is the pair of marks around a model's thought. Some servers leave thoughts and their
// marks in the text.
type thoughtMark struct{ begin, end string }

var thoughtMarks = []thoughtMark{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<thoughts>", "</thoughts>"},
	{"<antthinking>", "</antthinking>"},
	{"<analysis>", "</analysis>"},
	{"<inner_thoughts>", "</inner_thoughts>"},
	{"<inner_monologue>", "</inner_monologue>"},
	{"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<reasoning>", "</reasoning>"},
	{"<reflection>", "</reflection>"},
	{"<scratchpad>", "</scratchpad>"},
	{"<seed:think>", "</seed:think>"},
	{"[THINK]", "[/THINK]"},
	{"◁think▷", "◁/think▷"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"},
}

const (
	markStarts  = "<[◁"
	longestMark = 30
)

// modelsThatThinkAloud matches names of models that think. Their servers often leave a thought in
// the text, with an end mark but without a begin mark. The first answer of such a model is held back.
var modelsThatThinkAloud = plaintext.Pattern(`(?i)(?:^|[^a-z0-9])(?:r1|qwq|thinking|reasoning|reasoner|thinker|magistral|deepthink|marco-o1|openthinker)(?:[^a-z0-9]|$)`)

// thoughtFilter removes a model's thoughts from an answer that arrives in pieces.
type thoughtFilter struct {
	held string
	end  string
	// blanks are the blanks before the first word. spoken means that the first word has arrived.
	// shown means that text was emitted. last is the last emitted character.
	blanks        string
	spoken, shown bool
	last          rune
	trims         bool
	// frontOnly means that the filter stops at the first brace, so that it does not change an
	// answer in JSON. past means that it has stopped.
	frontOnly, past bool
	// unmarked means that the text is expected to begin with a thought that has only an end mark.
	// endOnly means that the answer had such a thought.
	unmarked, endOnly bool
	// withdrawn means that emitted text turned out to be a thought.
	withdrawn bool
}

func (t *thoughtFilter) filterText(delta string, final bool) string {
	var out strings.Builder
	t.held += delta
	for t.held != "" && t.takeNext(&out, final) {
	}
	if final {
		out.WriteString(t.blanks)
		t.blanks = ""
	}
	t.shown = t.shown || out.Len() > 0
	return out.String()
}

// takeNext processes the next part of the held text. It returns false if it needs more text.
func (t *thoughtFilter) takeNext(out *strings.Builder, final bool) bool {
	switch {
	case t.past:
		t.passText(out, len(t.held))
		return true
	case t.unmarked:
		return t.skipUnmarked(final)
	case t.end != "":
		return t.skipThought(final)
	}
	starts := markStarts
	if t.frontOnly {
		starts += "{"
	}
	at := strings.IndexAny(t.held, starts)
	if at < 0 {
		at = len(t.held)
	}
	t.passText(out, at)
	switch {
	case t.held == "":
		return true
	case t.held[0] == '{':
		t.past = true
		return true
	}
	return t.takeMark(out, final)
}

// takeMark processes a mark, or passes on one character that does not begin a mark.
func (t *thoughtFilter) takeMark(out *strings.Builder, final bool) bool {
	mayBe := false
	for _, m := range thoughtMarks {
		switch {
		case hasPrefixFold(t.held, m.begin):
			t.end, t.blanks, t.held = m.end, "", t.held[len(m.begin):]
			return true
		case hasPrefixFold(t.held, m.end): // The text before it was a thought.
			out.Reset()
			t.endOnly, t.trims, t.blanks, t.spoken = true, true, "", false
			t.withdrawn = t.withdrawn || t.shown
			t.held = t.held[len(m.end):]
			return true
		}
		mayBe = mayBe || hasPrefixFold(m.begin, t.held) || hasPrefixFold(m.end, t.held)
	}
	if mayBe && !final {
		return false
	}
	_, size := utf8.DecodeRuneInString(t.held)
	t.passText(out, size)
	return true
}

func (t *thoughtFilter) skipUnmarked(final bool) bool {
	for _, m := range thoughtMarks {
		at := indexFold(t.held, m.end)
		if at < 0 && indexFold(t.held, m.begin) < 0 {
			continue
		}
		t.unmarked = false
		if at >= 0 && !strings.HasPrefix(strings.TrimSpace(t.held), m.begin) {
			t.endOnly, t.trims = true, true
			t.held = t.held[at+len(m.end):]
		}
		return true
	}
	t.unmarked = !final
	return final
}

func (t *thoughtFilter) skipThought(final bool) bool {
	at := indexFold(t.held, t.end)
	switch {
	case at >= 0:
		t.held = t.held[at+len(t.end):]
		t.end, t.trims = "", true
	case final:
		t.held = ""
	default:
		t.held = t.held[max(0, len(t.held)-longestMark):]
		return false
	}
	return true
}

// passText passes on the first n bytes of the held text.
func (t *thoughtFilter) passText(out *strings.Builder, n int) {
	text := t.held[:n]
	t.held = t.held[n:]
	if t.trims && (!t.spoken || unicode.IsSpace(t.last)) {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if text == "" {
		return
	}
	t.trims = false
	if !t.spoken {
		t.blanks += text
		if strings.TrimSpace(text) == "" {
			return
		}
		t.spoken, text, t.blanks = true, t.blanks, ""
	}
	out.WriteString(text)
	t.last, _ = utf8.DecodeLastRuneInString(text)
}

func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

func indexFold(text, mark string) int {
	for i := range text {
		if hasPrefixFold(text[i:], mark) {
			return i
		}
	}
	return -1
}
