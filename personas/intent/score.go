package intent

import (
	"math"
	"sync"
)

// The weights of a score. They were set on a corpus of paraphrases and of messages
// that are off the topic, which the tests check.
const (
	wordShare = 0.7 // of the words in a score; the trigrams have the rest
	// exampleShare weighs how much of the example is in the message; how much
	// of the message is in the example has the rest.
	exampleShare  = 0.6
	poolShare     = 0.15 // of what all examples of one meaning have together
	kinWeight     = 0.85 // of a word of the same group
	nearWeight    = 0.75 // of a word that begins alike or has one letter wrong
	relatedWeight = 0.9
	relatedFloor  = 0.45
	strangeShare  = 0.5  // of a message's word that no example knows
	idfFloor      = 0.5  // of a word that many examples use
	contrary      = 0.6  // taken off for a word that one says and the other denies
	denial        = 0.8  // taken off a score in which all such words are of that kind
	wordiness     = 4    // times an example's weight that a message's counts at most
	lonely        = 0.85 // left of a score with one shared word of substance, of several
	hollow        = 0.5  // left of a score without one shared word of substance
	questioning   = 0.85 // left of the score of a question and a statement
)

// maxTogether bounds the sentences of a message that is also compared as a whole:
// words scattered over a longer message do not make a sentence.
const maxTogether = 4

// ScoreAll compares a message, as a whole and sentence by sentence, with every
// example: 1 for the same words, 0 for nothing in common. A word has its BM25
// weight. The sum over the shared words is divided by the weighted mean of the
// example's and the message's own sums, so that one threshold fits examples of
// any length. A part of the score is the share of the message that all examples
// of the same meaning cover together.
func (ix *Index) ScoreAll(message string) []float64 { return ix.Query(ix.lex.Read(message)).Scores }

// Result is how a message compares with the texts of an index. It is shared, and must not be
// changed.
type Result struct {
	Scores []float64 // of each text
	// Covered is, for each text, the share of its content words that the message
	// has, and Used the share of the message's content words that the text has.
	Covered, Used []float64
	// Opposed is, for each text, the share of its words that the message denies; 1 if the two
	// have the same words and only one of them denies them.
	Opposed []float64
	Heard   []float64 // of each meaning: how much of the message its texts have together
}

// Query compares a message, as a whole and sentence by sentence, with every text of the index.
func (ix *Index) Query(message *Reading) Result {
	best, _ := ix.queryBoth(message)
	return best
}

// queryBoth is Query, which also returns the result of the whole message, for any number of
// sentences.
func (ix *Index) queryBoth(message *Reading) (best, whole Result) {
	if len(ix.docs) == 0 {
		return Result{}, Result{}
	}
	in := ix.lex.languageOf(message.whole.tokens, ix.in)
	best, whole = ix.newResult(), ix.newResult()
	ix.raiseScores(&whole, message.whole, in)
	if message.count <= maxTogether {
		best.raise(&whole)
	}
	for _, part := range message.sentences {
		ix.raiseScores(&best, part, in)
	}
	return best, whole
}

func (ix *Index) newResult() Result {
	n := len(ix.docs)
	room := make([]float64, 4*n+ix.most)
	return Result{room[:n:n], room[n : 2*n : 2*n], room[2*n : 3*n : 3*n], room[3*n : 4*n : 4*n], room[4*n:]}
}

// raise sets each value to the maximum of both.
func (r *Result) raise(to *Result) {
	for _, of := range [...][2][]float64{{r.Scores, to.Scores}, {r.Opposed, to.Opposed}, {r.Covered, to.Covered}, {r.Used, to.Used}, {r.Heard, to.Heard}} {
		for i, v := range of[1] {
			of[0][i] = max(of[0][i], v)
		}
	}
}

// raiseScores raises the scores to those of a part of the message, if they are greater.
func (ix *Index) raiseScores(best *Result, part *readPart, in language) {
	said := queries.Get().(*query) //nolint:forcetypeassert // queries makes nothing else
	defer queries.Put(said)
	said.reset(ix, part.passageIn(ix.lex, in))
	for i := range ix.docs {
		clear(said.met)
		score, opposed := said.scoreDocument(ix, i)
		said.alone[i] = score
		best.Opposed[i] = max(best.Opposed[i], RoundScore(opposed))
		best.Covered[i] = max(best.Covered[i], RoundScore(said.covered))
		best.Used[i] = max(best.Used[i], RoundScore(said.heardShare(said.met)))
	}
	for k := range said.shares {
		said.shares[k] = said.heardShare(said.heardOf(k))
		best.Heard[k] = max(best.Heard[k], RoundScore(said.shares[k]))
	}
	for i, score := range said.alone {
		pooled := (1-poolShare)*score + poolShare*said.shares[ix.kinds[i]]
		best.Scores[i] = max(best.Scores[i], RoundScore(pooled))
	}
}

// query is a part of a message with its similarity to every word of the examples.
type query struct {
	passage
	full    float64    // its weight when strange words count as much as others
	first   []int32    // of each word of the examples, from 1: the first of like
	like    []likeness // those of one word follow each other by next
	heard   []float64  // by meaning, see heardOf
	shares  []float64  // of each meaning: how much of the message its examples have
	met     []float64  // how much of each term the text has that is being compared
	alone   []float64  // of each text, its score without those of the same meaning
	common  []int32    // of each text, how many trigrams it shares
	covered float64
}

// likeness is the similarity of a term of a message and a word of the examples. 0 is not stored.
type likeness struct {
	term, next int32 // next from 1; 0 for the last
	like       float32
}

// queries pools finished queries to reuse their memory.
var queries = sync.Pool{New: func() any { return new(query) }}

