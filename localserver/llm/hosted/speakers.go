package hosted

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// labelMatch reports whether a line begins with a speaker's label, such as "Mara:".
type labelMatch int

const (
	noLabel labelMatch = iota
	// maybeLabel means that the text so far may become a label.
	maybeLabel
	isLabel
)

const (
	// labelMarks are characters that may surround a name, as in "**Mara:**", "### Mara:" and
	// "[Mara]:".
	labelMarks = "*_#>[] \t"
	// maxLabelMarks is the maximum length of the marks before a name, in bytes. maxLabelNote is the
	// maximum length of a note in brackets after the name, as in "Mara (laughing):".
	maxLabelMarks, maxLabelNote = 8, 40
)

// speakerFilter ends a text where it continues as another speaker, and removes the character's own
// name at the beginning of the text. A label is recognized only at the beginning of a line, because
// a name elsewhere belongs to the character's words.
type speakerFilter struct {
	own, others []string
	// fresh is set if held, or the next piece if held is empty, is at the beginning of a line.
	// trims is set while blanks are dropped. begun is set after something was emitted.
	fresh, trims, begun bool
	held                string
	// cut is set when the text continued as another speaker.
	cut bool
}

func newSpeakerFilter(own, others []string) speakerFilter {
	return speakerFilter{own: own, others: others, fresh: true}
}

// filterPiece returns the part of a piece that certainly belongs to the character's words.
func (f *speakerFilter) filterPiece(delta string) string { return f.filterText(delta, false) }

// releaseHeld must be called at the end of the text. It returns the text that was held back.
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

// takeLine processes the part of text that belongs to one line, and returns the rest.
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
	// Blanks at the end of a line are held back too. If nothing follows, they are dropped.
	kept := len(strings.TrimRightFunc(text[:lead+end], unicode.IsSpace))
	out.WriteString(text[:kept])
	f.fresh = true
	return text[kept:]
}

// findLabel examines the beginning of a line. ownEnd is the end of the character's own label, if
// the line is the first one. other reports whether the line begins with another speaker's label.
func (f *speakerFilter) findLabel(line string, final bool) (ownEnd int, other labelMatch) {
	if _, other = matchLabel(line, f.others, final); other == isLabel || f.begun {
		return 0, other
	}
	end, own := matchLabel(line, f.own, final)
	switch own {
	case isLabel:
		return end, noLabel
	case maybeLabel:
		return 0, maybeLabel
	}
	return 0, other
}

// matchLabel reports whether a text begins with a label for one of the names, and returns the end
// of the label. final is true if the text is complete.
func matchLabel(text string, names []string, final bool) (end int, match labelMatch) {
	start := len(text) - len(strings.TrimLeft(text, labelMarks))
	if start > maxLabelMarks {
		return 0, noLabel
	}
	for _, name := range names {
		at, one := matchName(text[start:], name)
		if one == isLabel {
			at, one = matchColon(text[start+at:], start+at)
		}
		if one == maybeLabel && final {
			one = noLabel
			if at > 0 { // The text ends after the colon.
				one = isLabel
			}
		}
		if one == isLabel {
			return at, isLabel
		}
		match = max(match, one)
	}
	return 0, match
}

// matchName reports whether a text begins with a name, ignoring case.
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

// matchColon reports whether the text after a name makes the name a label. Such a text consists of
// optional marks, an optional note in brackets, and a colon that does not begin a smiley. offset is
// the position of rest in the whole text. end is 0 if the colon may still follow.
func matchColon(rest string, offset int) (end int, match labelMatch) {
	text := strings.TrimLeft(rest, labelMarks)
	if strings.HasPrefix(text, "(") {
		note, behind, closed := strings.Cut(text, ")")
		switch {
		case len(note) > maxLabelNote || strings.ContainsAny(note, "\n:"):
			return 0, noLabel
		case !closed:
			return 0, maybeLabel
		}
		text = strings.TrimLeft(behind, labelMarks)
	}
	if text == "" {
		return 0, maybeLabel
	}
	gap := rest[:len(rest)-len(text)]
	behind, ok := strings.CutPrefix(text, ":")
	if !ok {
		behind, ok = strings.CutPrefix(text, "：")
	}
	if !ok {
		return 0, noLabel
	}
	closed := strings.TrimLeft(behind, "*_]")
	end = offset + len(rest) - len(closed)
	next, size := utf8.DecodeRuneInString(closed)
	isApart := strings.HasSuffix(gap, " ") // "Mara : bonjour", but "Mara :)"
	switch {
	case size == 0:
		return end, maybeLabel
	case strings.ContainsRune(")(", next), isApart && !unicode.IsSpace(next):
		return 0, noLabel
	}
	return end, isLabel
}
