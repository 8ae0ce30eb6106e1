package hosted

import (
	"strings"
	"unicode"
)

const (
	// leakAt is the number of consecutive words of the instructions that count as a quotation. A
	// run of at least holdAt words is held back until the next word shows whether the run
	// continues.
	leakAt = 12
	holdAt = 5
	// signWeight is the weight of a character in a script without blanks between words. A word has
	// the weight 1.
	signWeight = 0.5
)

// leakGuard stops an answer that quotes its instructions. It ignores case and punctuation. It does
// not detect a translation or a paraphrase.
type leakGuard struct {
	// index contains the positions of each word in the instructions. Between two instructions, one
	// position is left unused, so that a run cannot extend across both.
	index map[string][]int
	// runs contains, for each position in the instructions, the run that ends there. A run is valid
	// only if its turn is the turn of the answer's last word.
	runs    []sharedRun
	turn    int
	word    strings.Builder
	held    strings.Builder
	holding bool
	leaked  bool
}

type sharedRun struct {
	weight float64
	turn   int
}

func newLeakGuard(hidden []string) *leakGuard {
	g := &leakGuard{index: map[string][]int{}}
	// Position 0 and the positions between instructions are unused.
	at := 1
	for _, text := range hidden {
		for _, word := range splitWords(text) {
			g.index[word] = append(g.index[word], at)
			at++
		}
		at++
	}
	g.runs = make([]sharedRun, at)
	return g
}

func (g *leakGuard) filterPiece(delta string) string {
	var out strings.Builder
	for _, r := range delta {
		g.takeRune(r, &out)
		if g.leaked {
			break
		}
	}
	return out.String()
}

func (g *leakGuard) takeRune(r rune, out *strings.Builder) {
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

func (g *leakGuard) endWord(out *strings.Builder) {
	word := g.word.String()
	if word == "" {
		return
	}
	g.word.Reset()
	longest := g.extendRuns(word)
	g.leaked, g.holding = longest >= leakAt, longest >= holdAt
	if !g.holding {
		out.WriteString(g.held.String())
		g.held.Reset()
	}
}

// extendRuns extends the shared runs by a word and returns the weight of the longest run. It visits
// the positions in descending order, because each run extends the run at the position before.
func (g *leakGuard) extendRuns(word string) float64 {
	g.turn++
	longest, own := 0.0, 1.0
	if strings.ContainsFunc(word, isSign) {
		own = signWeight
	}
	places := g.index[word]
	for i := len(places) - 1; i >= 0; i-- {
		at, w := places[i], own
		if before := g.runs[at-1]; before.turn == g.turn-1 {
			w += before.weight
		}
		g.runs[at] = sharedRun{weight: w, turn: g.turn}
		longest = max(longest, w)
	}
	return longest
}

func (g *leakGuard) releaseHeld() string {
	var out strings.Builder
	g.endWord(&out)
	if !g.leaked {
		out.WriteString(g.held.String())
		g.held.Reset()
	}
	return out.String()
}

func splitWords(text string) []string {
	var spaced strings.Builder
	for _, r := range strings.ToLower(text) {
		if isSign(r) {
			spaced.WriteString(" " + string(r) + " ")
		} else {
			spaced.WriteRune(r)
		}
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !isLetter(r) })
}

func isLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.Co, r)
}

// isSign reports whether a character belongs to a script without blanks between words.
func isSign(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
