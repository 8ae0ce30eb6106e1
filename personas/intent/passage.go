package intent

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

type term struct {
	word    string
	kin     uint16 // group of related words, or 0
	weight  float64
	denied  bool
	content bool
	id      int   // in the examples' vocabulary, or -1
	vector  int32 // in the table of vectors from 1, or 0
}

const (
	answerWeight = 0.8  // of a yes or no among other words
	commonWeight = 0.12 // of a common word
	askingWeight = 0.3  // of a question word or a negation
)

type passage struct {
	terms     []term
	grams     []uint64
	asks      bool
	heavy     int // content words
	wordCount int // words other than negations and auxiliary verbs
	denies    bool
	weight    float64

	// Only examples have the following fields. Only messages have grams.
	substance float64 // weight of the content words
	gramCount int
}

func (x *Lexicon) languageOf(ts []token, fallback language) language {
	var hits [len(languages)]int
	for _, t := range ts {
		if t.kind != wordToken {
			continue
		}
		for i, language := range languages {
			if t.entry.common&language != 0 {
				hits[i]++
			}
		}
	}
	best, count := fallback, 0
	for i, n := range hits {
		if n > count || n == count && n > 0 && languages[i] == fallback {
			best, count = languages[i], n
		}
	}
	return best
}

func (x *Lexicon) newPassage(ts []token, language language) passage {
	p := passage{grams: packTrigrams(ts), terms: make([]term, 0, len(ts)), asks: isQuestion(ts)}
	start := 0
	for i := range ts {
		if ts[i].kind >= clauseEnd || i > start && beginsClause(ts, i) {
			p.terms = x.appendClause(p.terms, ts[start:i], language, p.asks)
			start = i
			if ts[i].kind >= clauseEnd {
				start++
			}
		}
	}
	p.terms = x.appendClause(p.terms, ts[start:], language, p.asks)
	p.mergeRepeats()
	p.countOwnWords()
	return p
}

func isQuestion(ts []token) bool {
	if len(ts) == 0 {
		return false
	}
	switch ts[len(ts)-1].kind {
	case questionEnd:
		return true
	case sentenceEnd:
		return false
	}
	if ts[0].text == "please" || ts[0].text == "bitte" {
		return false
	}
	return ts[0].entry.asks || ts[0].text == "and" && len(ts) > 1 && ts[1].entry.asks
}

var (
	contrasting = makeSet("because unless instead aber sondern pero sino mais")
	adding      = makeSet("and so und y et")
	pronouns    = makeSet("i you we he she they it ich wir du yo je")
	// A "no" before an answering word negates nothing, as in "no I will pay".
	answering = makeSet("i you we he she it they that this there yo")
)

func beginsClause(ts []token, i int) bool {
	word := ts[i].text
	if contrasting[word] || word == "but" && ts[i-1].text != "nothing" {
		return true
	}
	return adding[word] && i+1 < len(ts) && pronouns[ts[i+1].text]
}

func (p *passage) mergeRepeats() {
	merged := p.terms[:0]
	for _, t := range p.terms {
		if !slices.ContainsFunc(merged, func(o term) bool { return o.word == t.word && o.denied == t.denied }) {
			merged = append(merged, t)
		}
	}
	p.terms = merged
	hasNoContent := !slices.ContainsFunc(merged, func(t term) bool { return t.content })
	for i := range merged {
		t := &merged[i]
		if hasNoContent && (t.kin == agreeing || t.kin == refusing) {
			t.weight, t.content = 1, true
		}
		if t.content {
			p.heavy++
		}
	}
}

func (x *Lexicon) appendClause(out []term, ts []token, language language, asks bool) []term {
	first, denied, overall := len(out), false, false
	for i := 0; i < len(ts); i++ {
		t := &ts[i]
		if means, n := longestIdiom(ts[i:]); n > 0 {
			i += n - 1
			if means != "" {
				out = append(out, x.tableTerm(means, denied))
			}
			continue
		}
		switch {
		case t.kind == denseToken:
			isNegated := func(negation string) bool { return strings.Contains(t.text, negation) }
			overall = overall || slices.ContainsFunc(lists().JapaneseNegations, isNegated)
			out = appendDense(out, t.text)
		case t.entry.overall:
			overall = true
			out = append(out, negationTerm())
		case t.entry.opposite != "":
			out = append(out, x.tableTerm(t.entry.opposite, !denied))
			denied = denied != t.entry.denies
		case t.text == "no":
			// After a verb, "no" negates the verb too: "I pay no toll".
			overall = overall || i > 0 && ts[i-1].text != "with"
			denied = denied || i > 0 || len(ts) < 2 || !answering[ts[1].text]
			out = append(out, negationTerm())
		case t.entry.denies && asks && isRhetorical(ts, i):
		case t.entry.denies:
			denied = !denied
			out = append(out, negationTerm())
		default:
			out = append(out, x.newTerm(t, language, denied))
		}
	}
	for i := range out[first:] {
		if t := &out[first+i]; overall && t.content && !t.denied && t.kin != refusing {
			*t = t.opposite()
		}
	}
	return out
}

