package intent

import (
	"math"
	"slices"
	"sync"
)

// The weights are fitted to a corpus of paraphrases and of messages off the subject.
const (
	wordShare     = 0.7  // of the words in a score, next to the trigrams
	exampleShare  = 0.6  // of the example's coverage, next to the message's
	poolShare     = 0.15 // of the meaning's other examples
	kinWeight     = 0.85 // similarity of words in the same group
	nearWeight    = 0.75 // maximum, for the same beginning or one different letter
	relatedWeight = 0.9
	relatedFloor  = 0.45
	strangeShare  = 0.5  // weight of a word in no example
	idfFloor      = 0.5  // minimum weight of a word in many examples
	contrary      = 0.6  // penalty for a word negated in only one text
	denial        = 0.8  // penalty if all shared words are contrary
	wordiness     = 4    // maximum weight of a message relative to the example
	lonely        = 0.85 // factor if only one of several content words is shared
	hollow        = 0.5  // factor if no content word is shared
	questioning   = 0.85 // factor between a question and a statement
)

// maxTogether is the maximum number of sentences compared as a whole. Words of distant sentences do
// not belong together.
const maxTogether = 4

// Compare returns the similarity of a message to each of several texts with different meanings.
func (x *Lexicon) Compare(message string, texts ...string) []float64 {
	numbers := make([]int, len(texts))
	for i := range numbers {
		numbers[i] = i
	}
	return x.NewIndex(x.ReadAll(texts...), numbers).ScoreAll(message)
}

// ScoreAll returns the similarity of a message to each example, from 0 to 1. The message is
// compared as a whole and by sentences. Examples with the same meaning raise each other's scores.
func (ix *Index) ScoreAll(message string) []float64 {
	best, _ := ix.query(ix.lex.Read(message))
	return best.Scores
}

// Result contains the similarities of a message to the texts of an index. A Result is shared and
// must not be modified.
type Result struct {
	Scores []float64 // similarity of each text
	// Covered is the share of each text's content words in the message. Used is the share of the
	// message's content words in each text.
	Covered, Used []float64
	// Opposed is the share of each text that the message negates, or 1 for contraries.
	Opposed []float64
	Heard   []float64 // for each meaning, the share of the message that its texts cover together
}

func (ix *Index) query(message *Reading) (best, unsplit Result) {
	if len(ix.docs) == 0 {
		return Result{}, Result{}
	}
	language := ix.lex.languageOf(message.unsplit.tokens, ix.language)
	best, unsplit = ix.newResult(), ix.newResult()
	ix.raiseScores(&unsplit, message.unsplit, language)
	if message.count <= maxTogether {
		best.raise(&unsplit)
	}
	for _, part := range message.sentences {
		ix.raiseScores(&best, part, language)
	}
	return best, unsplit
}

func (r *Result) heardOf(owner int) float64 {
	if owner >= len(r.Heard) {
		return 0
	}
	return r.Heard[owner]
}

func (ix *Index) newResult() Result {
	n := len(ix.docs)
	return Result{
		Scores: make([]float64, n), Covered: make([]float64, n), Used: make([]float64, n),
		Opposed: make([]float64, n), Heard: make([]float64, ix.meanings),
	}
}

func (r *Result) raise(to *Result) {
	raiseAll(r.Scores, to.Scores)
	raiseAll(r.Opposed, to.Opposed)
	raiseAll(r.Covered, to.Covered)
	raiseAll(r.Used, to.Used)
	raiseAll(r.Heard, to.Heard)
}

func raiseAll(numbers, to []float64) {
	for i, v := range to {
		numbers[i] = max(numbers[i], v)
	}
}

func (ix *Index) raiseScores(best *Result, part *readPart, language language) {
	message := queries.Get().(*query) //nolint:forcetypeassert // queries makes nothing else
	defer queries.Put(message)
	message.reset(ix, part.passageIn(ix.lex, language))
	for i := range ix.docs {
		clear(message.termScores)
		score, opposed := message.scoreDocument(ix, i)
		message.alone[i] = score
		best.Opposed[i] = max(best.Opposed[i], RoundScore(opposed))
		best.Covered[i] = max(best.Covered[i], RoundScore(message.covered))
		best.Used[i] = max(best.Used[i], RoundScore(message.weightShare(message.termScores)))
	}
	for k := range message.shares {
		message.shares[k] = message.weightShare(message.rowOf(k))
		best.Heard[k] = max(best.Heard[k], RoundScore(message.shares[k]))
	}
	for i, score := range message.alone {
		pooled := (1-poolShare)*score + poolShare*message.shares[ix.owners[i]]
		best.Scores[i] = max(best.Scores[i], RoundScore(pooled))
	}
}

type query struct {
	passage
	full       float64    // weight of the message with unknown words in full
	first      []int32    // head of each word's list in like, from 1
	like       []likeness // lists linked by next
	byMeaning  []float64
	shares     []float64
	termScores []float64 // similarity of each term to the current text
	alone      []float64 // score of each text without poolShare
	common     []int32
	covered    float64
}

type likeness struct {
	term, next int32 // next is from 1, or 0 at the end
	like       float32
}

var queries = sync.Pool{New: func() any { return new(query) }}

