package intent

import (
	"math"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

type measurement struct {
	state    *preparedState
	features []features
	nearest  []int   // index of the nearest example of each choice, or -1
	maxBest  float64 // greatest fBest of all choices except the aside
	coverage []coverage
	text     string
	clauses  int
	message  profile
	words    []SlotWord
	hostile  Talk // an insult or a threat, in a language other than English
	intent   intentMatch
	asksHelp bool
	// helpChoice is the index of the choice for requests for help, or -1.
	helpChoice int
	model      *model
	examples   pairList // includes the lines of the intents, which belong to the aside
	criteria   pairList
}

// measure compares a message with the choices of a state. It ignores the line omitted of the
// built-in intents, which the fit of the weights needs.
func (r *Reader) measure(p *preparedState, message, omitted string) *measurement {
	read := r.lexicon.Read(message)
	m := &measurement{
		text: message, clauses: countClauses(message), state: p,
		features: make([]features, len(p.choices)), coverage: make([]coverage, len(p.choices)), nearest: make([]int, len(p.choices)), message: r.kinds.profileMessage(read),
		words: read.slotWords(), hostile: read.hostility(p.language), model: r.modelOf(p),
	}
	said := read.Meanings()
	examples, wholeExamples := p.examples.index.queryBoth(read)
	criteria, wholeCriteria := p.criteria.index.queryBoth(read)
	m.compareTexts(&examples, &criteria)
	m.noteCoverage(&wholeExamples, &wholeCriteria)
	toExamples, toCriteria := measureCosines(said, &p.examples.profiles), measureCosines(said, &p.criteria.profiles)
	m.compareMeanings(p, &toExamples, &toCriteria)
	m.noteAmounts(read.Numbers())
	m.examples, m.criteria = m.comparePairs(&p.examples, &toExamples, &examples), m.comparePairs(&p.criteria, &toCriteria, &criteria)
	b := r.bankOf(p.language)
	intents, toIntents := b.index.query(read), measureCosines(said, &b.profiles)
	m.intent = b.match(&intents, &m.message, &toIntents, omitted)
	m.compareIntents(b, &toIntents, &intents, omitted)
	m.noteHelp(b, message)
	m.noteIntent()
	m.noteSlots()
	m.noteKernels()
	m.noteLength(len(strings.Fields(message)))
	return m
}

func (r *Reader) modelOf(p *preparedState) *model {
	if len(p.examples.texts) == 0 {
		return r.prose
	}
	return r.full
}

func (m *measurement) comparePairs(g *textGroup, cosines *cosineTable, found *Result) pairList {
	l := pairList{counts: make([]int, len(m.features)), pairs: make([]pair, 0, min(len(g.texts), maxPairs*len(m.features))+maxPairs)}
	for i := range g.texts {
		if p := l.makeRoom(g.choices[i], found.Scores[i]+cosines.nearest(i)); p != nil {
			p.measures = cosines.compare(&m.message, found, i)
		}
	}
	return l
}

func (m *measurement) compareIntents(b *bank, cosines *cosineTable, found *Result, omitted string) {
	last := len(m.features) - 1
	for i, line := range b.lines {
		if line == omitted {
			continue
		}
		rough := found.Scores[i] + cosines.nearest(i)
		example, clause := m.examples.makeRoom(last, rough), m.criteria.makeRoom(last, rough)
		if example == nil && clause == nil {
			continue
		}
		measures := cosines.compare(&m.message, found, i)
		for _, p := range [...]*pair{example, clause} {
			if p != nil {
				p.measures = measures
			}
		}
	}
}

func (m *measurement) noteKernels() {
	examples := logShares(m.model.Examples.utilities(m.state.kinds, &m.examples))
	clauses := logShares(m.model.Clauses.utilities(m.state.kinds, &m.criteria))
	for k := range m.features {
		f := &m.features[k]
		f[fKernel], f[fClauses] = max(least, examples[k]), max(least, clauses[k])
		for i, l := range m.message.kinds {
			f[fKinds+i] = max(least, l) / 2
		}
	}
}

// noteLength relates similarity and coverage to the message's length, because a long message has
// something in common with every state.
func (m *measurement) noteLength(words int) {
	clauses, length := math.Log(float64(max(1, m.clauses))), math.Log(float64(1+words))
	for k := range m.features {
		f, c := &m.features[k], &m.coverage[k]
		near, covered := max(f[fBest], f[fCriterion]), max(c.heard, c.criterionHeard)
		copy(f[fLength:], []float64{
			clauses, length, clauses * covered, length * c.heard, length * f[fBest], clauses * c.used, length * c.score,
			min(near, covered), near * covered, c.heard * c.heard, clauses * near, min(covered, 0.3),
		})
	}
}

func (m *measurement) noteCoverage(examples, criteria *Result) {
	p := m.state
	for i, heard := range examples.Heard {
		m.coverage[p.examples.used[i]].heard = heard
	}
	for i := range examples.Scores {
		c := &m.coverage[p.examples.choices[i]]
		c.used, c.score = max(c.used, examples.Used[i]), max(c.score, examples.Scores[i])
	}
	for i, heard := range criteria.Heard {
		m.coverage[p.criteria.used[i]].criterionHeard = heard
	}
}

var clauseEndPattern = plaintext.Pattern(`[.!?;,:…*]+|\n| and [Ii]\b| - | — `)

// countClauses ignores clauses of one word.
func countClauses(text string) int {
	n := 0
	for _, clause := range clauseEndPattern().Split(text, -1) {
		if len(strings.Fields(clause)) >= 2 {
			n++
		}
	}
	return n
}

func (m *measurement) compareTexts(examples, criteria *Result) {
	for k := range m.nearest {
		m.nearest[k] = -1
	}
	for i, score := range examples.Scores {
		k := m.state.examples.choices[i]
		f := &m.features[k]
		if m.nearest[k] < 0 || score > f[fBest] {
			f[fBest], m.nearest[k] = score, i
		}
		f[fOpposed] = max(f[fOpposed], examples.Opposed[i])
	}
	for i, score := range criteria.Scores {
		f := &m.features[m.state.criteria.choices[i]]
		f[fCriterion] = max(f[fCriterion], score)
	}
}

func (m *measurement) compareMeanings(p *preparedState, examples, criteria *cosineTable) {
	for s := range examples.said {
		for i, k := range p.examples.choices {
			m.features[k][fMeaningBest] = max(m.features[k][fMeaningBest], examples.likeness(s, i))
		}
		for i, k := range p.criteria.choices {
			m.features[k][fMeaningCriterion] = max(m.features[k][fMeaningCriterion], criteria.likeness(s, i))
		}
		for k := range p.choices[:len(p.choices)-1] {
			m.features[k][fMeaning] = max(m.features[k][fMeaning], examples.said[s].Likeness(&p.examples.centers[k]))
		}
	}
}

func (m *measurement) noteAmounts(numbers []float64) {
	for k := range m.features {
		within, outside := compareNumbers(m.state.intervals[k], numbers)
		m.features[k][fIntervalIn], m.features[k][fIntervalOut] = asNumber(within), asNumber(outside)
	}
}

// noteIntent raises the aside's features to the similarity of the message's built-in intent.
func (m *measurement) noteIntent() {
	last := len(m.features) - 1
	f := &m.features[last]
	f[fCriterion] = f[fBest]
	f[fBest] = max(f[fBest], m.intent.score)
	f[fMeaningBest] = max(f[fMeaningBest], m.intent.meaning)
	for k := range m.features {
		m.features[k][fOne] = 1
		if k < last {
			m.maxBest = max(m.maxBest, m.features[k][fBest])
		}
	}
}

func (m *measurement) bestOther(k, feature int) float64 {
	best := 0.0
	for j := range m.features {
		if j != k {
			best = max(best, m.features[j][feature])
		}
	}
	return best
}

func (w *weightTable) weighChoices(m *measurement) []float64 {
	out := make([]float64, len(m.features))
	for k := range m.features {
		for i, x := range m.features[k] {
			out[k] += float64(w[m.state.choices[k].kind][i] * x)
		}
	}
	return out
}

func (m *measurement) noteSlots() {
	slots := m.state.slots.compareMessage(m.words, m.state.slots.compareWords(m.words))
	for k := range m.features {
		copy(m.features[k][fSlots:], slots[k][:])
	}
	for k := range m.features {
		if m.state.counts[k] == 0 {
			continue
		}
		for i := range slotMeasureCount {
			m.features[k][fSlotMargin+i] = m.features[k][fSlots+i] - m.bestOther(k, fSlots+i)
		}
	}
	for k := range m.features {
		for i := fSlots; i < fLength; i++ {
			m.features[k][i] *= m.state.trust
		}
	}
}
