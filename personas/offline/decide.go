package offline

import (
	"fmt"
	"math"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	// exactScore is the likeness from which a message is the example itself.
	exactScore = 0.93
	// askBack is how near the second decision may come before the character asks
	// back rather than guesses.
	askBack = 0.02
	// ownLanguageScore is the likeness to an example from which a message is
	// understood, whatever language it is in.
	ownLanguageScore = 0.6
	// opposedShare is how much of an example a message must deny to contradict it,
	// and contradicted what it costs a pass.
	opposedShare, contradicted = 0.5, 2
	// exampleDenied is what it costs a choice that the message is an example but for a denial.
	exampleDenied = 4
	// fittingCondition is from which likeness of a clause a condition fits.
	fittingCondition = 0.3
	// supported is the likeness of an example from which a pass is not contradicted.
	supported = 0.25
	// rightNumber is what it counts that a number fits one criterion and no other.
	rightNumber = 1.5
	// bare is the utility of what no words can mean.
	bare = -50
	// unfounded is under which likeness a message has nothing in common with a text; that costs
	// founded.
	unfounded, unfoundedReject, founded = 0.03, 0.06, 12
	// remote is under which likeness a lost thing is none that a text is about.
	remote = 0.12
	// unrelated is under which cosine a message and a criterion are about other things.
	unrelated = 0.1
	// sureEnough is how probable a decision must be: in doubt nothing moves.
	sureEnough = 0.3
	// hardlyAside is how probable an aside is at most of what is none, doubtful as it is.
	hardlyAside = 0.1
	// leastPass is how probable a pass must be where the author gave examples: more than
	// even, since a false pass costs a game more than a needless redirect.
	leastPass = 0.5
	// leastNearPass is that where an example is near, and leastFarPass where none is nearer
	// than farExample, nor a clause of the criterion.
	leastNearPass, leastFarPass, farExample = 0.35, 0.6, 0.12
	// leastUnlikePass is that of what is like none of manyExamples: who gave so many has foreseen
	// most ways.
	leastUnlikePass, manyExamples = 0.8, 30

	// leastHeldOut is how probable a pass must be of who only holds a deed out, in at most
	// heldOutWords words of substance.
	leastHeldOut, heldOutWords = 0.8, 10
	// leastAsked is that of who only asks to be told something: "why don't the stairs like
	// whistling?" agrees to nothing.
	// An example of a pass that is as near as askedNear is a question itself.
	leastAsked, askedNear = 0.9, 0.7
	// nearExample is the likeness of an example that speaks for itself, and nearestBy by
	// how much it must be nearer than all others.
	nearExample, nearestBy = 0.5, 0.15
	// nearByItself is the likeness of an example of a pass that needs no more than leastNear
	// to be one, where it is nearer by muchNearer.
	nearByItself, muchNearer, leastNear = 0.6, 0.2, 0.3
	// aboutEqual is by how much one decision may be more probable than another that has a
	// nearer example.
	aboutEqual = 0.1
	// unlikely is how probable it is at most of a rejection without a word of its
	// examples that it leaves or refuses.
	unlikely = 0.65
	// answeredScore is the likeness from which something counts as near: a question as one
	// that the author or an intent answers, a message as like its nearest example.
	answeredScore = 0.42
)

// Decide says what a message means (persona-file, "The offline model"). The same message
// in the same place has the same verdict, which is shared and must not be changed.
func (r *Reader) Decide(at Place, message string) Verdict {
	p := r.prepare(&at)
	if v, ok := p.verdicts.findVerdict(at.verdictKey(message), at.Outgoing); ok {
		return v
	}
	v := r.decide(at, p, message)
	p.verdicts.keepVerdict(at.verdictKey(message), at.Outgoing, v)
	return v
}

// verdictKey is what the verdict on a message here depends on.
func (at *Place) verdictKey(message string) verdictKey {
	return verdictKey{message, at.FollowUpAllowed, at.LastTry}
}

// decide says what a message means in a state that is prepared: what is plain is found
// before anything is weighed.
func (r *Reader) decide(at Place, p *preparedState, message string) Verdict {
	m := r.measure(p, message, "")
	if v, ok := r.decidePlain(&at, m, message); ok {
		return v
	}
	return r.readSentences(&at, m, message, r.weighChoices(&at, m, message))
}

