package intent

import (
	"math"
	"slices"
	"strings"
)

type profile struct {
	acts      Acts
	asksFacts bool      // only asks for information
	kinds     []float64 // log probability of each kind
	kindRoots []float64
}

func (c *classifier) profileOf(text *Reading) profile {
	p := profile{acts: text.Acts(), asksFacts: text.asksToBeTold()}
	input := newClassifierInput(text, &p.acts)
	p.kinds = c.logProbabilities(&input)
	p.kindRoots = make([]float64, len(p.kinds))
	for i, l := range p.kinds {
		p.kindRoots[i] = math.Exp(l / 2)
	}
	return p
}

// textList contains texts for comparison with messages. Texts of one choice, intent or kind of
// claims are adjacent.
type textList struct {
	texts    []string
	owners   []int
	index    *Index
	profiles []profile
	meanings []Meaning // contiguous for speed
}

func (l *textList) add(text string, owner int) bool {
	if strings.TrimSpace(text) == "" || len(l.texts) == maxTexts {
		return false
	}
	l.texts, l.owners = append(l.texts, clipText(text)), append(l.owners, owner)
	return true
}

// prepare must be called after all texts were added.
func (l *textList) prepare(r *Reader) []*Reading {
	read := r.lexicon.ReadAll(l.texts...)
	l.index = r.lexicon.NewIndex(read, l.owners)
	for _, text := range read {
		l.profiles, l.meanings = append(l.profiles, r.kinds.profileOf(text)), append(l.meanings, *text.Meanings()[0])
	}
	return read
}

type comparison struct {
	*textList
	Result
	unsplit         Result // without the comparison by sentences
	messageMeanings []*Meaning
	cosines         [][]float64 // for the message and each of its sentences, one value for each text
}

func (l *textList) compare(message *Reading) *comparison {
	c := &comparison{textList: l, messageMeanings: message.Meanings()}
	c.Result, c.unsplit = l.index.query(message)
	for _, meaning := range c.messageMeanings {
		cosines := make([]float64, len(l.meanings))
		for i := range l.meanings {
			cosines[i] = float64(meaning.about.dot(&l.meanings[i].about))
		}
		c.cosines = append(c.cosines, cosines)
	}
	return c
}

func (c *comparison) likeness(i int) float64 {
	best := 0.0
	for s, meaning := range c.messageMeanings {
		best = max(best, meaning.weighCosine(&c.meanings[i], c.cosines[s][i]))
	}
	return best
}

func (c *comparison) cosine(i int) float64 {
	best := c.cosines[0][i]
	for _, cosines := range c.cosines[1:] {
		best = max(best, cosines[i])
	}
	return best
}

const (
	pScore = iota // similarity of their words
	pScoreSquare
	pMeaning       // cosine of their meanings
	pMeaningStrong // excess of the cosine over strongMeaning
	pOpposed       // share of the text that the message negates
	pAsks          // both or neither are questions
	pDenies        // both or neither are negated
	pPast          // both or neither are about the past
	pGivesUp       // in both or neither the speaker gives up
	pKinds         // similarity of their probabilities of each decision
	pLength        // 1 for the same number of words
	pCovered       // share of the text that occurs in the message
	pUsed          // share of the message that occurs in the text
	pCoveredUsed
	pairCount
)

type pair [pairCount]float64

const strongMeaning, surelyGivesUp = 0.6, 0.5

func (c *comparison) measure(m *pair, message *profile, i int) {
	text, cosine, score := &c.profiles[i], c.cosine(i), c.Scores[i]
	m[pScore], m[pScoreSquare] = score, score*score
	m[pMeaning], m[pMeaningStrong] = cosine, max(0, cosine-strongMeaning)
	m[pCovered], m[pUsed] = c.Covered[i], c.Used[i]
	m[pCoveredUsed] = math.Sqrt(c.Covered[i] * c.Used[i])
	a, b := &message.acts, &text.acts
	m[pOpposed] = c.Opposed[i]
	m[pAsks] = asNumber(a.Question == b.Question)
	m[pDenies] = asNumber(a.Negated == b.Negated)
	m[pPast] = asNumber(a.Past == b.Past)
	m[pGivesUp] = asNumber((a.GivesUp > surelyGivesUp) == (b.GivesUp > surelyGivesUp))
	for k := range message.kindRoots {
		m[pKinds] += float64(message.kindRoots[k] * text.kindRoots[k])
	}
	m[pLength] = 1 / (1 + math.Abs(float64(a.Words-b.Words)))
}

const maxPairs = 8 // texts of a choice that are compared closely

type nearTexts struct {
	counts []int // of texts by choice
	near   [][]nearText
}

type nearText struct {
	from  *comparison
	text  int
	rough float64
}

func newNearTexts(choices int) *nearTexts {
	return &nearTexts{make([]int, choices), make([][]nearText, choices)}
}

func (n *nearTexts) add(choice int, from *comparison, i int) {
	if n.counts[choice]++; n.near[choice] == nil {
		n.near[choice] = make([]nearText, 0, maxPairs)
	}
	rough, near := from.Scores[i]+from.cosine(i), n.near[choice]
	index := len(near)
	for index > 0 && near[index-1].rough < rough {
		index--
	}
	if index < maxPairs {
		n.near[choice] = slices.Insert(near[:min(len(near), maxPairs-1)], index, nearText{from, i, rough})
	}
}

func (n *nearTexts) measure(message *profile) pairList {
	l := pairList{n.counts, make([][]pair, len(n.near))}
	for k, near := range n.near {
		l.pairs[k] = make([]pair, len(near))
		for i, t := range near {
			t.from.measure(&l.pairs[k][i], message, t.text)
		}
	}
	return l
}

type pairList struct {
	counts []int    // all texts of each choice
	pairs  [][]pair // the nearest texts of each choice
}