func (q *query) reset(ix *Index, message passage) {
	terms := append(q.terms[:0], message.terms...)
	q.passage, q.terms = message, terms
	q.full, q.weight, q.like = 0, 0, q.like[:0]
	q.first, q.common = clearRoom(q.first, len(ix.vocab)), clearRoom(q.common, len(ix.docs))
	q.byMeaning, q.shares = clearRoom(q.byMeaning, ix.meanings*len(terms)), clearRoom(q.shares, ix.meanings)
	q.termScores, q.alone = clearRoom(q.termScores, len(terms)), clearRoom(q.alone, len(ix.docs))
	ix.countCommonTrigrams(q.common, q.grams)
	for i := range terms {
		t := &terms[i]
		share := q.fillLikeness(ix, i)
		q.full += t.weight * max(share, 1)
		t.weight *= share
		q.weight += t.weight
	}
}

func clearRoom[T int32 | float64](old []T, n int) []T {
	old = slices.Grow(old[:0], n)[:n]
	clear(old)
	return old
}

func (q *query) rowOf(meaning int) []float64 {
	return q.byMeaning[meaning*len(q.terms) : (meaning+1)*len(q.terms)]
}

func (q *query) addLikeness(term int, word int32, like float32) {
	q.like = append(q.like, likeness{int32(term), q.first[word], like}) //nolint:gosec // at most maxTokens terms
	q.first[word] = int32(len(q.like))                                  //nolint:gosec // at most maxTokens for each word
}

func (q *query) fillLikeness(ix *Index, i int) (weightFactor float64) {
	t := &q.terms[i]
	if !t.content {
		if exact, ok := ix.byWord[t.word]; ok {
			q.addLikeness(i, int32(exact), 1) //nolint:gosec // an index of the vocabulary
		}
		return 1
	}
	likeness := ix.likenessOf(t)
	for _, l := range likeness.words {
		q.addLikeness(i, l.word, l.like)
	}
	return likeness.share
}

type overlap struct {
	shared  float64
	agreed  float64 // content words negated in both texts or in neither
	opposed float64 // content words negated in only one text
	heavy   int
}

func (q *query) scoreDocument(ix *Index, i int) (score, opposed float64) {
	doc := &ix.docs[i]
	q.covered = 0
	if doc.weight == 0 || q.weight == 0 {
		return 0, 0
	}
	o := q.measureOverlap(doc.terms, q.rowOf(ix.owners[i]))
	q.covered = o.agreed / doc.substance
	cosine := float64(q.common[i]) / math.Sqrt(float64(max(1, len(q.grams)))*float64(max(1, doc.gramCount)))
	if o.opposed > o.agreed {
		opposed = o.opposed / doc.weight
	}
	if q.isContrary(doc) {
		opposed = 1
	}
	return q.weighOverlap(doc, &o, cosine), opposed
}

func (q *query) weighOverlap(doc *passage, o *overlap, cosine float64) float64 {
	weight := min(q.weight, wordiness*doc.weight)
	if doc.heavy == 0 {
		weight = q.full
	}
	// The mean of both weights makes one threshold fit examples of any length.
	words := max(0, o.shared) / (exampleShare*doc.weight + (1-exampleShare)*weight)
	score := wordShare*min(1, words) + (1-wordShare)*cosine
	if o.opposed > 0 {
		score *= 1 - denial*o.opposed/(o.agreed+o.opposed)
	}
	switch {
	case doc.heavy > 0 && o.heavy == 0:
		score *= hollow
	case doc.heavy > 1 && o.heavy == 1:
		score *= lonely
	}
	if q.asks != doc.asks {
		score *= questioning
	}
	return score
}

func (q *query) measureOverlap(words []term, similarities []float64) overlap {
	var overlap overlap
	for i := range words {
		d := &words[i]
		if q.first[d.id] == 0 {
			continue
		}
		like, same := q.nearestWord(d, similarities)
		weight := d.weight * like
		switch {
		case !d.content:
			overlap.shared += weight
		case !same:
			overlap.shared -= contrary * weight
			overlap.opposed += weight
		default:
			overlap.shared += weight
			overlap.agreed += weight
			if weight > 0 {
				overlap.heavy++
			}
		}
	}
	return overlap
}

func (q *query) weightShare(similarities []float64) float64 {
	var covered, all float64
	for i := range q.terms {
		if t := &q.terms[i]; t.content {
			covered += t.weight * similarities[i]
			all += t.weight
		}
	}
	if all == 0 {
		return 0
	}
	return covered / all
}

// nearestWord records likenesses in similarities and q.met. same is set if both or neither words are
// negated.
func (q *query) nearestWord(d *term, similarities []float64) (like float64, same bool) {
	for link := q.first[d.id]; link > 0; link = q.like[link-1].next {
		i, l := q.like[link-1].term, float64(q.like[link-1].like)
		t := &q.terms[i]
		if t.content != d.content {
			continue
		}
		agree := t.denied == d.denied
		if agree {
			similarities[i] = max(similarities[i], l)
			q.termScores[i] = max(q.termScores[i], l)
		}
		if l > like || l == like && agree {
			like, same = l, agree
		}
	}
	return like, same
}

// RoundScore rounds to four decimals, because the last bits of a sum differ between machines.
func RoundScore(score float64) float64 {
	if score == 0 {
		return score
	}
	return math.Round(score*1e4) / 1e4
}
