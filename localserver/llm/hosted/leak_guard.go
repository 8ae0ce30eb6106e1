package hosted

import (
	"strings"
	"unicode"
)

const (
	leakAt     = 12  // consecutive words of the instructions that are a quotation
	holdAt     = 5   // consecutive words that are held back
	signWeight = 0.5 // in words, for a character of a script without blanks
)

// A leakGuard stops an answer that quotes its instructions. It does not detect a translation or a
// paraphrase.
type leakGuard struct {
	hidden string   // the words of the instructions between blanks
	run    []string // the end of the answer that also occurs in the instructions
	weight float64
	word   strings.Builder
	held   strings.Builder
	leaked bool
}

func newLeakGuard(hidden []string) *leakGuard {
	g := &leakGuard{hidden: " "}
	for _, text := range hidden {
		// The word between two instructions occurs in no answer.
		g.hidden += strings.Join(splitWords(text), " ") + " \x00 "
	}
	return g
}

func (g *leakGuard) filterPiece(delta string) string {
	var out strings.Builder
	for _, r := range delta {
		if !isLetter(r) || isUnspaced(r) {
			g.endWord()
		}
		if g.leaked {
			return out.String()
		}
		if isLetter(r) {
			g.word.WriteRune(unicode.ToLower(r))
		}
		g.held.WriteRune(r)
		g.passHeld(&out)
		if isUnspaced(r) {
			g.endWord()
		}
	}
	return out.String()
}

func (g *leakGuard) passHeld(out *strings.Builder) {
	if g.weight < holdAt {
		out.WriteString(g.held.String())
		g.held.Reset()
	}
}

func (g *leakGuard) endWord() {
	word := g.word.String()
	if word == "" {
		return
	}
	g.word.Reset()
	g.run = append(g.run, word)
	for len(g.run) > 0 && !strings.Contains(g.hidden, " "+strings.Join(g.run, " ")+" ") {
		g.run = g.run[1:]
	}
	g.weight = 0
	for _, word := range g.run {
		if strings.ContainsFunc(word, isUnspaced) {
			g.weight += signWeight
		} else {
			g.weight++
		}
	}
	g.leaked = g.leaked || g.weight >= leakAt
}

func (g *leakGuard) releaseHeld() string {
	g.endWord()
	if g.leaked {
		return ""
	}
	text := g.held.String()
	g.held.Reset()
	return text
}

func splitWords(text string) []string {
	var spaced strings.Builder
	for _, r := range strings.ToLower(text) {
		if isUnspaced(r) {
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

func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
