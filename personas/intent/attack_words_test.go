package intent

import (
	"strings"
	"testing"
)

// TestStrangeWordsCostLittle: where no word begins as an unknown one does, nothing more is
// tried, so that a message of strange words costs no more than any other.
func TestStrangeWordsCostLittle(t *testing.T) {
	for word, most := range map[string]int{"qxzjvkwqxzjvk": 60, "coqzjvkwqxzjv": 170} {
		tried := 0
		testLexicon().trySlips(word, func(wordRange, []byte) { tried++ })
		if tried > most {
			t.Errorf("%q: %d words are looked up, at most %d should be", word, tried, most)
		}
	}
}

// TestNarrowedWords: a word is found among those that begin as it does, wherever it is cut.
func TestNarrowedWords(t *testing.T) {
	v := testLexicon().vectors
	for _, word := range []string{v.words[0], "passport", "the", "a", v.words[len(v.words)-1], "nosuchword", "passporu"} {
		for i := range len(word) + 1 {
			if got := v.findAmong(v.narrow(wordRange{0, len(v.words)}, word[:i]), []byte(word)); got != v.find(word) {
				t.Errorf("%q among those with %q is %d, want %d", word, word[:i], got, v.find(word))
			}
		}
	}
	if r := v.narrow(wordRange{0, len(v.words)}, "qxz"); r.from != r.to {
		t.Errorf("words with qxz: %v", v.words[r.from:r.to])
	}
}

// TestMessageIsReadOnce: all that is asked of a message comes from one reading of it.
func TestMessageIsReadOnce(t *testing.T) {
	x := testLexicon()
	message := strings.Repeat("Ich möchte über den Fluß, bitte. *wartet* ", 5)
	ix := x.NewIndex(x.ReadAll("I will pay"), []int{0})
	ask := func(r *Reading) {
		r.Meanings()
		r.Cues()
		r.Acts()
		r.Numbers()
		ix.Query(r)
	}
	known := x.Read(message)
	ask(known)
	again := testing.AllocsPerRun(10, func() { ask(known) })
	first := testing.AllocsPerRun(10, func() { ask(x.Read(message)) })
	if reading := testing.AllocsPerRun(10, func() { x.Read(message).listSpans() }); first > again+reading+reading/2 {
		t.Errorf("%v allocations, %v when it is read already, %v for reading it", first, again, reading)
	}
}
