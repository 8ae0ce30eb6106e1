package intent

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/cache"
)

// Index is a list of examples prepared for comparison with messages.
type Index struct {
	lex    *Lexicon
	in     language
	docs   []passage
	words  []docWord
	starts []int // for each doc the index of its first word, and the end
	kinds  []int // number of the meaning of each example
	grams  gramList
	vocab  []entry
	byWord map[string]int
	most   int
	known  *cache.Cache[likenessKey, *vocabularyLikeness]
}

// docWord is small, because each message is compared with the words of all examples.
type docWord struct {
	weight          float64
	id              int32 // index in the vocabulary
	denied, content bool
}

type entry struct {
	word   string
	vector int32
	kin    uint16
	lists  int // number of meanings with the word in their examples
	idf    float64
	last   int
}

// NewIndex prepares examples. kinds contains the number of the meaning of each example, from 0.
// Examples with the same meaning must be adjacent.
func (x *Lexicon) NewIndex(texts []*Reading, kinds []int) *Index {
	ix := &Index{lex: x, kinds: kinds, docs: make([]passage, len(texts)), byWord: make(map[string]int, 4*len(texts))}
	spoken, counts := make([]language, len(texts)), make(map[language]int)
	for i, text := range texts {
		spoken[i] = x.languageOf(text.whole.tokens, 0)
		counts[spoken[i]]++
	}
	ix.in = english
	for _, in := range languages {
		if counts[in] > counts[ix.in] {
			ix.in = in
		}
	}
	for i, text := range texts {
		p := text.whole.passageIn(x, cmp.Or(spoken[i], ix.in))
		p.terms = slices.Clone(p.terms)
		ix.docs[i] = p
		ix.countDocument(i)
	}
	ix.grams = newGramList(ix.docs)
	ix.known = cache.New[likenessKey, *vocabularyLikeness](likenessPerWord*len(ix.vocab) + likenessLeast)
	if len(texts) > 0 {
		ix.most = slices.Max(kinds) + 1
		ix.weighWords()
	}
	return ix
}

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

// weighWords sets the weight of each word to its BM25 idf, divided by the idf of the rarest word.
// All examples of one meaning count as one document. Otherwise a word in every example of one
// meaning would have the least weight.
func (ix *Index) weighWords() {
	n := float64(len(slices.Compact(slices.Clone(ix.kinds))))
	rarest := idf(n, 1)
	for i := range ix.vocab {
		e := &ix.vocab[i]
		e.idf = max(idfFloor, idf(n, float64(e.lists))/rarest)
	}
	for i := range ix.docs {
		p := &ix.docs[i]
		p.substance = 1e-9 // prevents a division by zero
		ix.starts = append(ix.starts, len(ix.words))
		for j := range p.terms {
			t := &p.terms[j]
			if t.content {
				t.weight *= ix.vocab[t.id].idf
				p.substance += t.weight
			}
			p.weight += t.weight
			ix.words = append(ix.words, docWord{t.weight, int32(t.id), t.denied, t.content}) //nolint:gosec // an index of the vocabulary
		}
	}
	ix.starts = append(ix.starts, len(ix.words))
}

func (ix *Index) wordsOf(doc int) []docWord { return ix.words[ix.starts[doc]:ix.starts[doc+1]] }

func idf(n, df float64) float64 { return math.Log(1 + (n-df+0.5)/(df+0.5)) }

// vocabularyLikeness contains the similarities above 0 of a word to the words of an index, with the
// equal word first.
type vocabularyLikeness struct {
	words []wordLikeness
	share float64 // factor for the weight of the word, see measureLikeness
}

type wordLikeness struct {
	word int32 // index in the vocabulary
	like float32
}

type likenessKey struct {
	word   string
	kin    uint16
	vector int32
}

const (
	likenessPerWord = 4
	likenessLeast   = 8192
	likenessOwn     = 8
)

func (l *vocabularyLikeness) addWord(word int, like float32) {
	if like != 0 {
		l.words = append(l.words, wordLikeness{int32(word), like}) //nolint:gosec // an index of the vocabulary
	}
}

