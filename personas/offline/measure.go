package offline

import (
	"math"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

// measurement is a message compared with all choices of a state.
type measurement struct {
	state    *preparedState
	features []features
	nearest  []int  // of each choice, the example; -1 for none
	text     string // of the message
	message  profile
	words    []nlu.SlotWord // of the message
	fields   int            // how many words it has, whatever they mean
	talk     nlu.Talk
	hostile  nlu.Talk // an insult or a threat, in a language other than English
	intent   intentMatch
	courtesy personas.Intent // with which a short message begins that goes on; "" for none
	polite   bool            // the message says please or thanks
	asksHelp bool            // it does nothing but ask for help
	// helpChoice is the choice that is about that; -1 for none.
	helpChoice int
	contrary   []bool // of each choice, whether the message says the contrary of an example
	memory     *partMemory
	model      *model
	examples   pairList // with the lines of the intents, which belong to the aside
	clauses    pairList // of the criteria, with the same
}

// measure compares a message with a state's choices; an intent's line equal to
// without does not count.
func (r *Reader) measure(p *preparedState, message, without string) *measurement {
	return r.measurePart(p, message, without, newPartMemory())
}

// measurePart is measure of a message, or of one of its sentences behind it.
func (r *Reader) measurePart(p *preparedState, message, without string, memory *partMemory) *measurement {
	whole := message
	if !slices.Contains(p.examples.texts, message) {
		message = withoutAsking(withoutGuess(withoutCourtesy(withoutLaughter(message), p.thanks)), p.language)
	}
	read := memory.read(r.lexicon, message)
	readWhole := read
	if whole != message {
		readWhole = r.lexicon.Read(whole)
	}
	m := &measurement{text: message, courtesy: courtesyOf(whole, message), polite: polite().MatchString(nlu.Fold(whole)), state: p, features: make([]features, len(p.choices)), nearest: make([]int, len(p.choices)), contrary: make([]bool, len(p.choices)), message: r.classifiers.profileMessage(read, memory), memory: memory, talk: readWhole.SmallTalk(p.language), hostile: readWhole.Hostility(p.language)}
	m.fields = len(strings.Fields(message))
	said := read.Meanings()
	examples, criteria := memory.found.Query(p.examples.index, read), memory.found.Query(p.criteria.index, read)
	m.compareExamples(p, &examples)
	m.compareCriteria(p, &criteria)
	toExamples, toCriteria := measureCosines(said, &p.examples.profiles, memory), measureCosines(said, &p.criteria.profiles, memory)
	m.compareMeanings(p, &toExamples, &toCriteria)
	m.compareAmounts(p, read.Numbers())
	m.examples, m.clauses = m.comparePairs(&p.examples, &toExamples, &examples), m.comparePairs(&p.criteria, &toCriteria, &criteria)
	b := r.bankOf(p.language)
	intents := memory.found.Query(b.index, read)
	toIntents := measureCosines(said, &b.profiles, memory)
	m.intent = b.match(&intents, &m.message, &toIntents, without)
	m.compareIntents(b, &toIntents, &intents, without)
	m.noteHelp(whole)
	m.noteIntent()
	m.noteMessage()
	m.noteForm(message, read)
	m.noteKernels(r.modelOf(p))
	return m
}

func (r *Reader) modelOf(p *preparedState) *model {
	if len(p.examples.texts) == 0 {
		return r.prose
	}
	return r.full
}

func (m *measurement) comparePairs(g *textGroup, cosines *cosineTable, found *nlu.Result) pairList {
	l := pairList{counts: make([]int, len(m.features)), pairs: make([]pair, 0, min(len(g.texts), maxPairs*len(m.features))+maxPairs)}
	for i := range g.texts {
		_, cosine := cosines.nearest(i)
		if p := l.makeRoom(g.choices[i], found.Scores[i]+cosine); p != nil {
			p.compare(cosines, &m.message, found, i)
		}
	}
	return l
}

// compareIntents compares the message with the lines of the intents, which speak for
// the aside; a line equal to without does not count.
func (m *measurement) compareIntents(b *bank, cosines *cosineTable, found *nlu.Result, without string) {
	last := len(m.features) - 1
	for i, line := range b.lines {
		if line == without {
			continue
		}
		_, cosine := cosines.nearest(i)
		rough := found.Scores[i] + cosine
		example, clause := m.examples.makeRoom(last, rough), m.clauses.makeRoom(last, rough)
		switch {
		case example != nil && clause != nil:
			example.compare(cosines, &m.message, found, i)
			clause.measures, clause.said, clause.text = example.measures, example.said, example.text
		case example != nil:
			example.compare(cosines, &m.message, found, i)
		case clause != nil:
			clause.compare(cosines, &m.message, found, i)
		}
	}
}

// noteKernels notes what the texts say together, and what the message tells by itself.
func (m *measurement) noteKernels(of *model) {
	m.model = of
	examples := logShares(of.examples.utilities(m.state.kinds, &m.examples))
	clauses := logShares(of.clauses.utilities(m.state.kinds, &m.clauses))
	for k := range m.features {
		f := &m.features[k]
		f[fKernel], f[fKernelShare] = max(least, examples[k]), math.Exp(examples[k])
		f[fClauses], f[fClausesShare] = max(least, clauses[k]), math.Exp(clauses[k])
		for i, l := range m.message.kinds {
			f[fKinds+i] = max(least, l) / 2
		}
		copy(f[fManner:], m.message.shares)
		for i, l := range m.message.last {
			f[fLast+i] = max(least, l) / 2
		}
		copy(f[fPeak:], m.message.peaks)
	}
}

func (m *measurement) compareExamples(p *preparedState, found *nlu.Result) {
	for k := range m.nearest {
		m.nearest[k] = -1
	}
	noted := laughsOnly().MatchString(m.text)
	for i, score := range found.Scores {
		k := p.examples.choices[i]
		f := &m.features[k]
		if k == len(m.features)-1 && (p.short[i] && m.fields >= leastLonger || p.fillers[i] && !noted) {
			continue
		}
		switch {
		case m.nearest[k] < 0 || score > f[fBest]:
			f[fBest], f[fSecond], m.nearest[k] = score, f[fBest], i
		case score > f[fSecond]:
			f[fSecond] = score
		}
		f[fOpposed] = max(f[fOpposed], found.Opposed[i])
		m.contrary[k] = m.contrary[k] || found.Contrary[i]
	}
	for i, heard := range found.Heard {
		m.features[p.examples.used[i]][fHeard] = heard
	}
}

func (m *measurement) compareCriteria(p *preparedState, found *nlu.Result) {
	for i, score := range found.Scores {
		f := &m.features[p.criteria.choices[i]]
		f[fCriterion] = max(f[fCriterion], score)
	}
	for i, heard := range found.Heard {
		m.features[p.criteria.used[i]][fCriterionHeard] = heard
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

// compareAmounts notes which choices speak of the numbers of the message.
func (m *measurement) compareAmounts(p *preparedState, numbers []float64) {
	for k := range p.intervals {
		within, outside := compareNumbers(p.intervals[k], numbers)
		m.features[k][fIntervalIn], m.features[k][fIntervalOut] = asNumber(within), asNumber(outside)
	}
	for k, known := range p.examples.numbers {
		if len(numbers) == 0 || len(known) < 2 {
			continue
		}
		within := slices.ContainsFunc(numbers, func(n float64) bool { return n >= slices.Min(known) && n <= slices.Max(known) })
		m.features[k][fNumberIn], m.features[k][fNumberOut] = asNumber(within), asNumber(!within)
	}
}

// noteIntent gives the aside what the built-in intents have.
func (m *measurement) noteIntent() {
	last := &m.features[len(m.features)-1]
	last[fCriterion] = last[fBest]
	last[fBest] = max(last[fBest], m.intent.score)
	last[fMeaningBest] = max(last[fMeaningBest], m.intent.meaning)
}

func (m *measurement) noteMessage() {
	a, top := &m.message.acts, 0.0
	for k := range m.features[:len(m.features)-1] {
		top = max(top, m.features[k][fBest])
	}
	strange := 0.0
	if a.Words > 0 {
		strange = float64(a.Strange) / float64(a.Words)
	}
	for k := range m.features {
		f := &m.features[k]
		f[fOne], f[fIntent], f[fMaxBest], f[fStrange] = 1, m.intent.score, top, strange
		f[fMargin] = max(-0.5, min(0.5, f[fBest]-m.bestOther(k, fBest)))
		f[fMeaningMargin] = f[fMeaningBest] - m.bestOther(k, fMeaningBest)
		f[fStrong] = max(0, f[fBest]-0.6)
		f[fQuestion], f[fAboutYou], f[fNegated], f[fPast] = asNumber(a.Question), asNumber(a.AboutYou), asNumber(a.Negated), asNumber(a.Past)
		f[fViolence], f[fInsult], f[fTheft], f[fBlocked], f[fGivesUp] = a.Violence, a.Insult, a.Theft, a.Blocked, a.GivesUp
		f[fAggression] = max(a.Violence, a.Insult, a.Theft)
		f[fHedged], f[fWithheld], f[fConditional], f[fDeclined] = a.Hedged, a.Withheld, a.Conditional, a.Declined
		f[fPromised], f[fLastDenies], f[fMenace] = a.Promised, asNumber(a.LastDenies), a.Menace
		f[fBareTalk], f[fIdleTalk], f[fPassableTalk] = asNumber(bareTalk[m.talk]), asNumber(idleTalk[m.talk]), asNumber(passableTalk[m.talk])
		f[fShort], f[fLong] = asNumber(a.Words <= 2), asNumber(a.Words > 12)
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

// weighChoices returns the utility of each choice.
func (w *weightTable) weighChoices(m *measurement) []float64 {
	out := make([]float64, len(m.features))
	for k := range m.features {
		for i, x := range m.features[k] {
			out[k] += float64(w[m.state.choices[k].kind][i] * x)
		}
	}
	return out
}

// noteForm compares how the message is made with each choice's examples, and its words one
// by one.
func (m *measurement) noteForm(message string, read *nlu.Reading) {
	m.words = read.SlotWords()
	f, slots := readForm(message, read), m.state.slots.compareMessage(m.words, m.memory.compareWords(m.state.slots, m.words))
	for k, t := range m.state.forms {
		if t.texts > 0 {
			m.features[k][fForm], m.features[k][fLength] = t.weighMarks(&f)/4, t.weighLength(&f)
			copy(m.features[k][fSlots:], slots[k][:])
		}
	}
	for k, t := range m.state.forms {
		if t.texts > 0 {
			m.noteFormMargins(k)
		}
		m.features[k][fAskedHas], m.features[k][fAskedLacks] = f.compareAsked(m.state.asked)
	}
	for k := range m.features {
		for i := fForm; i < fAskedHas; i++ {
			m.features[k][i] *= m.state.trust
		}
	}
}

// noteFormMargins notes by how much a choice is before the best other one with examples.
func (m *measurement) noteFormMargins(k int) {
	const most = 2
	best := math.Inf(-1)
	for j, t := range m.state.forms {
		if j != k && t.texts > 0 {
			best = max(best, m.features[j][fForm])
		}
	}
	if !math.IsInf(best, -1) {
		m.features[k][fFormMargin] = max(-most, min(most, m.features[k][fForm]-best))
	}
	for i := range slotMeasureCount {
		m.features[k][fSlotsMargin+i] = m.features[k][fSlots+i] - m.bestOther(k, fSlots+i)
	}
}

// isBareTopic reports whether a message only names what a state is about, and the nearest
// example of choice k says more.
func (m *measurement) isBareTopic(k int) bool {
	if m.fields > maxTopicWords || len(m.words) == 0 || m.nearest[k] < 0 || m.features[k][fBest] >= exactScore {
		return false
	}
	for i := range m.words {
		if w := m.words[i].Text; !m.state.topics[w] && !m.state.topics[strings.TrimSuffix(w, "s")] {
			return false
		}
	}
	return countSaid(m.state.examples.texts[m.nearest[k]]) > m.fields
}

// countSaid returns how many words a text has beside articles.
func countSaid(text string) int {
	n := 0
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if word != "a" && word != "an" && word != "the" {
			n++
		}
	}
	return n
}

// isLossOfAnother reports whether a message says that a thing is lost or gone that a state
// is not about: that is no attempt, and nothing to ask back about.
func (m *measurement) isLossOfAnother(k int) bool {
	f := &m.features[k]
	of := m.state.choices[k].kind
	return of != kickOut && of != aside && len(m.state.examples.texts) > 0 && m.message.acts.Withheld > 0 &&
		max(f[fMaxBest], f[fCriterion]) < remote && f[fHeard] < unfounded
}

// isUnfounded reports whether a message has no word in common with what leads to a pass
// or a rejection, not even a related one; of a criterion alone, also nothing that it is
// about. Who leaves or refuses needs no word of the author's.
func (m *measurement) isUnfounded(k int) bool {
	f := &m.features[k]
	if m.isLossOfAnother(k) {
		return true
	}
	of, least := m.state.choices[k].kind, unfounded
	if of == reject {
		least = unfoundedReject
	}
	if f[fBest] >= least || f[fHeard] >= least || f[fCriterion] >= least {
		return false
	}
	switch of {
	case pass:
		return len(m.state.examples.texts) > 0 || f[fCriterionHeard] < unfounded && f[fMeaningCriterion] < unrelated
	case reject:
		return len(m.state.examples.texts) > 0 && f[fManner+classOf("leave")]+f[fManner+classOf("refuse")] < unlikely
	}
	return false
}

// isContradicted reports whether a message says the contrary of what leads to a
// pass.
func (m *measurement) isContradicted(k int) bool {
	f := &m.features[k]
	return m.state.choices[k].kind == pass && f[fOpposed] >= opposedShare && f[fBest] < supported
}
