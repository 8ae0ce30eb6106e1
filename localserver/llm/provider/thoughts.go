package provider

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// thoughtMark is a pair of marks around a model's thought, which some servers leave in the text.
type thoughtMark struct{ begin, end string }

// thoughtMarks are the marks of known models, in any case.
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
	// markStarts are the first characters of marks and of code.
	markStarts = "<[◁`"
	// longestMark is the length of the longest mark in bytes.
	longestMark = 30
	// longestSpan is the number of bytes that are searched for the end of inline code.
	longestSpan = 200
)

// thoughtFilter removes a model's thoughts anywhere in an answer. Marks in code are ignored,
// because code mentions them.
type thoughtFilter struct {
	// held is text that may belong to a thought or to the answer.
	held string
	// mark are the marks of the current thought, and depth counts nested thoughts. After an end mark
	// inside the thought closed is set, and behind is the text after the last end mark.
	mark   thoughtMark
	depth  int
	closed bool
	behind strings.Builder
	// fence is the end mark of the current block of code.
	fence string
	// blanks precede the first word, after which spoken is set. shown is set after the first emitted
	// text, and last is the last emitted character.
	blanks        string
	spoken, shown bool
	last          rune
	// trims drops the blanks after a thought.
	trims bool
	// frontOnly stops the filter at the first brace, so that an answer in JSON is not changed. past is
	// set after the stop.
	frontOnly, past bool
	// unmarked means that the text begins with a thought that has an end mark alone. judged is set
	// when that is known, and endOnly if the answer had such a thought.
	unmarked, judged, endOnly bool
	// withdrawn means that emitted text turned out to be a thought.
	withdrawn bool
}

func (t *thoughtFilter) isOpen() bool { return t.depth > 0 || t.unmarked }

func (t *thoughtFilter) filterText(delta string, final bool) string {
	var out strings.Builder
	t.held += delta
	if !t.judged && !t.frontOnly && !t.unmarked {
		if t.unmarked, t.judged = soundsAloud(t.held, final); !t.judged {
			return ""
		}
	}
	for t.held != "" && t.takeNext(&out, final) {
	}
	if final {
		out.WriteString(t.blanks)
		t.blanks = ""
	}
	t.shown = t.shown || out.Len() > 0
	return out.String()
}

// processes the next part of the held text, or returns false if it needs more text.
func (t *thoughtFilter) takeNext(out *strings.Builder, final bool) bool {
	switch {
	case t.past:
		return t.passText(out, len(t.held))
	case t.unmarked:
		return t.skipUnmarked(final)
	case t.depth > 0:
		return t.skipThought(final)
	case t.fence != "":
		return t.passBlock(out, final)
	}
	starts := markStarts
	if t.frontOnly {
		starts += "{"
	}
	at := strings.IndexAny(t.held, starts)
	if at < 0 {
		return t.passText(out, len(t.held))
	}
	t.passText(out, at)
	switch t.held[0] {
	case '{':
		t.past = true
		return true
	case '`':
		return t.passCode(out, final)
	}
	return t.takeMark(out, final)
}

// takeMark processes a mark, or passes on one character that does not begin a mark.
func (t *thoughtFilter) takeMark(out *strings.Builder, final bool) bool {
	mayBe := false
	for _, m := range thoughtMarks {
		switch {
		case hasPrefixFold(t.held, m.begin):
			t.mark, t.depth, t.closed = m, 1, false
			t.behind.Reset()
			t.blanks = ""
			t.dropHeld(len(m.begin))
			return true
		case hasPrefixFold(t.held, m.end):
			t.dropUnmarked(out, m)
			return true
		}
		mayBe = mayBe || hasPrefixFold(m.begin, t.held) || hasPrefixFold(m.end, t.held)
	}
	if mayBe && !final {
		return false
	}
	_, size := utf8.DecodeRuneInString(t.held)
	return t.passText(out, size)
}

// dropUnmarked processes an end mark without a begin mark. The text before the mark is a thought,
// and its emitted part is withdrawn.
func (t *thoughtFilter) dropUnmarked(out *strings.Builder, m thoughtMark) {
	out.Reset()
	t.endOnly, t.trims, t.blanks, t.spoken = true, true, "", false
	t.withdrawn = t.withdrawn || t.shown
	t.dropHeld(len(m.end))
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
			t.dropHeld(at + len(m.end))
		}
		return true
	}
	t.unmarked = !final
	return final
}

// skipThought drops a thought and its nested thoughts. If the last end mark is missing, the answer
// continues after the last end mark found.
func (t *thoughtFilter) skipThought(final bool) bool {
	end, begin := indexFold(t.held, t.mark.end), indexFold(t.held, t.mark.begin)
	switch {
	case begin >= 0 && (end < 0 || begin < end):
		t.depth++
		t.dropHeld(begin + len(t.mark.begin))
	case end >= 0:
		t.depth--
		t.closed, t.trims = true, true
		t.behind.Reset()
		t.held = t.held[end+len(t.mark.end):]
	case final && t.closed:
		t.depth, t.held = 0, t.behind.String()+t.held
	case final:
		t.held = ""
	default:
		t.dropHeld(max(0, len(t.held)-longestMark))
		return false
	}
	return true
}

func (t *thoughtFilter) passCode(out *strings.Builder, final bool) bool {
	run := t.held[:len(t.held)-len(strings.TrimLeft(t.held, "`"))]
	if len(run) == len(t.held) && !final {
		return false
	}
	if len(run) >= 3 && (!t.spoken || t.last == '\n') {
		t.fence = run
		return t.passText(out, len(run))
	}
	if unicode.IsLetter(t.last) || unicode.IsDigit(t.last) {
		return t.passText(out, len(run))
	}
	line, _, whole := strings.Cut(t.held[len(run):], "\n")
	if end := strings.Index(line, run); end >= 0 {
		return t.passText(out, end+2*len(run))
	}
	if !whole && !final && len(line) < longestSpan {
		return false
	}
	return t.passText(out, len(run))
}

func (t *thoughtFilter) passBlock(out *strings.Builder, final bool) bool {
	if end := strings.Index(t.held, t.fence); end >= 0 {
		n := end + len(t.fence)
		t.fence = ""
		return t.passText(out, n)
	}
	if final {
		return t.passText(out, len(t.held))
	}
	t.passText(out, max(0, len(strings.TrimRight(t.held, "`"))))
	return false
}

// passText passes on the first n bytes of the held text. It always returns true.
func (t *thoughtFilter) passText(out *strings.Builder, n int) bool {
	text := t.held[:n]
	t.held = t.held[n:]
	if t.trims && (!t.spoken || unicode.IsSpace(t.last)) {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if text == "" {
		return true
	}
	t.trims = false
	if !t.spoken {
		t.blanks += text
		if strings.TrimSpace(text) == "" {
			return true
		}
		t.spoken, text, t.blanks = true, t.blanks, ""
	}
	out.WriteString(text)
	t.last, _ = utf8.DecodeLastRuneInString(text)
	return true
}

func (t *thoughtFilter) dropHeld(n int) {
	if t.closed && t.depth > 0 {
		t.behind.WriteString(t.held[:n])
	}
	t.held = t.held[n:]
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
