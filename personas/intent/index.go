package intent

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/cache"
)

// Index contains examples prepared for comparison with messages.
type Index struct {
	lex        *Lexicon
	language   language
	docs       []passage
	owners     []int // meaning of each example
	meanings   int
	grams      []uint64 // sorted postings
	vocab      []entry
	byWord     map[string]int
	likenesses *cache.Cache[likenessKey, *vocabularyLikeness]
}

type entry struct {
	word   string
	vector int32
	kin    uint16
	lists  int // meanings with the word in their examples
	idf    float64
	last   int
}

// posting combines the hash of a trigram (upper half) with the number of an example.
func posting(gram uint64, doc int) uint64 {
	return gram*0x9e3779b97f4a7c15>>32<<32 | uint64(doc) //nolint:gosec // not negative
}

// NewIndex prepares examples. owners contains the meaning of each example as a number from 0.
// Examples with the same meaning must be adjacent.
func (x *Lexicon) NewIndex(texts []*Reading, owners []int) *Index {
	ix := &Index{lex: x, owners: owners, docs: make([]passage, len(texts)), byWord: make(map[string]int, 4*len(texts))}
	spoken, counts := make([]language, len(texts)), make(map[language]int)
	for i, text := range texts {
		spoken[i] = x.languageOf(text.unsplit.tokens, 0)
		counts[spoken[i]]++
	}
	ix.language = english
	for _, language := range languages {
		if counts[language] > counts[ix.language] {
			ix.language = language
		}
	}
	for i, text := range texts {
		p := text.unsplit.passageIn(x, cmp.Or(spoken[i], ix.language))
		p.terms = slices.Clone(p.terms)
		ix.docs[i] = p
		ix.addDocument(i)
	}
	slices.Sort(ix.grams)
	ix.grams = slices.Clip(ix.grams)
	ix.likenesses = cache.New[likenessKey, *vocabularyLikeness](likenessPerWord*len(ix.vocab) + likenessLeast)
	ix.weighWords()
	return ix
}

func (ix *Index) addDocument(doc int) {
	p, owner := &ix.docs[doc], ix.owners[doc]
	ix.meanings = max(ix.meanings, owner+1)
	for _, gram := range p.grams {
		ix.grams = append(ix.grams, posting(gram, doc))
	}
	p.gramCount, p.grams = len(p.grams), nil
	for i := range p.terms {
		t := &p.terms[i]
		id, ok := ix.byWord[t.word]
		if !ok {
			id = len(ix.vocab)
			ix.byWord[t.word] = id
			ix.vocab = append(ix.vocab, entry{word: t.word, vector: t.vector, kin: t.kin, last: -1})
		}
		t.id = id
		if e := &ix.vocab[id]; e.last != owner {
			e.last = owner
			e.lists++
		}
	}
}

// weighWords sets a word's weight to its BM25 idf relative to the rarest word. All examples of one
// meaning count as one document. Otherwise a word in every example of a meaning would weigh least.
func (ix *Index) weighWords() {
	n := float64(len(slices.Compact(slices.Clone(ix.owners))))
	for i := range ix.vocab {
		e := &ix.vocab[i]
		e.idf = max(idfFloor, idf(n, float64(e.lists))/idf(n, 1))
	}
	for i := range ix.docs {
		p := &ix.docs[i]
		p.substance = 1e-9 // prevents a division by zero
		for j := range p.terms {
			t := &p.terms[j]
			if t.content {
				t.weight *= ix.vocab[t.id].idf
				p.substance += t.weight
			}
			p.weight += t.weight
		}
	}
}

func idf(n, df float64) float64 { return math.Log(1 + (n-df+0.5)/(df+0.5)) }

type vocabularyLikeness struct {
	words []wordLikeness
	share float64 // factor for the weight of the word
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
	if l, ok := ix.likenesses.Find(key); ok {
		return l
	}
	l := ix.measureLikeness(t)
	// Without the clone, the key would keep a long message in memory.
	key.word = strings.Clone(key.word)
	ix.likenesses.Keep(key, l, len(l.words)+likenessOwn)
	return l
}

func (ix *Index) measureLikeness(t *term) *vocabularyLikeness {
	exact, ok := ix.byWord[t.word]
	result := &vocabularyLikeness{share: strangeShare}
	if ok {
		result.addWord(exact, 1)
	}
	for id := range ix.vocab {
		candidate := &ix.vocab[id]
		switch {
		case ok && id == exact:
			continue
		case t.kin != 0 && t.kin == candidate.kin:
			result.addWord(id, kinWeight)
		case !ok && isNear(t.word, candidate.word):
			result.addWord(id, nearWeight)
		case t.vector != 0 && candidate.vector != 0:
			cosine := ix.lex.vectors.similarity(t.vector, candidate.vector)
			if cosine < relatedFloor || ix.lex.vectors.areOpposites(t.vector, candidate.vector) {
				continue
			}
			like := float32(relatedWeight * (cosine - relatedFloor) / (1 - relatedFloor))
			result.addWord(id, like)
			result.share = max(result.share, float64(like)*candidate.idf)
			continue
		default:
			continue
		}
		result.share = max(result.share, candidate.idf)
	}
	if ok {
		result.share = ix.vocab[exact].idf
	}
	return result
}

func (ix *Index) countCommonTrigrams(common []int32, grams []uint64) {
	for _, gram := range grams {
		first := posting(gram, 0)
		i, _ := slices.BinarySearch(ix.grams, first)
		for ; i < len(ix.grams) && ix.grams[i]>>32 == first>>32; i++ {
			common[uint32(ix.grams[i])]++ //nolint:gosec // the lower half
		}
	}
}

const likeEnough = 0.42

// A Grouping groups similar texts. The first text of each group represents the group.
type Grouping struct {
	lexicon *Lexicon
	firsts  []*Reading
	numbers []int
	index   *Index // of firsts, or nil without groups
}

// NewGrouping returns an empty Grouping.
func NewGrouping(x *Lexicon) *Grouping { return &Grouping{lexicon: x} }

// Nearest returns the index of the most similar group, or -1.
func (g *Grouping) Nearest(text string) int {
	best, top := -1, likeEnough
	if g.index != nil {
		for i, score := range g.index.ScoreAll(text) {
			if score >= top && (best < 0 || score > top) {
				best, top = i, score
			}
		}
	}
	return best
}

// Begin starts a new group with a text.
func (g *Grouping) Begin(text string) {
	g.firsts, g.numbers = append(g.firsts, g.lexicon.Read(text)), append(g.numbers, len(g.numbers))
	g.index = g.lexicon.NewIndex(g.firsts, g.numbers)
}
