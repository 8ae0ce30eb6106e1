package offline

import (
	"math"

	"github.com/parley-npc/parley/personas/nlu"
)

// profile is what is known of a text by itself.
type profile struct {
	acts          nlu.Acts
	manner, kinds []float64 // logarithms of probabilities; of a message only
	shares        []float64 // of each manner, how probable it is; of a message only
	mannerRoots   []float64 // and the roots of these
	kindRoots     []float64
	peaks         []float64 // of peakClasses, how probable in the sentence where it is most; of a message only
	last          []float64 // logarithms of how probable the decisions are by the last sentence; of a message only
}

// peakClasses are what one sentence of many may do.
var peakClasses = [...]int{
	classOf("insult"), classOf("threat"), classOf("violence"), classOf("theft"), classOf("crude"), classOf("bribe"), classOf("refuse"), classOf("leave"), classOf("offer"), classOf("agree"), classOf("hedge"), classOf("withhold"), classOf("deed"), classOf("promise"), classOf("soft_no"),
}

const (
	peakCount = len(peakClasses)
	// maxParts is how many sentences of a message are classified by themselves.
	maxParts = 6
)

// profileMessage profiles what a player says, with what its sentences do.
func (c *classifiers) profileMessage(text *nlu.Reading, memory *partMemory) profile {
	p := memory.classify(c, text)
	p.noteRoots()
	p.shares, p.peaks, p.last = make([]float64, len(p.manner)), make([]float64, peakCount), p.kinds
	for i, l := range p.manner {
		p.shares[i] = math.Exp(l)
	}
	for i, class := range peakClasses {
		p.peaks[i] = p.shares[class]
	}
	for _, part := range text.Parts(maxParts) {
		known := memory.classify(c, part)
		for i, class := range peakClasses {
			p.peaks[i] = max(p.peaks[i], math.Exp(known.manner[class]))
		}
		p.last = known.kinds
	}
	return p
}

// profileText profiles a text that messages are compared with. Many of these are kept, so they have
// no more than what is compared: of the probabilities the roots.
func (c *classifiers) profileText(text *nlu.Reading) profile {
	p := c.classifyText(text)
	p.noteRoots()
	p.manner, p.kinds = nil, nil
	return p
}

// partMemory remembers what was made of the parts of one message, since its sentences are also
// read by themselves. It is not safe for concurrent use.
type partMemory struct {
	message  *nlu.Reading // as a whole; nil before it is read
	found    nlu.Comparisons
	profiles map[nlu.PartKey]profile
	cosines  map[cosineKey][]float64
	words    map[string][]float64 // how alike a word is to those of the state's slots
}

type cosineKey struct {
	meaning *nlu.Meaning
	texts   *profileList
}

func newPartMemory() *partMemory {
	return &partMemory{found: make(nlu.Comparisons), profiles: make(map[nlu.PartKey]profile), cosines: make(map[cosineKey][]float64), words: make(map[string][]float64)}
}

// read reads the message, or a sentence of it.
func (m *partMemory) read(x *nlu.Lexicon, text string) *nlu.Reading {
	if m.message != nil {
		return m.message.ReadSentence(text)
	}
	m.message = x.Read(text)
	return m.message
}

func (m *partMemory) classify(c *classifiers, text *nlu.Reading) profile {
	key, one := text.PartKey()
	if known, ok := m.profiles[key]; one && ok {
		return known
	}
	p := c.classifyText(text)
	if one {
		m.profiles[key] = p
	}
	return p
}

// compareWords is slotTable.compareWords.
func (m *partMemory) compareWords(t *slotTable, said []nlu.SlotWord) [][]float64 {
	out := make([][]float64, len(said))
	for i := range said {
		word := said[i].Text
		if m.words[word] == nil {
			m.words[word] = t.compareWord(&said[i])
		}
		out[i] = m.words[word]
	}
	return out
}

func (m *partMemory) measureCosines(meaning *nlu.Meaning, texts *profileList) []float64 {
	key := cosineKey{meaning, texts}
	if m.cosines[key] == nil {
		m.cosines[key] = texts.cosinesOf(meaning)
	}
	return m.cosines[key]
}

// profileList are the profiles of texts, with their meanings beside each other, since each message
// is compared with them all.
type profileList struct {
	texts    []profile
	meanings []nlu.Meaning
}

func (l *profileList) add(c *classifiers, text *nlu.Reading) {
	l.texts, l.meanings = append(l.texts, c.profileText(text)), append(l.meanings, *text.Meanings()[0])
}

func (p *profile) noteRoots() {
	p.mannerRoots, p.kindRoots = takeRoots(p.manner), takeRoots(p.kinds)
}

// classifyText profiles a text without roots.
func (c *classifiers) classifyText(text *nlu.Reading) profile {
	p := profile{acts: text.Acts()}
	in := newMannerInput(text, text.Meanings()[0], &p.acts)
	p.manner, p.kinds = c.manner.classify(&in), c.kinds.classify(&in)
	return p
}

func takeRoots(logs []float64) []float64 {
	out := make([]float64, len(logs))
	for i, l := range logs {
		out[i] = math.Exp(l / 2)
	}
	return out
}

