package intent

import (
	"math"
)

// profile is the features of a text that do not depend on other texts.
type profile struct {
	acts      Acts
	told      bool      // it only asks to be told something
	kinds     []float64 // logarithms of the probability of each kind; of a message only
	kindRoots []float64 // roots of the probabilities
}

// profileMessage profiles a message.
func (c *classifier) profileMessage(text *Reading) profile {
	p := profile{acts: text.Acts(), told: text.AsksToBeTold()}
	in := newClassifierInput(text, &p.acts)
	p.kinds = c.classify(&in)
	p.kindRoots = takeRoots(p.kinds)
	return p
}

// profileText profiles a text that messages are compared with. Many of these are kept, so they have
// only the features that are compared.
func (c *classifier) profileText(text *Reading) profile {
	p := c.profileMessage(text)
	p.kinds = nil
	return p
}

// profileList are the profiles of texts. Their meanings are in one block of memory, because each
// message is compared with all of them.
type profileList struct {
	texts    []profile
	meanings []Meaning
}

func (l *profileList) add(c *classifier, text *Reading) {
	l.texts, l.meanings = append(l.texts, c.profileText(text)), append(l.meanings, *text.Meanings()[0])
}

func takeRoots(logs []float64) []float64 {
	out := make([]float64, len(logs))
	for i, l := range logs {
		out[i] = math.Exp(l / 2)
	}
	return out
}

// The measures of a message and one text.
const (
	pScore         = iota // likeness of their words
	pScoreSquare          //
	pMeaning              // cosine of their meanings
	pMeaningStrong        // over strongMeaning
	pOpposed              // share of the text that the message denies
	pAsks                 // both are questions, or neither
	pDenies               // both deny, or neither
	pPast                 // both are about the past, or neither
	pGivesUp              // both give up, or neither
	pKinds                // whether they look like the same decision
	pLength               // 1 for as many words
	pCovered              // share of the text that the message has
	pUsed                 // share of the message that the text has
	pCoveredUsed          //
	pairCount
)

const strongMeaning, surelyGivesUp = 0.6, 0.5

// cosineTable are the cosines of a message's meanings, as a whole and by sentences, with the
// meanings of texts. They are computed once.
type cosineTable struct {
	said   []*Meaning
	texts  *profileList
	values [][]float64 // of each meaning, one for each text
}

func measureCosines(said []*Meaning, texts *profileList) cosineTable {
	t := cosineTable{said, texts, make([][]float64, len(said))}
	for s, meaning := range said {
		t.values[s] = texts.cosinesOf(meaning)
	}
	return t
}

// cosinesOf returns the cosine of a meaning with that of each text.
func (l *profileList) cosinesOf(meaning *Meaning) []float64 {
	out := make([]float64, len(l.meanings))
	for i := range l.meanings {
		out[i] = float64(meaning.Embedding().Dot(l.meanings[i].Embedding()))
	}
	return out
}

// likeness is Meaning.Likeness of meaning s and text i.
func (t *cosineTable) likeness(s, i int) float64 {
	return t.said[s].WeighCosine(&t.texts.meanings[i], t.values[s][i])
}

// nearest returns the greatest cosine with text i.
func (t *cosineTable) nearest(i int) float64 {
	cosine := t.values[0][i]
	for s := 1; s < len(t.said); s++ {
		cosine = max(cosine, t.values[s][i])
	}
	return cosine
}

// pair is a message compared with one text.
type pair struct {
	choice   int
	rough    float64 // how near they are at a glance
	measures [pairCount]float64
}

// compare compares a message, given its profile, with text i of found.
func (p *pair) compare(of *cosineTable, message *profile, found *Result, i int) {
	m, text, cosine := &p.measures, &of.texts.texts[i], of.nearest(i)
	m[pScore], m[pScoreSquare] = found.Scores[i], found.Scores[i]*found.Scores[i]
	m[pMeaning], m[pMeaningStrong] = cosine, max(0, cosine-strongMeaning)
	m[pCovered], m[pUsed] = found.Covered[i], found.Used[i]
	m[pCoveredUsed] = math.Sqrt(found.Covered[i] * found.Used[i])
	a, b := &message.acts, &text.acts
	m[pOpposed], m[pAsks], m[pDenies] = found.Opposed[i], asNumber(a.Question == b.Question), asNumber(a.Negated == b.Negated)
	m[pPast], m[pGivesUp] = asNumber(a.Past == b.Past), asNumber((a.GivesUp > surelyGivesUp) == (b.GivesUp > surelyGivesUp))
	m[pKinds] = multiplyRoots(message.kindRoots, text.kindRoots)
	m[pLength] = 1 / (1 + math.Abs(float64(a.Words-b.Words)))
}

func multiplyRoots(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// maxPairs bounds the texts of a choice that are compared closely: those with the best rough
// similarity.
const maxPairs = 8

// pairList is a message compared with the nearest texts of each choice.
type pairList struct {
	pairs  []pair
	counts []int // of each choice, how many texts it has
	start  int   // of the present choice in pairs
	far    int   // behind start, which of the present choice is farthest, when there are maxPairs
}

// makeRoom returns a pair to fill if a text's rough similarity is among the best of its choice,
// else nil. Calls for one choice follow each other.
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
