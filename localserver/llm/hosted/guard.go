package hosted

import (
	"strings"
	"unicode"
)

const (
	// leakAt is how many words on end from the instructions are a quotation; from
	// holdAt on, words are held back until it is known (docs/decisions/hosted.md,
	// instructions-given-away).
	leakAt = 12
	holdAt = 5
	// signWeight is what a sign counts in scripts that put no blanks between
	// words, where one makes about half a word.
	signWeight = 0.5
)

// guard finds an answer that quotes its instructions word for word, and stops it
// before more than a few words were shown. Case and punctuation do not count. It
// cannot find a translation, a paraphrase, or a text that is spelt in some other
// way.
type guard struct {
	// index has the places of a word in the instructions; words of different
	// instructions are never neighbours.
	index map[string][]int
	// runs are, by place, how much the answer's last words weigh that agree with the
	// instructions up to there; one counts only if its turn is the last word's.
	runs    []run
	turn    int
	word    strings.Builder
	held    strings.Builder
	holding bool
	leaked  bool
}

// run is a run of words that the answer and the instructions have in common.
type run struct {
	weight float64
	turn   int
}

func newGuard(hidden []string) *guard {
	g := &guard{index: map[string][]int{}}
	// The first place and those between instructions are nobody's.
	at := 1
	for _, text := range hidden {
		for _, word := range words(text) {
			g.index[word] = append(g.index[word], at)
			at++
		}
		at++
	}
	g.runs = make([]run, at)
	return g
}

// pass gives what of a piece may be shown; nothing more once the answer leaked.
func (g *guard) pass(delta string) string {
	var out strings.Builder
	for _, r := range delta {
		g.take(r, &out)
		if g.leaked {
			break
		}
	}
	return out.String()
}

// take takes one character.
func (g *guard) take(r rune, out *strings.Builder) {
	if g.leaked {
		return
	}
	if !isLetter(r) || isSign(r) {
		g.endWord(out)
	}
	if g.leaked {
		return
	}
	if isLetter(r) {
		g.word.WriteRune(unicode.ToLower(r))
	}
	if g.holding {
		g.held.WriteRune(r)
	} else {
		out.WriteRune(r)
	}
	if isSign(r) {
		g.endWord(out)
	}
}

// endWord looks where the instructions have the word that has come to its end.
func (g *guard) endWord(out *strings.Builder) {
	word := g.word.String()
	if word == "" {
		return
	}
	g.word.Reset()
	longest := g.agree(word)
	g.leaked, g.holding = longest >= leakAt, longest >= holdAt
	if !g.holding {
		out.WriteString(g.held.String())
		g.held.Reset()
	}
}

// agree prolongs the runs by a word, and gives the weight of the longest. The places
// are taken from the last to the first, so that each finds the run before it as the
// word before left it.
func (g *guard) agree(word string) float64 {
	g.turn++
	longest, own := 0.0, weight(word)
	places := g.index[word]
	for i := len(places) - 1; i >= 0; i-- {
		at, w := places[i], own
		if before := g.runs[at-1]; before.turn == g.turn-1 {
			w += before.weight
		}
		g.runs[at] = run{weight: w, turn: g.turn}
		longest = max(longest, w)
	}
	return longest
}

// rest is what was held back at the end of the answer.
func (g *guard) rest() string {
	var out strings.Builder
	g.endWord(&out)
	if !g.leaked {
		out.WriteString(g.held.String())
		g.held.Reset()
	}
	return out.String()
}

// words are the words of a text as the guard compares them.
func words(text string) []string {
	var all []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			all = append(all, word.String())
			word.Reset()
		}
	}
	for _, r := range text {
		if !isLetter(r) || isSign(r) {
			end()
		}
		if isLetter(r) {
			word.WriteRune(unicode.ToLower(r))
		}
		if isSign(r) {
			end()
		}
	}
	end()
	return all
}

func isLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.Co, r)
}

// isSign tells the letters of scripts without blanks between words.
func isSign(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

func weight(word string) float64 {
	for _, r := range word {
		if isSign(r) {
			return signWeight
		}
	}
	return 1
}