// decidePlain decides what needs no weighing, each only where nothing before it was found:
// the author's own example goes before all, an order to the model before it can look like
// anything else, an attack before its language, another language before the words that the
// lexicon would misread in it. false where the message is none of these.
func (r *Reader) decidePlain(at *Place, m *measurement, message string) (Verdict, bool) {
	if exact := m.exactChoice(); exact >= 0 {
		return r.verdict(at, m, exact, 1), true
	}
	if m.isOrder(message) {
		return r.orderVerdict(at, m), true
	}
	code := r.lexicon.DetectLanguage(message, m.state.language)
	isForeign := code != "" && m.features[0][fMaxBest] < ownLanguageScore
	kick := m.hostileChoice()
	if kick < 0 && isForeign {
		m.noteEnglishAttack(code)
		kick = m.hostileChoice()
	}
	switch {
	case kick >= 0:
		return r.hostileVerdict(at, m, kick), true
	case isForeign:
		return r.foreignVerdict(at, m, code), true
	case m.isEcho(at):
		return courtesyVerdict(at, personas.IntentNotUnderstood, "it asks back what was meant"), true
	case m.helpChoice >= 0 && m.state.choices[m.helpChoice].kind == followUp:
		return r.verdict(at, m, m.helpChoice, 1), true
	}
	return Verdict{}, false
}

// weighChoices takes the most probable choice, unless that would decide too much: courtesy
// and idle talk move nothing, a kick_out needs certainty, and between two that are about as
// probable, or at a no that is none, the character asks back while it may.
func (r *Reader) weighChoices(at *Place, m *measurement, message string) Verdict {
	probability := m.probabilities()
	best := m.bestChoice(probability)
	choice, likely := m.state.choices[best], probability[best]
	switch {
	case m.isPoliteGoodbye(best, message):
		return courtesyVerdict(at, personas.IntentGoodbye, "nothing says that leaving decides anything")
	case isIntroduction(m, message):
		return courtesyVerdict(at, personas.IntentMyNameIs, "nothing here asks for a name")
	case m.isBareGreeting(best, message):
		return courtesyVerdict(at, personas.IntentGreeting, "nobody wins by a greeting")
	case r.isIdleTalk(m, best, likely):
		return r.idleVerdict(at, m)
	case choice.kind == kickOut && !m.possibleKick(best).isCertain(at, likely):
		return r.doubtfulKick(at, m, best, probability)
	case !at.FollowUpAllowed:
		return r.verdict(at, m, best, likely)
	}
	if second := m.rival(best, probability); second >= 0 {
		return m.askBack(best, second, probability)
	}
	if m.isSoftNo(best, likely) || at.LastTry && m.isDoubtfulMiss(best, likely) {
		return askAgain(choice.decision, likely)
	}
	return r.verdict(at, m, best, likely)
}

// bestChoice returns the most probable choice of the most probable decision; in doubt not
// the pass, and in greater doubt the aside.
func (m *measurement) bestChoice(probability []float64) int {
	best := m.mostProbable(probability, func(kind) bool { return true })
	if len(m.state.examples.texts) == 0 {
		return best
	}
	if m.state.choices[best].kind == pass && (probability[best] < m.leastPass(best) || m.isBareTopic(best)) {
		best = m.mostProbable(probability, func(k kind) bool { return k != pass })
	}
	if probability[best] < sureEnough && probability[len(probability)-1] >= hardlyAside || m.isBareQuestion(best, probability[best], probability[len(probability)-1]) {
		best = len(probability) - 1
	}
	if tied := m.nearerPass(best, probability); tied >= 0 {
		return tied
	}
	if near := m.farNearest(best); near >= 0 {
		return near
	}
	if near := m.nearChoice(); near >= 0 && m.state.choices[best].kind == aside && (m.state.choices[near].kind != pass || !m.isBareTopic(near) && !m.onlyAsks(near)) {
		return near
	}
	return best
}

// nearerPass returns the pass that is about as probable as the best choice and has an
// example that is near, and nearer; -1 for none.
func (m *measurement) nearerPass(best int, probability []float64) int {
	pick := m.mostProbable(probability, func(k kind) bool { return k == pass })
	if pick < 0 || m.isBareTopic(pick) || m.onlyAsks(pick) || m.state.choices[best].kind == kickOut || m.state.choices[best].kind == pass {
		return -1
	}
	f := &m.features[pick]
	nearer := f[fBest] - m.features[best][fBest]
	switch {
	case f[fBest] >= nearExample && nearer > 0 && probability[best]-probability[pick] <= aboutEqual,
		f[fBest] >= nearByItself && nearer >= muchNearer && probability[pick] >= leastNear:
		return pick
	}
	return -1
}

// leastSame is the likeness of an example that is all but the message, and sameBy by how much it is
// nearer than that of the choice that is more probable.
const leastSame, sameBy = 0.7, 0.6

// farNearest returns the choice of which an example, or a question that is answered, is all but the
// message, while the best choice has nothing like it; -1 for none.
func (m *measurement) farNearest(best int) int {
	near, most := -1, max(leastSame, closeness(m, best)+sameBy)
	for k := range m.features {
		if c := closeness(m, k); c >= most && m.state.choices[k].kind != kickOut {
			near, most = k, c
		}
	}
	if near >= 0 && m.state.choices[near].kind == pass && m.isBareTopic(near) {
		return -1
	}
	return near
}