func isNear(a, b string) bool {
	if len(a) < 4 || len(b) < 4 || a[0] != b[0] {
		return false
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	if same >= 4 && 8*same >= 3*(len(a)+len(b)) {
		return true
	}
	return len(a) >= 5 && len(b) >= 5 && differByOne(a[same:], b[same:])
}

func differByOne(a, b string) bool {
	switch {
	case a == "" || b == "":
		return len(a)+len(b) <= 1
	case a[1:] == b[1:], a[1:] == b, a == b[1:]:
		return true
	}
	return len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}

func (ix *Index) likenessOf(t *term) *vocabularyLikeness {
	key := likenessKey{t.word, t.kin, t.vector}
	if l, ok := ix.known.Find(key); ok {
		return l
	}
	l := ix.measureLikeness(t)
	// The word is cloned because it may be a small part of a long message.
	key.word = strings.Clone(key.word)
	ix.known.Keep(key, l, len(l.words)+likenessOwn)
	return l
}

// measureLikeness compares a message's word with each word of the examples. The share is that of
// the equal word, or else the greatest share of a similar word, or else strangeShare.
func (ix *Index) measureLikeness(t *term) *vocabularyLikeness {
	exact, known := ix.byWord[t.word]
	l := &vocabularyLikeness{share: strangeShare}
	if known {
		l.addWord(exact, 1)
	}
	for v := range ix.vocab {
		e := &ix.vocab[v]
		switch {
		case known && v == exact:
			continue
		case t.kin != 0 && t.kin == e.kin:
			l.addWord(v, kinWeight)
		case !known && isNear(t.word, e.word):
			l.addWord(v, nearWeight)
		case t.vector != 0 && e.vector != 0:
			cosine := ix.lex.vectors.similarity(t.vector, e.vector)
			if cosine < relatedFloor || ix.lex.vectors.areOpposites(t.vector, e.vector) {
				continue
			}
			like := float32(relatedWeight * (cosine - relatedFloor) / (1 - relatedFloor))
			l.addWord(v, like)
			l.share = max(l.share, float64(like)*e.idf)
			continue
		default:
			continue
		}
		l.share = max(l.share, e.idf)
	}
	if known {
		l.share = ix.vocab[exact].idf
	}
	return l
}

type gramList struct {
	grams  []uint64
	starts []int32 // for each trigram the index of its first doc, and the end
	docs   []int32
	counts []int32
}

// newGramList removes the trigrams from docs.
func newGramList(docs []passage) gramList {
	type posting struct {
		gram uint64
		doc  int32
	}
	l := gramList{counts: make([]int32, len(docs))}
	var all []posting
	for i := range docs {
		l.counts[i] = int32(len(docs[i].grams)) //nolint:gosec // at most maxTextSize
		for _, gram := range docs[i].grams {
			all = append(all, posting{gram, int32(i)})
		}
		docs[i].grams = nil
	}
	slices.SortFunc(all, func(a, b posting) int { return cmp.Or(cmp.Compare(a.gram, b.gram), cmp.Compare(a.doc, b.doc)) })
	l.docs = make([]int32, len(all))
	for i, e := range all {
		if i == 0 || e.gram != all[i-1].gram {
			l.grams, l.starts = append(l.grams, e.gram), append(l.starts, int32(i))
		}
		l.docs[i] = e.doc
	}
	l.starts = append(l.starts, int32(len(all))) //nolint:gosec // at most maxTexts*maxTextSize
	l.grams, l.starts = slices.Clip(l.grams), slices.Clip(l.starts)
	return l
}

func (l *gramList) countCommon(common []int32, grams []uint64) {
	for _, gram := range grams {
		i, ok := slices.BinarySearch(l.grams, gram)
		if !ok {
			continue
		}
		for _, doc := range l.docs[l.starts[i]:l.starts[i+1]] {
			common[doc]++
		}
	}
}

const likeEnough = 0.42

// A Grouping groups similar texts. Each text is compared with the first text of each group.
type Grouping struct {
	lexicon *Lexicon
	firsts  []*Reading
	index   *Index // index of firsts, or nil without groups
}

// NewGrouping returns an empty Grouping.
func NewGrouping(x *Lexicon) *Grouping { return &Grouping{lexicon: x} }

// Nearest returns the index of the most similar group, or -1 if no group is similar.
func (g *Grouping) Nearest(text string) int {
	if g.index == nil {
		return -1
	}
	scores := g.index.ScoreAll(text)
	best := slices.Index(scores, slices.Max(scores))
	if scores[best] < likeEnough {
		return -1
	}
	return best
}

// Begin starts a new group with a text.
func (g *Grouping) Begin(text string) {
	g.firsts = append(g.firsts, g.lexicon.Read(text))
	kinds := make([]int, len(g.firsts))
	for i := range kinds {
		kinds[i] = i
	}
	g.index = g.lexicon.NewIndex(g.firsts, kinds)
}
