package intent

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/assert"
)

// testLexicon is one Lexicon for all tests: it is safe for concurrent use.
var testLexicon = sync.OnceValue(NewLexicon)

func TestSplitSpans(t *testing.T) {
	said := func(text string) span { return span{text: text} }
	done := func(text string) span { return span{text: text, action: true} }
	quoted := func(text string) span { return span{text: text, quoted: true} }
	for message, want := range map[string][]span{
		"":                          nil,
		"  ":                        nil,
		"hello":                     {said("hello")},
		"*kicks the door in*":       {done("kicks the door in")},
		"*nods* fine *leaves*":      {done("nods"), said(" fine "), done("leaves")},
		"_waves_ hi":                {done("waves"), said(" hi")},
		"(shrugs) maybe [sighs]":    {done("shrugs"), said(" maybe "), done("sighs")},
		`he said "kill you" to me`:  {said("he said "), quoted("kill you"), said(" to me")},
		"she wrote “never” twice":   {said("she wrote "), quoted("never"), said(" twice")},
		"er sagte „nein“ dazu":      {said("er sagte "), quoted("nein"), said(" dazu")},
		"il dit «non» et part":      {said("il dit "), quoted("non"), said(" et part")},
		`"I will pay"`:              {said("I will pay")},
		"5*3 is snake_case and a*b": {said("5*3 is snake_case and a*b")},
		"a star * alone":            {said("a star * alone")},
		"** empty **":               {done(" empty ")},
		"never closed *nods":        {said("never closed *nods")},
		"*one\n\ntwo*":              {said("*one\n\ntwo*")},
		"é*nods*":                   {said("é*nods*")},
	} {
		assert.DeepEqual(t, splitSpans(message), want, message)
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string][]float64{
		"":                              nil,
		"no numbers here":               nil,
		"I have 12 horses and 3 carts":  {12, 3},
		"forty barrels":                 {40},
		"twenty five, or thirty":        {25, 30},
		"two hundred and fifty crowns":  {250},
		"three thousand two hundred":    {3200},
		"a hundred":                     {100},
		"a dozen":                       {12},
		"half a dozen of one":           {12},
		"5k":                            {5000},
		"one million":                   {1e6},
		"two and a half":                {2.5},
		"one moment, I am the only one": nil,
		"-7":                            {7},
		"1e99 infinity NaN 0x10":        nil,
	} {
		assert.EqualSlices(t, testLexicon().Numbers(text), want, text)
	}
}

func TestChatSpelling(t *testing.T) {
	for text, want := range map[string]string{
		"u r gonna pay": "you are going to pay", "i dunno": "i do not know", "thx, im ok": "thanks i am ok", "plz gimme": "please give me",
		"I can't": "i can not", "won't": "will not", "I'll": "i will", "don’t": "do not", "''": "", "Großmutter": "grossmutter",
	} {
		assert.Equal(t, strings.Join(Words(text), " "), want, "%q is read as", text)
	}
}

func TestStemsAreForgotten(t *testing.T) {
	x := NewLexicon()
	for i := range 3 * maxMemory {
		x.stemOf(fmt.Sprintf("word%d", i), english)
	}
	n, _ := x.stems.Size()
	assert.True(t, n <= maxMemory, "%d stems are kept, at most %d should be", n, maxMemory)
	long := strings.Repeat("y", maxStemSize+1)
	x.stemOf(long, english)
	_, kept := x.stems.Find(stemKey{long, english})
	assert.True(t, !kept, "a long word is kept")
}

// TestLongMessagesAreReadBySentences: words scattered over a long message do not match together. A
// match after many sentences is found.
func TestLongMessagesAreReadBySentences(t *testing.T) {
	ix := testLexicon().NewIndex(testLexicon().ReadAll("I will pay the toll"), []int{0})
	filler := func(n int) string { return strings.Repeat("Winter hills were grey. ", n) }
	apart := ix.ScoreAll("They used to pay well. " + filler(9) + "I heard of a toll.")[0]
	alone := max(ix.ScoreAll("They used to pay well.")[0], ix.ScoreAll("I heard of a toll.")[0])
	assert.True(t, apart <= alone, "words here and there score %v, a sentence alone %v", apart, alone)
	for n, found := range map[int]bool{maxSentences - 1: true, maxSentences: false} {
		score := ix.ScoreAll(filler(n) + "I will pay the toll.")[0]
		assert.True(t, (score > 0.9) == found, "behind %d sentences the score is %v", n, score)
	}
}

func TestVectorTable(t *testing.T) {
	v, err := parseVectors(vectorTable)
	assert.Must(t, err == nil && len(v.words) >= 10000 && slices.IsSorted(v.words), "%d words, %v", len(v.words), err)
	like := func(a, b string) float64 { return v.similarity(v.find(a), v.find(b)) }
	assert.True(t, like("ship", "boat") >= like("ship", "cheese")+0.2, "the similarity of ship to cheese is %v, and to boat %v", like("ship", "cheese"), like("ship", "boat"))
	assert.True(t, v.areOpposites(v.find("hot"), v.find("cold")), "cold is not the opposite of hot")
	assert.True(t, !v.areOpposites(v.find("hot"), v.find("warm")), "warm is the opposite of hot")
	for _, broken := range []string{"", "a\nb", "a\n\n", "a\n\n\n\n", vectorTable[:len(vectorTable)-1], vectorTable + "x"} {
		_, err := parseVectors(broken)
		assert.True(t, err != nil, "%.20q is accepted as a table", broken)
	}
}

func FuzzSplitSpans(f *testing.F) {
	for _, s := range []string{"*a* b", `"x" y "`, "„“", "«»(", "[[pass]]", "_*_*", "é“ü”", "*\xff*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		rest := message
		for _, s := range splitSpans(message) {
			at := strings.Index(rest, s.text)
			assert.Must(t, s.text != "" && at >= 0 && (!s.action || !s.quoted), "%q: span %+v", message, s)
			rest = rest[at+len(s.text):]
		}
	})
}

func FuzzActs(f *testing.F) {
	for _, s := range []string{"I will kill you!", "*hits him*", "a a a bite", "you", "burns", "'' ?", "my husband was killed"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		a := testLexicon().Read(message).Acts()
		for _, certainty := range []float64{a.Violence, a.Insult, a.Theft, a.Blocked, a.GivesUp} {
			assert.True(t, certainty >= 0 && certainty <= 1, "%q: %+v", message, a)
		}
		assert.True(t, a.Words >= 0 && a.Strange <= a.Words && a == testLexicon().Read(message).Acts(), "%q: %+v", message, a)
	})
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"don''t n't", "ŉ ﬁ ß Ｐａｙ", "a\x00\xff'", "払いません", "can't've"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range Words(text) {
			assert.True(t, w != "" && utf8.ValidString(w) && !strings.ContainsAny(w, " ,.!?"), "%q has the word %q", text, w)
		}
		e := testLexicon().embedTokens(testLexicon().tokensOf(text))
		l := e.dot(&e)
		assert.True(t, l == 0 || l >= 0.99 && l <= 1.01, "%q has an embedding of length %v", text, l)
	})
}
