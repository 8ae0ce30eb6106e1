package lines

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/tui/terminal"
)

// sentenceSplitter gives a text that comes in pieces as whole sentences, clean and without
// marks that are only for the eye. say is told each, and whether it is the first.
type sentenceSplitter struct {
	say     func(sentence string, first bool)
	cleaner terminal.Cleaner
	heard   strings.Builder // all that was cleaned
	pending string
	spoken  bool
}

// addWords takes words as they come.
func (s *sentenceSplitter) addWords(piece string) { s.takeClean(s.cleaner.Add(piece)) }

// endWords says what is left.
func (s *sentenceSplitter) endWords() {
	s.takeClean(s.cleaner.End())
	s.sayPart(s.pending)
	s.pending = ""
}

func (s *sentenceSplitter) takeClean(clean string) {
	s.heard.WriteString(clean)
	s.pending += clean
	for {
		n := endOfSentence(s.pending)
		if n == 0 {
			return
		}
		s.sayPart(s.pending[:n])
		s.pending = s.pending[n:]
	}
}

func (s *sentenceSplitter) sayPart(text string) {
	text = strings.Join(strings.Fields(stripMarks(text)), " ")
	if text == "" {
		return
	}
	s.say(text, !s.spoken)
	s.spoken = true
}

// unheardRest is what a whole text has beyond what was heard; false when something else
// was heard, then it is the whole text.
func (s *sentenceSplitter) unheardRest(whole string) (string, bool) {
	if rest, begins := strings.CutPrefix(terminal.CleanLines(whole), s.heard.String()); begins {
		return rest, true
	}
	return whole, false
}

// endOfSentence is how much of a text is a whole sentence: up to a line end, or up
// to a mark that ends one with a space behind it. 0 is none yet.
func endOfSentence(text string) int {
	ended := false
	for i, r := range text {
		switch {
		case r == '\n':
			return i + 1
		case ended && unicode.IsSpace(r):
			return i + utf8.RuneLen(r)
		case strings.ContainsRune(".!?…", r):
			ended = i > 0 && !endsInInitial(text[:i])
		case strings.ContainsRune("。！？", r): // Nothing stands behind these.
			return i + utf8.RuneLen(r)
		case strings.ContainsRune("\"'”’)*_»", r): // What closes belongs to its sentence.
		default:
			ended = false
		}
	}
	return 0
}

// endsInInitial tells whether a text ends in a number or a single letter, whose dot
// ends no sentence: "1." in a list, "J. Doe".
func endsInInitial(text string) bool {
	word := text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
	digits := strings.Trim(word, "0123456789") == ""
	return word != "" && digits || utf8.RuneCountInString(word) == 1
}

// stripMarks takes away the marks of emphasis, code and lists, which are read
// aloud as noise. What is said stays.
func stripMarks(text string) string {
	text = strings.TrimSpace(text)
	for _, mark := range []string{"# ", "## ", "### ", "> ", "- ", "* "} {
		text = strings.TrimPrefix(text, mark)
	}
	return strings.NewReplacer("**", "", "__", "", "*", "", "`", "").Replace(text)
}
