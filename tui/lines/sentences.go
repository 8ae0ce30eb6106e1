package lines

import (
	"strings"
	"unicode"

	"github.com/parley-npc/parley/tui/terminal"
)

// A sentenceSplitter splits a text that arrives in pieces into sentences without markup. It calls
// say with each complete sentence.
type sentenceSplitter struct {
	say     func(sentence string, first bool)
	cleaner terminal.Cleaner
	heard   strings.Builder // all cleaned text so far
	pending strings.Builder // the sentence that is not complete yet
	end     endFinder       // the state of the search at the end of pending
	spoken  bool
}

func (s *sentenceSplitter) addWords(piece string) { s.takeClean(s.cleaner.Add(piece)) }

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

// endFinder finds the ends of sentences: a line end, or a space after a full stop, question mark or
// exclamation mark.
type endFinder struct {
	begun  bool // a character was seen
	ended  bool // the last characters are a mark that ends a sentence and perhaps closing marks
	word   int  // characters since the last space
	digits bool // the characters since the last space are all digits
}

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

// isAtInitial reports whether the text ends in a number or a single letter. A dot there does not
// end a sentence ("1." or "J. Doe").
func (e *endFinder) isAtInitial() bool { return e.word > 0 && e.digits || e.word == 1 }

// stripMarks removes the marks of Markdown, because a screen reader would read them aloud.
func stripMarks(text string) string {
	text = strings.TrimSpace(text)
	for _, mark := range []string{"# ", "## ", "### ", "> ", "- ", "* "} {
		text = strings.TrimPrefix(text, mark)
	}
	return strings.NewReplacer("**", "", "__", "", "*", "", "`", "").Replace(text)
}