func negationTerm() term { return term{word: "no", kin: refusing, weight: askingWeight} }

func (x *Lexicon) tableTerm(word string, denied bool) term {
	return x.newTerm(&token{text: word, entry: x.entryFor(word), vector: x.vectors.find(word)}, english, denied)
}

// isRhetorical recognizes a negation that only makes a question polite, as in "couldn't I pay?".
func isRhetorical(ts []token, i int) bool {
	if i > 0 && ts[0].text == "why" {
		i--
	}
	return i <= 1 && ts[0].text != "no" && ts[0].text != "never"
}

func longestIdiom(ts []token) (means string, size int) {
	for _, d := range ts[0].entry.idioms {
		isSaid := func() bool {
			return slices.EqualFunc(ts[:len(d.words)], d.words, func(t token, w string) bool { return t.text == w })
		}
		if n := len(d.words); n > size && n <= len(ts) && isSaid() {
			means, size = d.means, n
		}
	}
	return means, size
}

func (x *Lexicon) newTerm(source *token, language language, denied bool) term {
	word, entry := source.text, source.entry
	switch {
	case entry.kin == agreeing || entry.kin == refusing:
		t := term{word: word, kin: entry.kin, weight: answerWeight, content: true}
		if denied {
			return t.opposite()
		}
		return t
	case entry.asks:
		return term{word: word, weight: askingWeight}
	case entry.common&language != 0:
		return term{word: word, weight: commonWeight}
	}
	stem := x.stemOf(word, language)
	t := term{word: stem.word, kin: cmp.Or(entry.kin, stem.kin), weight: 1, denied: denied, content: true}
	if language == english {
		t.vector = source.vector
	}
	return t
}

func (t term) opposite() term {
	switch t.kin {
	case agreeing:
		t.kin, t.word = refusing, "no"
	case refusing:
		t.kin, t.word = agreeing, "yes"
	default:
		t.denied = !t.denied
	}
	return t
}

func appendDense(out []term, run string) []term {
	runes := []rune(run)
	if len(runes) == 1 {
		return append(out, term{word: run, weight: 0.5, content: !unicode.Is(unicode.Hiragana, runes[0])})
	}
	for i := range runes[1:] {
		t := term{word: string(runes[i : i+2]), weight: 0.7, content: true}
		if unicode.Is(unicode.Hiragana, runes[i]) && unicode.Is(unicode.Hiragana, runes[i+1]) {
			t.weight, t.content = commonWeight, false
		}
		out = append(out, t)
	}
	return out
}

const (
	sameWords  = 0.85 // minimum share of words that contraries have in common
	fewestSame = 2
)

func (t *term) isDenial() bool { return t.kin == refusing && t.word == "no" }

func (t *term) isHelping() bool { return t.word == "do" || t.word == "does" || t.word == "did" }

func (p *passage) countOwnWords() {
	for i := range p.terms {
		switch t := &p.terms[i]; {
		case t.isDenial():
			p.denies = true
		case !t.isHelping():
			p.wordCount++
		}
	}
}

// isContrary excludes texts with a content word that both negate, such as "distrust" and "don't
// trust".
func (p *passage) isContrary(text *passage) bool {
	words := float64(p.wordCount + text.wordCount)
	if p.denies == text.denies || float64(2*min(p.wordCount, text.wordCount)) < sameWords*words {
		return false
	}
	common, content := 0, false
	for i := range text.terms {
		t := &text.terms[i]
		if t.isDenial() || t.isHelping() {
			continue
		}
		if index := slices.IndexFunc(p.terms, func(other term) bool { return other.word == t.word }); index >= 0 {
			if t.content && t.denied && p.terms[index].denied {
				return false
			}
			common++
			content = content || t.content
		}
	}
	return content && common >= fewestSame && float64(2*common) >= sameWords*words
}
