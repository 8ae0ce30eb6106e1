package nlu

import (
	"hash/fnv"
	"slices"
	"strings"
	"testing"
)

// TestWholeLinesAreLookedUp: a message meets only the rules that can begin with its first word.
func TestWholeLinesAreLookedUp(t *testing.T) {
	for language, rules := range talkRules {
		table := newTalkTable(rules)
		if n := len(table.whole.any) + len(table.inside.any); n > 6 {
			t.Errorf("%s: %d expressions are tried on every message", language, n)
		}
	}
}

// TestExpressionsOfTalk: all expressions can be compiled, which is done when they are first tried,
// and each matches only texts that begin as it is looked up by.
func TestExpressionsOfTalk(t *testing.T) {
	for _, all := range []map[string][]talkRule{talkRules, hostileRules} {
		for language, rules := range all {
			for i, l := range newTalkTable(rules).lines {
				if l.words() == nil {
					t.Errorf("%s: line %d", language, i)
				}
			}
		}
	}
	for expression, want := range map[string][]string{
		"test": {"test "}, "(so |and )?(do|did) you": {"and did ", "and do ", "did you ", "do you ", "so did ", "so do "},
		"how \\w+": {"how "}, "hm+ no": nil, "(oh |ah )*yes( sir)?": {"ah ", "oh ", "yes "},
	} {
		if got := firstWords(expression); !slices.Equal(got, want) {
			t.Errorf("%q begins with %q, want %q", expression, got, want)
		}
	}
}

// TestPhrasesBehindManyWords: who gives up or curses is heard however late in a clause, how he
// stands to what he says among its first words only.
func TestPhrasesBehindManyWords(t *testing.T) {
	late := strings.Repeat("stone ", maxPhraseWords)
	if a := NewLexicon().Acts(late + "never mind"); a.GivesUp <= 0.6 {
		t.Errorf("gives up %v", a.GivesUp)
	}
	if a := NewLexicon().Acts(late + "shut up"); a.Insult != 0.9 {
		t.Errorf("insults %v", a.Insult)
	}
	for _, phrase := range []string{"no idea", "my word of honour", "sleep lightly"} {
		if a := NewLexicon().Acts(late + phrase); a.Declined+a.Promised+a.Menace != 0 {
			t.Errorf("%s behind %d words: %+v", phrase, maxPhraseWords, a)
		}
		if a := NewLexicon().Acts("stone " + phrase); a.Declined+a.Promised+a.Menace == 0 {
			t.Errorf("%s: nothing is heard", phrase)
		}
	}
}

func TestFindLongest(t *testing.T) {
	table := newPhraseTable([][]string{{"a", "b"}, {"a", "b", "c"}, {"b", "c"}, {"d"}})
	for text, want := range map[string]int{"": 0, "a": 0, "a b": 2, "x a b c": 3, "b c d": 2, "d a": 1, "a c b": 0} {
		if got := table.findLongest(strings.Fields(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
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
