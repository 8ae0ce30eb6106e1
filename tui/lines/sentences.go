package lines

import (
	"strings"
	"unicode"

	"github.com/parley-npc/parley/tui/terminal"
)

// sentenceSplitter turns a text in pieces into whole sentences, clean and without visual markup. It
// passes each to say; first is true for the first one.
type sentenceSplitter struct {
	say     func(sentence string, first bool)
	cleaner terminal.Cleaner
	heard   strings.Builder // all that was cleaned
	pending strings.Builder
	end     endFinder // what is known of pending
	spoken  bool
}

// addWords takes words as they come.
func (s *sentenceSplitter) addWords(piece string) { s.takeClean(s.cleaner.Add(piece)) }

// endWords reports what is left.
func (s *sentenceSplitter) endWords() {
	s.takeClean(s.cleaner.End())
	s.sayPending()
}

func (s *sentenceSplitter) takeClean(clean string) {
	s.heard.WriteString(clean)
	for _, r := range clean {
		s.pending.WriteRune(r)
		if s.end.passRune(r) {
			s.sayPending()
		}
	}
}

func (s *sentenceSplitter) sayPending() {
	text := strings.Join(strings.Fields(stripMarks(s.pending.String())), " ")
	s.pending.Reset()
	s.end = endFinder{}
	if text == "" {
		return
	}
	s.say(text, !s.spoken)
	s.spoken = true
}

// unheardRest returns the part of a whole text that was not printed. It returns false and the whole
// text if the printed part differs from its beginning.
func (s *sentenceSplitter) unheardRest(whole string) (string, bool) {
	if rest, begins := strings.CutPrefix(terminal.CleanLines(whole), s.heard.String()); begins {
		return rest, true
	}
	return whole, false
}

// endFinder finds the ends of sentences in a text in one pass, character by character: at a line
// end, or at a space after a mark that ends a sentence.
type endFinder struct {
	begun  bool // a character was seen
	ended  bool // a mark that ends a sentence was, and since then only what closes
	word   int  // characters since the last space
	digits bool // they are digits
}

// passRune takes the next character, and reports whether a sentence ends with it.
func (e *endFinder) passRune(r rune) (ends bool) {
	space := unicode.IsSpace(r)
	switch {
	case r == '\n', e.ended && space:
		ends = true
	case strings.ContainsRune(".!?…", r):
		e.ended = e.begun && !e.isAtInitial()
	case strings.ContainsRune("。！？", r): // Nothing stands behind these.
		ends = true
	case strings.ContainsRune("\"'”’)*_»", r): // What closes belongs to its sentence.
	default:
		e.ended = false
	}
	e.begun = true
	if e.word++; space {
		e.word = 0
	}
	e.digits = r >= '0' && r <= '9' && (e.digits || e.word == 1)
	return ends
}

// isAtInitial reports whether the text ends in a number or a single letter, whose dot does not end
// a sentence: "1." in a list, "J. Doe".
func (e *endFinder) isAtInitial() bool { return e.word > 0 && e.digits || e.word == 1 }

// stripMarks removes the marks of emphasis, code and lists, which are noise when read aloud. It
// keeps the words.
func stripMarks(text string) string {
	text = strings.TrimSpace(text)
	for _, mark := range []string{"# ", "## ", "### ", "> ", "- ", "* "} {
		text = strings.TrimPrefix(text, mark)
	}
	return strings.NewReplacer("**", "", "__", "", "*", "", "`", "").Replace(text)
}
