package nlu

import (
	"cmp"
	"math"
	"slices"

	"github.com/parley-npc/parley/personas/cache"
)

// Index is a list of examples made ready for matching.
type Index struct {
	lex    *Lexicon
	in     language
	docs   []passage
	words  []docWord // of all docs, one after the other
	starts []int     // of each doc, and of the end, where its words begin
	kinds  []int     // of each example what it means
	vocab  []entry
	byWord map[string]int
	grams  gramTable
	most   int                                            // how many meanings there are
	known  *cache.Cache[likenessKey, *vocabularyLikeness] // of words that messages have
}

// docWord is what is compared of an example's word: little, since each message meets them all.
type docWord struct {
	weight                 float64
	id                     int32 // in the vocabulary
	denied, content, heavy bool
}

type entry struct {
	word   string
	vector int32
	kin    uint16
	lists  int // how many meanings have it in their examples
	idf    float64
	last   int // the last meaning that was counted
}

// NewIndex makes examples ready; kinds says of each which of them mean the same,
// by numbers from 0,
// those of one meaning next to each other.
func (x *Lexicon) NewIndex(texts []*Reading, kinds []int) *Index {
	ix := &Index{lex: x, kinds: kinds, docs: make([]passage, len(texts)), byWord: make(map[string]int, 4*len(texts))}
	spoken, grams := make([]language, len(texts)), make([][]uint64, len(texts))
	for i, text := range texts {
		spoken[i] = x.languageOf(text.whole.tokens, 0)
	}
	ix.in = majorityLanguage(spoken)
	for i, text := range texts {
		p := text.whole.passageIn(x, cmp.Or(spoken[i], ix.in))
		grams[i], p.grams, p.terms = p.grams, nil, slices.Clone(p.terms)
		ix.docs[i] = p
		ix.countDocument(i)
	}
	ix.grams = newGramTable(grams)
	ix.known = cache.New[likenessKey, *vocabularyLikeness](likenessPerWord*len(ix.vocab) + likenessLeast)
	if len(texts) > 0 {
		ix.most = slices.Max(kinds) + 1
		ix.weighWords()
	}
	return ix
}

// majorityLanguage returns the language of most examples; English when none tells.
func majorityLanguage(spoken []language) language {
	best, most := english, 0
	for _, in := range languages {
		n := 0
		for _, s := range spoken {
			if s == in {
				n++
			}
		}
		if n > most {
			best, most = in, n
		}
	}
	return best
}

// countDocument enters the words of an example into the vocabulary.
func (ix *Index) countDocument(doc int) {
	for i := range ix.docs[doc].terms {
		t := &ix.docs[doc].terms[i]
		id, known := ix.byWord[t.word]
		if !known {
			id = len(ix.vocab)
			ix.byWord[t.word] = id
			ix.vocab = append(ix.vocab, entry{word: t.word, vector: t.vector, kin: t.kin, last: -1})
		}
		t.id = id
		if e := &ix.vocab[id]; e.last != ix.kinds[doc] {
			e.last = ix.kinds[doc]
			e.lists++
		}
	}
}

// weighWords gives every word the weight that BM25 gives it, as a share of that of
// the rarest, and every example its own score. The documents of that weight are
// the lists of examples of one meaning: a word that is in all examples of
// one list and in no other tells the most, not the least.
func (ix *Index) weighWords() {
	n := float64(ix.most)
	rarest := idf(n, 1)
	for i := range ix.vocab {
		e := &ix.vocab[i]
		e.idf = max(idfFloor, idf(n, float64(e.lists))/rarest)
	}
	for i := range ix.docs {
		p := &ix.docs[i]
		for j := range p.terms {
			t := &p.terms[j]
			if t.content {
				t.weight *= ix.vocab[t.id].idf
			}
			p.weight += t.weight
		}
		p.substance = p.weighSubstance()
	}
	ix.listWords()
}

// listWords lists what is compared of the examples' words.
func (ix *Index) listWords() {
	for i := range ix.docs {
		ix.starts = append(ix.starts, len(ix.words))
		for j := range ix.docs[i].terms {
			t := &ix.docs[i].terms[j]
			ix.words = append(ix.words, docWord{t.weight, int32(t.id), t.denied, t.content, t.isHeavy()}) //nolint:gosec // of a vocabulary
		}
	}
	ix.starts = append(ix.starts, len(ix.words))
}

// wordsOf returns the words of an example.
func (ix *Index) wordsOf(doc int) []docWord { return ix.words[ix.starts[doc]:ix.starts[doc+1]] }

func idf(n, df float64) float64 { return math.Log(1 + (n-df+0.5)/(df+0.5)) }
