package hosted

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// A label is a name at the beginning of a line, for example "Mara:".
type labelMatch int

const (
	noLabel labelMatch = iota
	maybeLabel
	isLabel
)

const (
	// Characters around a name, as in "**Mara:**", "### Mara:" or "[Mara]:".
	labelMarks    = "*_#>[] \t"
	maxLabelMarks = 8 // bytes before a name
)

// A speakerFilter ends a text before another speaker's label, and removes the character's own first
// label. A name within a line is not a label.
type speakerFilter struct {
	ownLabels, others []string
	fresh             bool // the next text begins a line
	trims             bool // blanks are dropped
	begun             bool // text was emitted
	held              string
	cut               bool
}

func (f *speakerFilter) filterPiece(delta string) string { return f.filterText(delta, false) }

func (f *speakerFilter) releaseHeld() string {
	return f.filterText("", true)
}

func (f *speakerFilter) filterText(delta string, final bool) string {
	var out strings.Builder
	text := f.held + delta
	f.held = ""
	for text != "" && !f.cut {
		text = f.takeLine(text, final, &out)
	}
	return out.String()
}

func (f *speakerFilter) takeLine(text string, final bool, out *strings.Builder) string {
	line := strings.TrimLeftFunc(text, unicode.IsSpace)
	lead := 0
	if f.trims {
		text = line
	}
	if f.fresh {
		end, other := f.findLabel(line, final)
		switch {
		case other == isLabel:
			f.cut = true
			return ""
		case end > 0:
			f.trims = true
			return line[end:]
		case line == "" || other == maybeLabel:
			f.held = text
			return ""
		}
		lead = len(text) - len(line)
	}
	if text == "" {
		return ""
	}
	f.fresh, f.trims, f.begun = false, false, true
	end := strings.IndexAny(text[lead:], "\n\r")
	if end < 0 {
		out.WriteString(text)
		return ""
	}
	// Blanks at the end of a line are held back, and dropped if nothing follows.
	length := len(strings.TrimRightFunc(text[:lead+end], unicode.IsSpace))
	out.WriteString(text[:length])
	f.fresh = true
	return text[length:]
}

func (f *speakerFilter) findLabel(line string, final bool) (ownEnd int, other labelMatch) {
	if _, other = matchLabel(line, f.others, final); other == isLabel || f.begun {
		return 0, other
	}
	end, match := matchLabel(line, f.ownLabels, final)
	switch match {
	case isLabel:
		return end, noLabel
	case maybeLabel:
		return 0, maybeLabel
	}
	return 0, other
}

func matchLabel(text string, names []string, final bool) (end int, match labelMatch) {
	start := len(text) - len(strings.TrimLeft(text, labelMarks))
	if start > maxLabelMarks {
		return 0, noLabel
	}
	for _, name := range names {
		index, one := matchName(text[start:], name)
		if one == isLabel {
			index, one = matchColon(text[start+index:], start+index)
		}
		if one == maybeLabel && final {
			one = noLabel
			if index > 0 { // the text ends after the colon
				one = isLabel
			}
		}
		if one == isLabel {
			return index, isLabel
		}
		match = max(match, one)
	}
	return 0, match
}

func matchName(text, name string) (end int, match labelMatch) {
	for _, want := range name {
		r, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case size == 0:
			return 0, maybeLabel
		case unicode.ToLower(r) != unicode.ToLower(want):
			return 0, noLabel
		}
		end += size
	}
	return end, isLabel
}

// labelEnd matches a colon after marks and an optional note in brackets. openLabel matches an
// incomplete labelEnd.
var (
	labelEnd  = plaintext.Pattern(`^[*_#>\[\] \t]*(?:\([^\n:)]{0,39}\)[*_#>\[\] \t]*)?[:：][*_\]]*`)
	openLabel = plaintext.Pattern(`^[*_#>\[\] \t]*(?:\([^\n:)]{0,39}(?:\)[*_#>\[\] \t]*)?)?$`)
)

// matchColon rejects a colon that begins a smiley. end is 0 if the text ends before the colon.
func matchColon(rest string, offset int) (end int, match labelMatch) {
	label := labelEnd().FindString(rest)
	switch {
	case label == "" && openLabel().MatchString(rest):
		return 0, maybeLabel
	case label == "":
		return 0, noLabel
	case label == rest:
		return offset + len(label), maybeLabel
	}
	next, _ := utf8.DecodeRuneInString(rest[len(label):])
	isApart := strings.HasSuffix(strings.TrimRight(label, "*_]:："), " ") // "Mara : bonjour", but "Mara :)"
	if strings.ContainsRune(")(", next) || isApart && !unicode.IsSpace(next) {
		return 0, noLabel
	}
	return offset + len(label), isLabel
}
