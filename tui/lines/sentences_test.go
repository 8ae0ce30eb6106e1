package lines

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
)

// wholeSentence returns how much of a text is a whole sentence, by looking at all of it.
func wholeSentence(text []rune) int {
	ended := false
	for i, r := range text {
		switch {
		case r == '\n', ended && unicode.IsSpace(r), strings.ContainsRune("。！？", r):
			return i + 1
		case strings.ContainsRune(".!?…", r):
			from := i
			for from > 0 && !unicode.IsSpace(text[from-1]) {
				from--
			}
			word := string(text[from:i])
			number := word != "" && strings.Trim(word, "0123456789") == ""
			ended = i > 0 && !number && utf8.RuneCountInString(word) != 1
		case !strings.ContainsRune("\"'”’)*_»", r):
			ended = false
		}
	}
	return 0
}

// endFinder finds the same ends as wholeSentence, which looks at the whole text.
func TestSentencesEndWhereTheRuleSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]rune("ab1 .!?…\"'*_\n\u00a0é。J")), 0, 40).Draw(t, "text")
		var want []string
		for rest := text; len(rest) > 0; {
			n := wholeSentence(rest)
			if n == 0 {
				n = len(rest)
			}
			if said := strings.Join(strings.Fields(stripMarks(string(rest[:n]))), " "); said != "" {
				want = append(want, said)
			}
			rest = rest[n:]
		}
		if got := voiced(string(text), 3); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", string(text), got, want)
		}
	})
}

// TestALongReplyIsReadOnce: a reply without a sentence end costs linear time, even in small pieces.
func TestALongReplyIsReadOnce(t *testing.T) {
	for _, text := range []string{strings.Repeat(".", 64000), strings.Repeat("a b ", 16000), strings.Repeat("word.", 12800)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		voiced(text, 1)
		runtime.ReadMemStats(&after)
		bytes := after.TotalAlloc - before.TotalAlloc
		assert.True(t, bytes <= 16<<20, "%.10q...: %d bytes for %d characters", text, bytes, len(text))
	}
}
