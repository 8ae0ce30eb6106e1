package intent

import (
	"hash/fnv"
	"slices"
	"testing"
)

// TestWholeLinesAreLookedUp: a message meets only the rules that can begin with its first word.
func TestWholeLinesAreLookedUp(t *testing.T) {
	for _, language := range talkLanguages {
		texts, err := readTalkTexts(language)
		if err != nil {
			t.Fatal(err)
		}
		table := newTalkTable(texts.SmallTalk)
		if n := len(table.whole.any) + len(table.inside.any); n > 6 {
			t.Errorf("%s: %d expressions are tried on every message", language, n)
		}
	}
}

// TestFirstWords: a pattern is looked up by the words with which it can begin.
func TestFirstWords(t *testing.T) {
	for expression, want := range map[string][]string{
		"test": {"test "}, "(so |and )?(do|did) you": {"and did ", "and do ", "did you ", "do you ", "so did ", "so do "},
		"how \\w+": {"how "}, "hm+ no": nil, "(oh |ah )*yes( sir)?": {"ah ", "oh ", "yes "},
	} {
		if got := firstWords(expression); !slices.Equal(got, want) {
			t.Errorf("%q begins with %q, want %q", expression, got, want)
		}
	}
}

// TestCuesAreHashed as the table of the classifiers has them.
func TestCuesAreHashed(t *testing.T) {
	for _, parts := range [][3]string{{"", "", ""}, {"*", "zahlen", "über"}, {`"`, "<", "i"}} {
		h := fnv.New32a()
		_, _ = h.Write([]byte(parts[0] + "|" + parts[1] + " " + parts[2]))
		if got := hashCue(parts[0], parts[1], parts[2]); got != h.Sum32() {
			t.Errorf("%q: %d, want %d", parts, got, h.Sum32())
		}
	}
}
