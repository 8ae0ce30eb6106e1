package lines

import (
	"strings"
	"unicode"

	"github.com/parley-npc/parley/tui/terminal"
)

// A sentenceSplitter splits a text that arrives in pieces into sentences, and removes control
// characters and markup. It calls say with each complete sentence. The argument first is true for
// the first one.
type sentenceSplitter struct {
	say     func(sentence string, first bool)
	cleaner terminal.Cleaner
	heard   strings.Builder // all cleaned text so far
	pending strings.Builder // the sentence that is not complete yet
	end     endFinder       // the state of the search at the end of pending
	spoken  bool
}

func (s *sentenceSplitter) addWords(piece string) { s.takeClean(s.cleaner.Add(piece)) }

// endWords ends the text and calls say with the last sentence.
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

// unheardRest returns the part of a complete text that follows the words added so far. If the text
// does not begin with these words, it returns the complete text and false.
func (s *sentenceSplitter) unheardRest(text string) (string, bool) {
	if rest, begins := strings.CutPrefix(terminal.CleanLines(text), s.heard.String()); begins {
		return rest, true
	}
	return text, false
}

// endFinder finds the ends of sentences in one pass over the characters of a text. A sentence ends
// at a line end, or at a space after a full stop, question mark or exclamation mark.
type endFinder struct {
	begun  bool // a character was seen
	ended  bool // the last characters are a mark that ends a sentence and perhaps closing marks
	word   int  // characters since the last space
	digits bool // the characters since the last space are all digits
}

// passRune adds the next character and reports whether a sentence ends with it.
func (e *endFinder) passRune(r rune) (ends bool) {
	space := unicode.IsSpace(r)
	switch {
	case r == '\n', e.ended && space:
		ends = true
	case strings.ContainsRune(".!?…", r):
		e.ended = e.begun && !e.isAtInitial()
	case strings.ContainsRune("。！？", r): // No space follows these.
		ends = true
	case strings.ContainsRune("\"'”’)*_»", r): // Closing marks belong to the sentence before them.
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

// isAtInitial reports whether the text ends in a number or a single letter. A dot after these does
// not end a sentence, as in a list ("1.") or after an initial ("J. Doe").
func (e *endFinder) isAtInitial() bool { return e.word > 0 && e.digits || e.word == 1 }

// stripMarks removes the Markdown marks of headings, lists, emphasis and code, which a screen
// reader would read aloud.
func stripMarks(text string) string {
	text = strings.TrimSpace(text)
	for _, mark := range []string{"# ", "## ", "### ", "> ", "- ", "* "} {
		text = strings.TrimPrefix(text, mark)
	}
	return strings.NewReplacer("**", "", "__", "", "*", "", "`", "").Replace(text)
}