// closeness is how near the nearest text of a choice is: of the aside, a question that is answered.
func closeness(m *measurement, k int) float64 {
	if k == len(m.features)-1 {
		return m.features[k][fCriterion]
	}
	return m.features[k][fBest]
}

// nearChoice returns the choice with an example that is near, and nearer than any other
// text by far; -1 for none.
func (m *measurement) nearChoice() int {
	best := 0
	for k := range m.features {
		if m.features[k][fBest] > m.features[best][fBest] {
			best = k
		}
	}
	if f := &m.features[best]; f[fBest] < nearExample || f[fMargin] < nearestBy || m.state.choices[best].kind == kickOut {
		return -1
	}
	return best
}

// exactChoice returns the choice of which the message is an example, or -1.
func (m *measurement) exactChoice() int {
	found := -1
	if i, known := m.state.exact[bareText(m.text)]; known && bareText(m.text) != "" {
		found = m.state.examples.choices[i]
		f := &m.features[found]
		m.nearest[found], f[fBest] = i, 1
		if found == len(m.features)-1 {
			f[fCriterion] = 1
		}
		return found
	}
	for k := range m.features {
		if m.nearest[k] < 0 || m.features[k][fBest] < exactScore || !m.isWhole(&m.state.examples.profiles.texts[m.nearest[k]]) || k == len(m.features)-1 && m.features[k][fCriterion] < exactScore {
			continue
		}
		if found < 0 || m.features[k][fBest] > m.features[found][fBest] {
			found = k
		}
	}
	if found < 0 && m.intent.score >= exactScore && m.isWhole(m.intent.known) && m.intent.intent != smallTalk && m.features[0][fMaxBest] < m.intent.score {
		return len(m.features) - 1
	}
	return found
}

// isWhole reports whether a message says no more than a text: a greeting before an
// offer is not the whole of it.
func (m *measurement) isWhole(text *profile) bool { return m.message.acts.Words <= text.acts.Words }

func (m *measurement) probabilities() []float64 {
	utilities := m.model.weights.weighChoices(m)
	for k := range utilities {
		switch {
		case m.state.choices[k].isBare():
			utilities[k] = min(utilities[k], bare)
		case m.isUnfounded(k):
			utilities[k] -= founded
		case m.isContradicted(k):
			utilities[k] -= contradicted
		}
		if m.contrary[k] && m.state.choices[k].kind != aside {
			utilities[k] -= exampleDenied
		}
		utilities[k] += m.compareIntervals(k)
	}
	return m.sumDecisions(softmax(utilities))
}

// leastPass returns how probable a pass must be: more where the speaker only holds a deed
// out, or takes back what he says first.
func (m *measurement) leastPass(k int) float64 {
	a := &m.message.acts
	if near := m.features[k][fBest]; max(a.Hedged, a.Withheld) >= 1 && near < nearExample && a.Words <= heldOutWords {
		return leastHeldOut
	}
	switch {
	case m.onlyAsks(k):
		return leastAsked
	case m.features[k][fBest] >= nearExample:
		return leastNearPass
	case max(m.features[k][fBest], m.features[k][fCriterion]) < farExample:
		return leastFarPass
	case m.state.forms[k].texts >= manyExamples && m.features[k][fBest] < supported:
		return leastUnlikePass
	}
	return leastPass
}

// onlyAsks reports whether a message only asks to be told something, and is no question that passes.
func (m *measurement) onlyAsks(k int) bool {
	return (m.asksOnly() || asksWhat(m.text, m.fields)) && m.features[k][fBest] < askedNear
}

// sumDecisions gives the most probable choice of each decision what all choices of the
// decision have together: several ways to pass are more probable than each of them.
func (m *measurement) sumDecisions(probability []float64) []float64 {
	var sums [kindCount]float64
	var first [kindCount]int
	for k, p := range probability {
		of := m.state.choices[k].kind
		if sums[of] == 0 || p > probability[first[of]] {
			first[of] = k
		}
		sums[of] += p
	}
	out := slices.Clone(probability)
	for of, k := range first {
		if sums[of] > 0 {
			out[k] = sums[of]
		}
	}
	return out
}