// What is compared of a message and one text, before the dimensions of their meanings.
const (
	pScore         = iota // likeness of their words
	pScoreSquare          //
	pMeaning              // cosine of their meanings
	pMeaningStrong        // over strongMeaning
	pOpposed              // share of the text that the message contradicts
	pKinds                // whether they look like the same decision
	pManner               // whether they do the same
	pAsks                 // both are questions, or neither
	pDenies               //
	pPast                 //
	pGivesUp              //
	pStance               // whether both hedge, decline, promise and take back
	pLength               // 1 for as many words
	pCovered              // share of the text that the message has
	pUsed                 // share of the message that the text has
	pCoveredUsed          //
	pairMeasures
	pairCount = pairMeasures + meaningSize
)

const strongMeaning, surelyGivesUp = 0.6, 0.5

// cosineTable are the cosines of what a message means, as a whole and by sentences, with the
// meanings of some texts: measured once for all that is asked of them.
type cosineTable struct {
	said   []*nlu.Meaning
	texts  *profileList
	values [][]float64 // of each meaning, one for each text
}

func measureCosines(said []*nlu.Meaning, texts *profileList, memory *partMemory) cosineTable {
	t := cosineTable{said, texts, make([][]float64, len(said))}
	for s, meaning := range said {
		t.values[s] = memory.measureCosines(meaning, texts)
	}
	return t
}

// cosinesOf returns the cosine of a meaning with that of each text.
func (l *profileList) cosinesOf(meaning *nlu.Meaning) []float64 {
	out, e, of := make([]float64, 0, len(l.meanings)), meaning.Embedding(), l.meanings
	for ; len(of) >= 4; of = of[4:] {
		dots := e.DotFour([4]*nlu.Embedding{of[0].Embedding(), of[1].Embedding(), of[2].Embedding(), of[3].Embedding()})
		out = append(out, float64(dots[0]), float64(dots[1]), float64(dots[2]), float64(dots[3]))
	}
	for i := range of {
		out = append(out, float64(e.Dot(of[i].Embedding())))
	}
	return out
}

// likeness is nlu.Meaning.Likeness of meaning s and text i.
func (t *cosineTable) likeness(s, i int) float64 {
	return t.said[s].WeighCosine(&t.texts.meanings[i], t.values[s][i])
}

// nearest returns the greatest cosine with text i, and whose it is.
func (t *cosineTable) nearest(i int) (said *nlu.Embedding, cosine float64) {
	said, cosine = t.said[0].Embedding(), t.values[0][i]
	for s := 1; s < len(t.said); s++ {
		if c := t.values[s][i]; c > cosine {
			said, cosine = t.said[s].Embedding(), c
		}
	}
	return said, cosine
}

// pair is a message compared with one text.
type pair struct {
	choice   int
	rough    float64 // how near they are at a glance
	measures [pairMeasures]float64
	said     *nlu.Embedding // of the message, or of its sentence that is nearest
	text     *nlu.Embedding
}

// compare compares a message, whose profile is given, with text i of what was found.
func (p *pair) compare(of *cosineTable, message *profile, found *nlu.Result, i int) {
	said, cosine := of.nearest(i)
	p.said, p.text = said, of.texts.meanings[i].Embedding()
	p.noteWords(found, i, cosine)
	p.noteActs(message, &of.texts.texts[i])
}

func (p *pair) noteWords(found *nlu.Result, i int, cosine float64) {
	m := &p.measures
	m[pScore], m[pScoreSquare] = found.Scores[i], found.Scores[i]*found.Scores[i]
	m[pMeaning], m[pMeaningStrong] = cosine, max(0, cosine-strongMeaning)
	m[pOpposed], m[pCovered], m[pUsed] = found.Opposed[i], found.Covered[i], found.Used[i]
	m[pCoveredUsed] = math.Sqrt(found.Covered[i] * found.Used[i])
}

func (p *pair) noteActs(message, text *profile) {
	m, a, b := &p.measures, &message.acts, &text.acts
	m[pKinds], m[pManner] = multiplyRoots(message.kindRoots, text.kindRoots), multiplyRoots(message.mannerRoots, text.mannerRoots)
	m[pAsks], m[pDenies], m[pPast] = asNumber(a.Question == b.Question), asNumber(a.Negated == b.Negated), asNumber(a.Past == b.Past)
	m[pGivesUp] = asNumber((a.GivesUp > surelyGivesUp) == (b.GivesUp > surelyGivesUp))
	m[pStance] = compareStances(&a.Stance, &b.Stance)
	m[pLength] = 1 / (1 + math.Abs(float64(a.Words-b.Words)))
}

// compareStances is 1 for the same stance, and less for each way in which they differ.
func compareStances(a, b *nlu.Stance) float64 {
	differ := math.Abs(a.Hedged-b.Hedged) + math.Abs(a.Declined-b.Declined) + math.Abs(a.Promised-b.Promised) + math.Abs(a.Withheld-b.Withheld) + math.Abs(a.Conditional-b.Conditional)
	return 1 - min(1, differ/2)
}

func multiplyRoots(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// maxPairs is how many texts of a choice are compared closely: those that are nearest
// at a glance.
const maxPairs = 8

// pairList is a message compared with the nearest texts of each choice.
type pairList struct {
	pairs  []pair
	counts []int // of each choice, how many texts it has
	start  int   // of the present choice in pairs
	far    int   // behind start, which of the present choice is farthest, when there are maxPairs
}

// makeRoom returns a pair to fill for a text that is so near its choice's at a glance, if it
// is one of the nearest; else nil. Those of one choice follow each other.
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
