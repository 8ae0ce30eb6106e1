package intent

import (
	"math"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

type measurement struct {
	state    *preparedState
	features []features
	nearest  []int   // nearest example of each choice, or -1
	maxBest  float64 // greatest fBest of all choices but the aside
	exact    int     // choice with an example equal to the message, or -1
	text     string
	clauses  int
	message  profile
	hostile  bool // an insult or threat, not in English
	intent   intentMatch
	asksHelp bool

	helpChoice int // the choice for requests for help, or -1
	model      *model
	examples   pairList // includes the lines of the intents as texts of the aside
	criteria   pairList
}

// measure skips the intent line omittedLine, for the fit of the weights.
func (r *Reader) measure(p *preparedState, message, omittedLine string) *measurement {
	read, n := r.lexicon.Read(message), len(p.choices)
	m := &measurement{
		state: p, features: make([]features, n), nearest: make([]int, n), text: message, clauses: countClauses(message),
		message: r.kinds.profileOf(read), hostile: read.isHostile(p.language), model: r.full,
	}
	if len(p.examples.texts) == 0 {
		m.model = r.prose
	}
	b := r.bankOf(p.language)
	examples, criteria, intents := p.examples.compare(read), p.criteria.compare(read), b.lines.compare(read)
	m.compareTexts(examples, criteria)
	m.matchIntent(b, intents, omittedLine)
	m.noteHelp(b)
	m.noteIntent()
	m.noteAmounts(read.Numbers())
	m.noteSlots(read.slotWords())
	m.notePairs(examples, criteria, intents, omittedLine)
	m.noteKernels()
	m.noteLength(examples, criteria)
	m.noteExact()
	return m
}

func (m *measurement) compareTexts(examples, criteria *comparison) {
	for k := range m.nearest {
		m.nearest[k] = -1
	}
	for i, k := range examples.owners {
		f := &m.features[k]
		if score := examples.Scores[i]; m.nearest[k] < 0 || score > f[fBest] {
			f[fBest], m.nearest[k] = score, i
		}
		f[fOpposed] = max(f[fOpposed], examples.Opposed[i])
		f[fMeaningBest] = max(f[fMeaningBest], examples.likeness(i))
	}
	for i, k := range criteria.owners {
		f := &m.features[k]
		f[fCriterion] = max(f[fCriterion], criteria.Scores[i])
		f[fMeaningCriterion] = max(f[fMeaningCriterion], criteria.likeness(i))
	}
	for k := range m.features[:len(m.features)-1] {
		for _, meaning := range examples.messageMeanings {
			m.features[k][fMeaning] = max(m.features[k][fMeaning], meaning.Likeness(&m.state.centers[k]))
		}
	}
}

func (m *measurement) matchIntent(b *bank, comparison *comparison, omittedLine string) {
	meaning, best := 0.0, 0.0
	for i, line := range b.lines.texts {
		if line == omittedLine {
			continue
		}
		meaning = max(meaning, comparison.likeness(i))
		rank := comparison.Scores[i]
		if m.message.acts.Question != b.lines.profiles[i].acts.Question {
			rank -= questionPenalty
		}
		if comparison.Scores[i] > 0 && rank > best {
			best = rank
			intent := b.intents[b.lines.owners[i]]
			m.intent = intentMatch{intent: intent, line: line, score: comparison.Scores[i], covered: comparison.Covered[i]}
		}
	}
	m.intent.meaning = meaning
}

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

func (m *measurement) noteAmounts(numbers []float64) {
	for k := range m.features {
		within, outside := compareNumbers(m.state.choices[k].intervals, numbers)
		m.features[k][fIntervalIn], m.features[k][fIntervalOut] = asNumber(within), asNumber(outside)
	}
}

func (m *measurement) noteSlots(words []slotWord) {
	slots := m.state.slots.compareMessage(words)
	for k := range m.features {
		copy(m.features[k][fSlots:], slots[k][:])
	}
	for k := range m.features {
		if m.state.choices[k].texts == 0 {
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

func (m *measurement) bestOther(k, feature int) float64 {
	best := 0.0
	for j := range m.features {
		if j != k {
			best = max(best, m.features[j][feature])
		}
	}
	return best
}

func (m *measurement) notePairs(examples, criteria, intents *comparison, omittedLine string) {
	last := len(m.features) - 1
	ofExamples, ofCriteria := newNearTexts(last+1), newNearTexts(last+1)
	for i, k := range examples.owners {
		ofExamples.add(k, examples, i)
	}
	for i, k := range criteria.owners {
		ofCriteria.add(k, criteria, i)
	}
	for i, line := range intents.texts {
		if line != omittedLine {
			ofExamples.add(last, intents, i)
			ofCriteria.add(last, intents, i)
		}
	}
	m.examples, m.criteria = ofExamples.measure(&m.message), ofCriteria.measure(&m.message)
}

func (m *measurement) noteKernels() {
	examples := logShares(m.model.Examples.utilities(m.state.choices, &m.examples))
	clauses := logShares(m.model.Clauses.utilities(m.state.choices, &m.criteria))
	for k := range m.features {
		f := &m.features[k]
		f[fKernel], f[fClauses] = max(minLogShare, examples[k]), max(minLogShare, clauses[k])
		for i, l := range m.message.kinds {
			f[fKinds+i] = max(minLogShare, l) / 2
		}
	}
}

// noteLength relates similarity to length, because a long message resembles every state. Coverage
// of the whole message keeps one similar sentence from hiding the others.
func (m *measurement) noteLength(examples, criteria *comparison) {
	used, score := make([]float64, len(m.features)), make([]float64, len(m.features))
	for i, k := range examples.owners {
		used[k], score[k] = max(used[k], examples.unsplit.Used[i]), max(score[k], examples.unsplit.Scores[i])
	}
	clauses, length := math.Log(float64(max(1, m.clauses))), math.Log(float64(1+len(strings.Fields(m.text))))
	for k := range m.features {
		f, shares := &m.features[k], examples.unsplit.heardOf(k)
		likeness, covered := max(f[fBest], f[fCriterion]), max(shares, criteria.unsplit.heardOf(k))
		copy(f[fLength:], []float64{
			clauses, length, clauses * covered, length * shares, length * f[fBest], clauses * used[k], length * score[k],
			min(likeness, covered), likeness * covered, shares * shares, clauses * likeness, min(covered, 0.3),
		})
	}
}

func (m *measurement) noteExact() {
	m.exact = -1
	bare := bareText(m.text)
	i, ok := m.state.exact[bare]
	if !ok || bare == "" {
		return
	}
	m.exact = m.state.examples.owners[i]
	f := &m.features[m.exact]
	m.nearest[m.exact], f[fBest] = i, 1
	if m.exact == len(m.features)-1 {
		f[fCriterion] = 1
	}
}

var clauseEndPattern = plaintext.Pattern(`[.!?;,:…*]+|\n| and [Ii]\b| - | — `)

func countClauses(text string) int {
	n := 0
	for _, clause := range clauseEndPattern().Split(text, -1) {
		if len(strings.Fields(clause)) >= 2 {
			n++
		}
	}
	return n
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