// compareIntervals returns what it counts for a choice that the message names a number
// which is in its criterion's interval and in none of another, or the other way round. Who
// names it in words that are nearer to an example outside, "eleven is too much", gives it not.
func (m *measurement) compareIntervals(k int) float64 {
	in, out, nearIn, nearOut := false, false, 0.0, 0.0
	for j := range m.features {
		f := &m.features[j]
		in, out = in || f[fIntervalIn] > 0, out || f[fIntervalOut] > 0
		nearIn, nearOut = max(nearIn, f[fIntervalIn]*f[fBest]), max(nearOut, f[fIntervalOut]*f[fBest])
	}
	switch {
	case !in || !out || nearOut >= nearByItself && nearOut-nearIn >= nearestBy:
	case m.features[k][fIntervalIn] > 0:
		return rightNumber
	case m.features[k][fIntervalOut] > 0:
		return -rightNumber
	}
	return 0
}

// isBare reports whether nothing says what a choice is for, so that no words can
// mean it.
func (c *choice) isBare() bool {
	return c.kind != aside && len(c.examples) == 0 && len(c.criteria) == 0
}

func softmax(utilities []float64) []float64 {
	top, sum := slices.Max(utilities), 0.0
	out := make([]float64, len(utilities))
	for i, u := range utilities {
		out[i] = math.Exp(u - top)
		sum += out[i]
	}
	for i := range out {
		// Rounded, so that it is the same on every machine.
		out[i] = math.Round(out[i]/sum*1e4) / 1e4
	}
	return out
}

func (m *measurement) mostProbable(probability []float64, fits func(kind) bool) int {
	best := -1
	for i, p := range probability {
		if fits(m.state.choices[i].kind) && (best < 0 || p > probability[best]) {
			best = i
		}
	}
	return best
}

// rival returns the choice of another decision that is about as probable as the
// best one; -1 for none. Only between a pass and what counts against the player
// it is worth asking.
func (m *measurement) rival(best int, probability []float64) int {
	for k, p := range probability {
		a, b := m.state.choices[best].kind, m.state.choices[k].kind
		if k == best || probability[best]-p > askBack || a == b {
			continue
		}
		if a == pass && (b == reject || b == kickOut) || b == pass && (a == reject || a == kickOut) {
			return k
		}
	}
	return -1
}

func (m *measurement) askBack(best, second int, probability []float64) Verdict {
	return Verdict{
		Decision:   personas.FollowUpName,
		Confidence: probability[best],
		Why: fmt.Sprintf("follow_up: %s (%.2f) and %s (%.2f) are too close to guess", m.state.choices[best].decision, probability[best],
			m.state.choices[second].decision, probability[second]),
	}
}

func (r *Reader) verdict(at *Place, m *measurement, k int, probability float64) Verdict {
	c := &m.state.choices[k]
	if c.kind == aside {
		return r.asideVerdict(at, m, probability)
	}
	if other := m.fittingPass(k); other != k {
		return r.verdict(at, m, other, probability)
	}
	k = mannerlyPass(m, k)
	c = &m.state.choices[k]
	v := Verdict{Decision: c.decision, Rows: c.rows, Confidence: probability, Why: m.explain(k, probability)}
	if i := m.nearest[k]; i >= 0 && m.features[k][fBest] >= answeredScore {
		v.Example = m.state.sources[i].example
	}
	if c.kind == followUp && !at.FollowUpAllowed {
		v.Decision, v.Why = string(personas.DecideRedirect), v.Why+", which counts as none right after another"
	}
	return v
}

// fittingPass returns, for a pass on which no condition stands, the one whose condition
// fits the message; else the choice itself.
func (m *measurement) fittingPass(k int) int {
	if m.state.choices[k].kind != pass || m.state.choices[k].conditional {
		return k
	}
	best, most := k, max(fittingCondition, m.features[k][fCriterion])
	for j := range m.features {
		if c := &m.state.choices[j]; c.kind == pass && c.conditional && m.features[j][fCriterion] > most {
			best, most = j, m.features[j][fCriterion]
		}
	}
	return best
}

// explain says which text decided, how near it was, and what came second.
func (m *measurement) explain(k int, probability float64) string {
	c := &m.state.choices[k]
	why := fmt.Sprintf("%s %.2f", c.decision, probability)
	if i := m.nearest[k]; i >= 0 {
		why += fmt.Sprintf(": like %q (%.2f)", plaintext.ClipWithin(m.state.examples.texts[i], 80), m.features[k][fBest])
	} else if m.features[k][fCriterion] > 0 {
		why += fmt.Sprintf(": fits its criterion (%.2f)", m.features[k][fCriterion])
	}
	other := -1
	for j := range m.features {
		if m.state.choices[j].kind != c.kind && m.nearest[j] >= 0 && (other < 0 || m.features[j][fBest] > m.features[other][fBest]) {
			other = j
		}
	}
	if other >= 0 && m.features[other][fBest] > 0 {
		why += fmt.Sprintf("; second %s, like %q (%.2f)", m.state.choices[other].decision,
			plaintext.ClipWithin(m.state.examples.texts[m.nearest[other]], 80), m.features[other][fBest])
	}
	return why
}
