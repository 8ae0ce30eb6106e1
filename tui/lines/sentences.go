package lines

import (
	"strings"
	"unicode"

	"github.com/parley-npc/parley/tui/terminal"
)

type sentenceSplitter struct {
	say     func(sentence string, first bool)
	cleaner terminal.Cleaner
	text    strings.Builder
	pending strings.Builder
	end     endFinder
	spoken  bool
}

func (s *sentenceSplitter) addWords(piece string) { s.takeClean(s.cleaner.Add(piece)) }

func (s *sentenceSplitter) endWords() {
	s.takeClean(s.cleaner.End())
	s.sayPending()
}

func (s *sentenceSplitter) takeClean(clean string) {
	s.text.WriteString(clean)
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

type endFinder struct {
	begun  bool
	ended  bool
	word   int // characters since the last space
	digits bool
}

func (e *endFinder) passRune(r rune) (ends bool) {
	space := unicode.IsSpace(r)
	switch {
	case r == '\n', e.ended && space:
		ends = true
	case strings.ContainsRune(".!?…", r):
		e.ended = e.begun && !e.isAtInitial()
	case strings.ContainsRune("。！？", r):
		ends = true
	case strings.ContainsRune("\"'”’)*_»", r):
	default:
		e.ended = false
	}
	e.begun = true
	e.word++
	if space {
		e.word = 0
	}
	e.digits = r >= '0' && r <= '9' && (e.digits || e.word == 1)
	return ends
}

// isAtInitial is true in "1." and "J. Doe", because these dots do not end a sentence.
func (e *endFinder) isAtInitial() bool { return e.word > 0 && e.digits || e.word == 1 }

// stripMarks removes marks of Markdown, because a screen reader would read the marks aloud.
func stripMarks(text string) string {
	text = strings.TrimSpace(text)
	for _, mark := range []string{"# ", "## ", "### ", "> ", "- ", "* "} {
		text = strings.TrimPrefix(text, mark)
	}
	return strings.NewReplacer("**", "", "__", "", "*", "", "`", "").Replace(text)
}
