package intent

import (
	"math"
)

type profile struct {
	acts      Acts
	told      bool      // it only asks for information
	kinds     []float64 // logarithms of the probability of each kind; only for a message
	kindRoots []float64
}

func (c *classifier) profileMessage(text *Reading) profile {
	p := profile{acts: text.Acts(), told: text.asksToBeTold()}
	in := newClassifierInput(text, &p.acts)
	p.kinds = c.classify(&in)
	p.kindRoots = make([]float64, len(p.kinds))
	for i, l := range p.kinds {
		p.kindRoots[i] = math.Exp(l / 2)
	}
	return p
}

// profileText returns only the features that are compared, because many profiles of examples are
// stored.
func (c *classifier) profileText(text *Reading) profile {
	p := c.profileMessage(text)
	p.kinds = nil
	return p
}

// profileList keeps the meanings contiguous in memory, because each message is compared with all of
// them.
type profileList struct {
	texts    []profile
	meanings []Meaning
}

func (l *profileList) add(c *classifier, text *Reading) {
	l.texts, l.meanings = append(l.texts, c.profileText(text)), append(l.meanings, *text.Meanings()[0])
}

// The measures that compare a message with a text.
const (
	pScore = iota // similarity of their words
	pScoreSquare
	pMeaning       // cosine of their meanings
	pMeaningStrong // by how much the cosine exceeds strongMeaning
	pOpposed       // share of the text that the message negates
	pAsks          // both or neither are questions
	pDenies        // both or neither are negated
	pPast          // both or neither are about the past
	pGivesUp       // in both or neither the speaker gives up
	pKinds         // similarity of their probabilities of each decision
	pLength        // 1 if they have the same number of words
	pCovered       // share of the text that occurs in the message
	pUsed          // share of the message that occurs in the text
	pCoveredUsed
	pairCount
)

const strongMeaning, surelyGivesUp = 0.6, 0.5

// cosineTable contains the cosines between texts and a message, as a whole and by sentences.
type cosineTable struct {
	said   []*Meaning
	texts  *profileList
	values [][]float64 // for each meaning, one value for each text
}

func measureCosines(said []*Meaning, texts *profileList) cosineTable {
	t := cosineTable{said, texts, make([][]float64, len(said))}
	for s, meaning := range said {
		t.values[s] = make([]float64, len(texts.meanings))
		for i := range texts.meanings {
			t.values[s][i] = float64(meaning.about.dot(&texts.meanings[i].about))
		}
	}
	return t
}

func (t *cosineTable) likeness(s, i int) float64 {
	return t.said[s].weighCosine(&t.texts.meanings[i], t.values[s][i])
}

func (t *cosineTable) nearest(i int) float64 {
	cosine := t.values[0][i]
	for s := 1; s < len(t.said); s++ {
		cosine = max(cosine, t.values[s][i])
	}
	return cosine
}

type pair struct {
	choice   int
	rough    float64 // rough similarity
	measures [pairCount]float64
}

func (t *cosineTable) compare(message *profile, result *Result, i int) (m [pairCount]float64) {
	text, cosine := &t.texts.texts[i], t.nearest(i)
	m[pScore], m[pScoreSquare] = result.Scores[i], result.Scores[i]*result.Scores[i]
	m[pMeaning], m[pMeaningStrong] = cosine, max(0, cosine-strongMeaning)
	m[pCovered], m[pUsed] = result.Covered[i], result.Used[i]
	m[pCoveredUsed] = math.Sqrt(result.Covered[i] * result.Used[i])
	a, b := &message.acts, &text.acts
	m[pOpposed], m[pAsks], m[pDenies] = result.Opposed[i], asNumber(a.Question == b.Question), asNumber(a.Negated == b.Negated)
	m[pPast], m[pGivesUp] = asNumber(a.Past == b.Past), asNumber((a.GivesUp > surelyGivesUp) == (b.GivesUp > surelyGivesUp))
	m[pKinds] = multiplyRoots(message.kindRoots, text.kindRoots)
	m[pLength] = 1 / (1 + math.Abs(float64(a.Words-b.Words)))
	return m
}

func multiplyRoots(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// maxPairs is the number of texts of a choice that are compared closely: those with the greatest
// rough similarity.
const maxPairs = 8

type pairList struct {
	pairs  []pair
	counts []int // number of texts of each choice
	start  int   // index in pairs of the first pair of the current choice
	far    int   // index, relative to start, of the least similar pair of the current choice
}

// makeRoom returns the pair to fill for a text, or nil if maxPairs texts of the choice are more
// similar. The calls for one choice must be consecutive.
func (l *pairList) makeRoom(choice int, rough float64) *pair {
	if l.counts[choice] == 0 {
		l.start = len(l.pairs)
	}
	l.counts[choice]++
	kept := l.pairs[l.start:]
	if len(kept) < maxPairs {
		l.pairs = append(l.pairs, pair{choice: choice, rough: rough})
		l.findFarthest()
		return &l.pairs[len(l.pairs)-1]
	}
	p := &kept[l.far]
	if rough <= p.rough {
		return nil
	}
	p.rough = rough
	l.findFarthest()
	return p
}

func (l *pairList) findFarthest() {
	kept := l.pairs[l.start:]
	l.far = 0
	for i := range kept {
		if kept[i].rough < kept[l.far].rough {
			l.far = i
		}
	}
}
