package llm

import (
	"cmp"
	"strings"
	"sync"

	snowenglish "github.com/kljensen/snowball/english"
	snowfrench "github.com/kljensen/snowball/french"
	snowspanish "github.com/kljensen/snowball/spanish"
)

const (
	agreeing = 1 // the group of yes and its like
	refusing = 2 // the group of no and its like
)

// lexicon is what the matcher knows of languages. It is immutable but for its
// memory of stems, which is bounded and changes no result.
type lexicon struct {
	words     map[string]*lore
	strange   *lore // of every word that is not in words
	stemsLock sync.RWMutex
	stems     map[stemKey]stemmed
}

// lore is what the lexicon knows of one word.
type lore struct {
	common   tongue // the languages in which it carries little
	asks     bool
	light    bool
	denies   bool // the rest of its clause
	overall  bool // denies its whole clause
	kin      uint16
	opposite string
	idioms   []idiom // that begin with it
}

type idiom struct {
	words []string
	means string
}

type stemKey struct {
	word string
	in   tongue
}

type stemmed struct {
	word string
	kin  uint16
}

const (
	maxStems    = 4096
	maxStemSize = 32
	// maxTokens bounds what a comparison can cost; the rest of a text is not
	// looked at. 8,000 characters of ordinary talk have fewer words and stops.
	maxTokens = 2000
)

func newLexicon() *lexicon {
	x := &lexicon{words: make(map[string]*lore), strange: new(lore), stems: make(map[stemKey]stemmed)}
	for in, words := range commonWords {
		x.note(words, func(l *lore) { l.common |= in })
	}
	x.note(askingWords, func(l *lore) { l.asks = true })
	x.note(lightWords, func(l *lore) { l.light = true })
	x.note(negators+" "+bareNegations, func(l *lore) { l.denies = true })
	x.note(clauseNegators, func(l *lore) { l.overall = true })
	for word, opposite := range opposites {
		x.note(word, func(l *lore) { l.opposite = opposite })
	}
	for phrase, means := range idioms {
		words := strings.Fields(phrase)
		x.note(words[0], func(l *lore) { l.idioms = append(l.idioms, idiom{words, means}) })
	}
	x.noteKin(agreeing, agreement)
	x.noteKin(refusing, refusal)
	for i, group := range kindred {
		x.noteKin(uint16(refusing+1+i), group)
	}
	return x
}

func (x *lexicon) note(words string, set func(*lore)) {
	for _, w := range strings.Fields(words) {
		l := x.words[w]
		if l == nil {
			l = new(lore)
			x.words[w] = l
		}
		set(l)
	}
}

// noteKin puts words and their stems into a group, unless an earlier one has
// them or the stem is a word of another kind: the stem of "willing" is "will".
func (x *lexicon) noteKin(group uint16, words string) {
	join := func(l *lore) { l.kin = cmp.Or(l.kin, group) }
	x.note(words, join)
	for _, w := range strings.Fields(words) {
		if s := stem(w, english); x.words[s] == nil {
			x.note(s, join)
		}
	}
}

// cut is a text's tokens with what the lexicon knows of them.
func (x *lexicon) cut(text string) []token {
	ts := tokens(fold(text))
	ts = ts[:min(len(ts), maxTokens)]
	for i := range ts {
		ts[i].lore = x.lore(ts[i].text)
	}
	return ts
}

func (x *lexicon) lore(word string) *lore {
	if l := x.words[word]; l != nil {
		return l
	}
	return x.strange
}

// stem is the stem of a folded word; German loses its most common endings only.
func stem(word string, in tongue) string {
	switch in {
	case spanish:
		return snowspanish.Stem(withoutPronoun(word), true)
	case french:
		return snowfrench.Stem(word, true)
	case german:
		return germanStem(word)
	}
	return snowenglish.Stem(word, true)
}

// withoutPronoun takes the pronoun off a Spanish infinitive: "matarte".
func withoutPronoun(word string) string {
	for _, pronoun := range [...]string{"nos", "los", "las", "les", "me", "te", "se", "lo", "la", "le", "os"} {
		verb, ok := strings.CutSuffix(word, pronoun)
		if ok && len(verb) >= 4 && (strings.HasSuffix(verb, "ar") || strings.HasSuffix(verb, "er") || strings.HasSuffix(verb, "ir")) {
			return verb
		}
	}
	return word
}

func germanStem(word string) string {
	for _, ending := range [...]string{"test", "ten", "est", "en", "er", "es", "em", "te", "st", "e", "n", "t", "s"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= 4 {
			return rest
		}
	}
	return word
}

func (x *lexicon) stem(word string, in tongue) stemmed {
	if len(word) > maxStemSize {
		return stemmed{word: word}
	}
	key := stemKey{word, in}
	x.stemsLock.RLock()
	s, ok := x.stems[key]
	x.stemsLock.RUnlock()
	if ok {
		return s
	}
	s.word = stem(word, in)
	s.kin = x.lore(s.word).kin
	x.stemsLock.Lock()
	defer x.stemsLock.Unlock()
	if len(x.stems) >= maxStems {
		clear(x.stems)
	}
	key.word = strings.Clone(word)
	x.stems[key] = s
	return s
}
