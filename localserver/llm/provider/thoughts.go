package provider

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

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

// The servers of these models often leave a thought without a begin mark in the text.
var modelsThatThinkAloud = plaintext.Pattern(`(?i)(?:^|[^a-z0-9])(?:r1|qwq|thinking|reasoning|reasoner|thinker|magistral|deepthink|marco-o1|openthinker)(?:[^a-z0-9]|$)`)

type thoughtFilter struct {
	held          string
	end           string
	blanks        string
	spoken, shown bool
	last          rune
	trims         bool
	// frontOnly stops the filter at the first brace, to leave JSON unchanged.
	frontOnly, pastFront bool
	unmarked, endOnly    bool
	withdrawn            bool
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

func (t *thoughtFilter) takeNext(out *strings.Builder, final bool) bool {
	switch {
	case t.pastFront:
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
	index := strings.IndexAny(t.held, starts)
	if index < 0 {
		index = len(t.held)
	}
	t.passText(out, index)
	switch {
	case t.held == "":
		return true
	case t.held[0] == '{':
		t.pastFront = true
		return true
	}
	return t.takeMark(out, final)
}

func (t *thoughtFilter) takeMark(out *strings.Builder, final bool) bool {
	mayBe := false
	for _, mark := range thoughtMarks {
		switch {
		case hasPrefixFold(t.held, mark.begin):
			t.end, t.blanks, t.held = mark.end, "", t.held[len(mark.begin):]
			return true
		case hasPrefixFold(t.held, mark.end): // The text before it was a thought.
			out.Reset()
			t.endOnly, t.trims, t.blanks, t.spoken = true, true, "", false
			t.withdrawn = t.withdrawn || t.shown
			t.held = t.held[len(mark.end):]
			return true
		}
		mayBe = mayBe || hasPrefixFold(mark.begin, t.held) || hasPrefixFold(mark.end, t.held)
	}
	if mayBe && !final {
		return false
	}
	_, size := utf8.DecodeRuneInString(t.held)
	t.passText(out, size)
	return true
}

func (t *thoughtFilter) skipUnmarked(final bool) bool {
	for _, mark := range thoughtMarks {
		index := indexFold(t.held, mark.end)
		if index < 0 && indexFold(t.held, mark.begin) < 0 {
			continue
		}
		t.unmarked = false
		if index >= 0 && !strings.HasPrefix(strings.TrimSpace(t.held), mark.begin) {
			t.endOnly, t.trims = true, true
			t.held = t.held[index+len(mark.end):]
		}
		return true
	}
	t.unmarked = !final
	return final
}

func (t *thoughtFilter) skipThought(final bool) bool {
	index := indexFold(t.held, t.end)
	switch {
	case index >= 0:
		t.held = t.held[index+len(t.end):]
		t.end, t.trims = "", true
	case final:
		t.held = ""
	default:
		t.held = t.held[max(0, len(t.held)-longestMark):]
		return false
	}
	return true
}

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