// reset prepares the query for a part of a message.
func (q *query) reset(ix *Index, said passage) {
	terms := append(q.terms[:0], said.terms...)
	q.passage, q.terms = said, terms
	q.full, q.weight, q.like = 0, 0, q.like[:0]
	q.first = clearRoom(q.first, len(ix.vocab))
	q.heard, q.shares = clearRoom(q.heard, ix.most*len(terms)), clearRoom(q.shares, ix.most)
	q.met, q.alone = clearRoom(q.met, len(terms)), clearRoom(q.alone, len(ix.docs))
	q.common = clearRoom(q.common, len(ix.docs))
	ix.grams.countCommon(q.common, q.grams)
	for i := range terms {
		t := &terms[i]
		share := q.fillLikeness(ix, i)
		q.full += t.weight * max(share, 1)
		t.weight *= share
		q.weight += t.weight
	}
}

// clearRoom returns a slice of n zeros, which reuses the given one if its capacity suffices.
func clearRoom[T int32 | float64](room []T, n int) []T {
	if cap(room) < n {
		return make([]T, n)
	}
	room = room[:n]
	clear(room)
	return room
}

// heardOf returns the shares of each term that the examples of a meaning have.
func (q *query) heardOf(meaning int) []float64 {
	return q.heard[meaning*len(q.terms) : (meaning+1)*len(q.terms)]
}

// addLikeness stores the similarity of a term and a word of the examples.
func (q *query) addLikeness(term int, word int32, like float32) {
	q.like = append(q.like, likeness{int32(term), q.first[word], like}) //nolint:gosec // at most maxTokens terms
	q.first[word] = int32(len(q.like))                                  //nolint:gosec // at most maxTokens for each word
}

// fillLikeness stores the similarity of a term to every word of the examples and
// returns the share of its weight that the term keeps.
func (q *query) fillLikeness(ix *Index, i int) float64 {
	t := &q.terms[i]
	if !t.content {
		if exact, known := ix.byWord[t.word]; known {
			q.addLikeness(i, int32(exact), 1) //nolint:gosec // of a vocabulary
		}
		return 1
	}
	known := ix.likenessOf(t)
	for _, l := range known.words {
		q.addLikeness(i, l.word, l.like)
	}
	return known.share
}

// overlap is the weight of an example's words that a message shares.
type overlap struct {
	shared  float64 // all of it
	agreed  float64 // words of substance that both say or both deny
	opposed float64 // words of substance that one says and the other denies
	heavy   int     // how many agreed words there are
}

// scoreDocument returns the similarity of the message and one example, and the share of the example
// that the message denies.
func (q *query) scoreDocument(ix *Index, i int) (score, opposed float64) {
	doc := &ix.docs[i]
	q.covered = 0
	if doc.weight == 0 || q.weight == 0 {
		return 0, 0
	}
	o := q.measureOverlap(ix.wordsOf(i), q.heardOf(ix.kinds[i]))
	q.covered = o.agreed / doc.substance
	cosine := float64(q.common[i]) / math.Sqrt(float64(max(1, len(q.grams)))*float64(max(1, ix.grams.counts[i])))
	if o.opposed > o.agreed {
		opposed = o.opposed / doc.weight
	}
	if q.isContrary(doc) {
		opposed = 1
	}
	return q.weighOverlap(doc, &o, cosine), opposed
}

// weighSubstance returns the weight of the content words.
func (p *passage) weighSubstance() float64 {
	sum := 1e-9
	for i := range p.terms {
		if p.terms[i].content {
			sum += p.terms[i].weight
		}
	}
	return sum
}

// weighOverlap returns the score of a text; cosine is the similarity of its trigrams.
func (q *query) weighOverlap(doc *passage, o *overlap, cosine float64) float64 {
	asked := min(q.weight, wordiness*doc.weight)
	if doc.heavy == 0 {
		asked = q.full
	}
	words := max(0, o.shared) / (exampleShare*doc.weight + (1-exampleShare)*asked)
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

func (q *query) measureOverlap(words []docWord, heard []float64) overlap {
	var o overlap
	for i := range words {
		d := &words[i]
		if q.first[d.id] == 0 {
			continue
		}
		like, same := q.nearestWord(d, heard)
		weight := d.weight * like
		switch {
		case !d.content:
			o.shared += weight
		case !same:
			o.shared -= contrary * weight
			o.opposed += weight
		default:
			o.shared += weight
			o.agreed += weight
			if weight > 0 {
				o.heavy++
			}
		}
	}
	return o
}

// heardShare returns the share of the message's content words that were found in the examples.
func (q *query) heardShare(heard []float64) float64 {
	var found, all float64
	for i := range q.terms {
		if t := &q.terms[i]; t.content {
			found += t.weight * heard[i]
			all += t.weight
		}
	}
	if all == 0 {
		return 0
	}
	return found / all
}

// nearestWord returns the similarity of a word of an example and the message's
// nearest word, and whether both are affirmed or both denied. It records matched
// terms in heard.
func (q *query) nearestWord(d *docWord, heard []float64) (like float64, same bool) {
	for at := q.first[d.id]; at > 0; at = q.like[at-1].next {
		i, l := q.like[at-1].term, float64(q.like[at-1].like)
		t := &q.terms[i]
		if t.content != d.content {
			continue
		}
		agree := t.denied == d.denied
		if agree {
			heard[i] = max(heard[i], l)
			q.met[i] = max(q.met[i], l)
		}
		if l > like || l == like && agree {
			like, same = l, agree
		}
	}
	return like, same
}

// RoundScore rounds a score to four decimals, so that it is equal on machines that
// differ in the last bits of a sum.
func RoundScore(score float64) float64 {
	if score == 0 {
		return score
	}
	return math.Round(score*1e4) / 1e4
}
