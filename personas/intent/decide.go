package intent

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// The thresholds for single messages and for messages of a game, fitted to the corpus
// (docs/figures.md, "Offline model"). In a game, a wrong loss is worse than a question of the
// character.
var (
	judgePolicy = Policy{
		"pass":     {Probability: 0.25, Near: 0.05, Behind: 0.35, Sure: 0.75},
		"redirect": {Behind: 0.35},
		"reject":   {Probability: 0.5},
		"kick_out": {Probability: 0.84, Near: 0.2, Behind: 0.3},
	}
	gamePolicy = Policy{
		"pass":     judgePolicy["pass"],
		"redirect": {Probability: 0.1, Behind: 0.35},
		"reject":   {Probability: 0.75, Near: 0.2, Sure: 0.9, Ask: 0.5},
		"kick_out": {Probability: 0.87, Near: 0.2, Behind: 0.3, Ask: 0.75},
	}
)

const (
	// exactScore is the minimum similarity of a message that counts as equal to an example.
	exactScore = 0.93
	// surelyMeant is the similarity to an example from which a message loses the game at once.
	// Before other losses the character asks.
	surelyMeant = 0.9
	// ownLanguageScore is the similarity to an example from which a message counts as written in
	// the persona's language.
	ownLanguageScore = 0.6
	// maxBareUtility is the maximum utility of a choice without examples and criteria.
	maxBareUtility = -50
	// answeredScore is the minimum similarity to an example, to an answered question or to a line
	// of an intent that counts as a match.
	answeredScore = 0.42
	// asideCost lowers the utility of the aside, because players answer the character more often
	// than the authors of the corpus assumed. 0.15 decides 0.3 points more of the unfitted lines
	// correctly than 0, and counts 1 to 2 points more of the small talk as a try.
	asideCost = 0.2
	// manyExamples is the number of texts from which a message resembles one of them by chance.
	manyExamples = 30
)

// Decide returns the verdict on a message (docs/persona-file.md, "Play without a model"). Some
// messages are decided by rules about their words. For other messages Decide computes the
// probability of each choice and applies the policy.
func (r *Reader) Decide(at Place, message string) Verdict {
	m := r.measure(r.prepare(&at), message, "")
	if v, known := r.answerVerdict(&at, m); known {
		return v
	}
	v, _ := r.decide(&at, m)
	return r.talkVerdict(&at, m, r.decideSentences(&at, m, v))
}

// decide returns the verdict on a message, and the index of the choice that is made or asked about.
// If a rule decided, the index is that of the equal example, or else of the aside.
func (r *Reader) decide(at *Place, m *measurement) (v Verdict, choice int) {
	if v, known := r.knownVerdict(at, m); known {
		if choice = m.exactChoice(); choice < 0 {
			choice = len(m.features) - 1
		}
		return v, choice
	}
	choices := r.weigh(m)
	policy := judgePolicy
	if at.InGame {
		policy = gamePolicy
	}
	made := policy.Decide(choices, at.FollowUpAllowed)
	if at.InGame && m.isLosingQuestion(made.Choice) {
		if made.Ask = at.FollowUpAllowed; !made.Ask {
			made.Choice = len(choices) - 1
		}
	}
	c := &m.state.choices[made.Choice]
	loses := at.losesWith(c) && m.features[made.Choice][fBest] < surelyMeant
	if made.Ask || at.FollowUpAllowed && (loses || at.LastTry && m.isDoubtfulMiss(made)) {
		v = askAgain(cmp.Or(made.Why, fmt.Sprintf("%s %.2f", c.decision, made.Probability)), made.Probability)
		v.DoubtsLoss, v.WouldLose = c.mayLose() || at.LastTry, loses && c.mayLose() && !made.Ask
	} else {
		v = r.verdict(at, m, m.chooseMarked(made.Choice), made.Probability)
		if made.Why != "" {
			v.Why += "; not " + made.Why
		}
	}
	v.Weighed = m.listWeights(choices)
	return v, made.Choice
}

const (
	minShown = 0.01
	maxShown = 8
)

func (m *measurement) listWeights(choices []Choice) []Weight {
	var out []Weight
	for k := range choices {
		if choices[k].Probability < minShown {
			continue
		}
		w := Weight{Decision: choices[k].Decision, Row: -1, Probability: choices[k].Probability}
		if rows := m.state.choices[k].rows; len(rows) > 0 {
			w.Row = rows[0]
		}
		out = append(out, w)
	}
	slices.SortStableFunc(out, func(a, b Weight) int { return cmp.Compare(b.Probability, a.Probability) })
	return out[:min(len(out), maxShown)]
}

// Weigh returns the choices for a message, with the aside last, as the input of a Policy. It
// returns nil if a rule decides the message.
func (r *Reader) Weigh(at Place, message string) []Choice {
	m := r.measure(r.prepare(&at), message, "")
	if _, known := r.knownVerdict(&at, m); known {
		return nil
	}
	return r.weigh(m)
}

func (r *Reader) weigh(m *measurement) []Choice {
	choices := m.listChoices(false)
	passes := slices.ContainsFunc(choices, func(c Choice) bool { return c.Decision == kindNames[pass] && c.Probability >= minPass })
	if passes && (m.message.acts.Contempt || r.suitsAnyStory(m)) {
		return m.listChoices(true)
	}
	return choices
}

// BuiltInPolicy returns a copy of the built-in judge's thresholds for single messages.
func BuiltInPolicy() Policy { return maps.Clone(judgePolicy) }

func (r *Reader) knownVerdict(at *Place, m *measurement) (v Verdict, known bool) {
	if exact := m.exactChoice(); exact >= 0 {
		return r.verdict(at, m, exact, 1), true
	}
	if m.isOrder(m.text) {
		v = r.asideVerdict(at, m, 1)
		if v.Intent == "" && v.Answer == nil {
			v.Why = "aside: the message is about the decision or addresses a program, so it decides nothing"
		}
		return v, true
	}
	if kick := m.hostileChoice(); kick >= 0 {
		v = r.verdict(at, m, kick, attacked)
		v.Why = fmt.Sprintf("%s: the message is %s", v.Decision, m.hostile)
		return v, true
	}
	if code := r.lexicon.detectLanguage(m.text, m.state.language); code != "" && m.maxBest < ownLanguageScore {
		return Verdict{
			Decision: personas.AsideName, Intent: personas.IntentOtherLanguage, Language: code, Confidence: 1,
			Answer: AnswerFor(*at, personas.IntentOtherLanguage),
			Why:    fmt.Sprintf("aside: written in another language (%s) than the persona's (%s)", code, m.state.language),
		}, true
	}
	if m.asksHelp {
		return r.verdict(at, m, len(m.features)-1, 1), true
	}
	if m.helpChoice >= 0 && m.state.choices[m.helpChoice].kind == followUp {
		return r.verdict(at, m, m.helpChoice, 1), true
	}
	return Verdict{}, false
}

// minPass is the minimum probability of a pass that is checked with suitsAnyStory.
const minPass = 0.05

// surelyMissed is the probability from which a redirect on the last try ends the machine. Below it
// the character asks.
const surelyMissed = 0.75

func (m *measurement) isDoubtfulMiss(v PolicyVerdict) bool {
	return m.state.choices[v.Choice].kind == redirect && v.Probability < surelyMissed && m.features[v.Choice][fBest] < nearExample
}

// isLosingQuestion reports whether a message ends with a question mark but would lose the game.
// "Starboard?" is similar to the example "Starboard!" of a reject, but rejects nothing.
func (m *measurement) isLosingQuestion(k int) bool {
	c := &m.state.choices[k]
	ends, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(m.text, unicode.IsSpace))
	return c.mayLose() && c.kind != kickOut && (ends == '?' || ends == '？') && !m.isNearQuestion(k)
}

// listChoices returns the choices for the policy. In a state without examples their Evidence is
// nil, so that the probability alone decides. If onlyClaims is set, it excludes passes.
func (m *measurement) listChoices(onlyClaims bool) []Choice {
	probability := m.probabilities()
	out := make([]Choice, len(probability))
	last := len(out) - 1
	for k := range out {
		c := &m.state.choices[k]
		out[k].Decision, out[k].Loses = c.decision, c.loses
		if c.kind != aside && m.features[k][fOpposed] >= 1 && m.features[k][fBest] < exactScore { // the opposite of an example
			continue
		}
		asked := (c.kind == pass || c.kind == redirect) && m.message.told && !m.isNearQuestion(k)
		unlike := (c.kind == redirect || c.kind == pass && probability[k] < judgePolicy[c.decision].Sure) && m.isOtherQuestion(k)
		if asked || unlike || c.kind == pass && onlyClaims {
			probability[last] += probability[k]
			continue
		}
		out[k].Probability = probability[k]
		if len(m.state.examples.texts) > 0 {
			out[k].Evidence = &Evidence{Near: m.nearness(k), Other: m.nearestOther(c.kind)}
		}
	}
	out[last].Probability = probability[last]
	return out
}

const leastAsked = 0.1

// isOtherQuestion reports whether a question, or a bare yes or no, is similar to no text of a
// choice. It excludes English, for which the weights were fitted.
func (m *measurement) isOtherQuestion(k int) bool {
	yes, no := isBareAnswer(m.text)
	return m.state.language != "en" && (yes || no || m.message.acts.Question) && m.nearness(k) < leastAsked
}

// nearness returns the similarity of the nearest text of a choice. For a kick_out the certainty of
// an attack counts like a similarity.
func (m *measurement) nearness(k int) float64 {
	near := max(m.features[k][fBest], m.features[k][fCriterion])
	if m.state.choices[k].kind == kickOut {
		near = max(near, m.message.acts.Violence, m.message.acts.Insult, m.message.acts.Theft)
	}
	return near
}

const nearExample = 0.5

// isNearQuestion reports whether the nearest example of a choice is similar and is itself a
// question. "What is that book about?" shares words with the example "I need that book", but
// requests nothing.
func (m *measurement) isNearQuestion(k int) bool {
	i := m.nearest[k]
	return i >= 0 && m.features[k][fBest] >= nearExample && m.state.examples.profiles.texts[i].acts.Question
}

// nearestOther returns the similarity of the nearest text of an aside. For decisions other than
// pass it also considers the examples of passes.
func (m *measurement) nearestOther(decision kind) float64 {
	last := len(m.features) - 1
	near := m.features[last][fCriterion]
	if m.hasIntent() {
		near = max(near, m.intent.score)
	}
	for k := range m.features[:last] {
		if m.state.choices[k].kind == pass && decision != pass {
			near = max(near, m.features[k][fBest])
		}
	}
	return near
}

func (m *measurement) probabilities() []float64 {
	utilities := m.model.Weights.weighChoices(m)
	utilities[len(utilities)-1] -= asideCost
	for k := range utilities {
		if m.state.choices[k].isBare() {
			utilities[k] = min(utilities[k], maxBareUtility)
		}
	}
	return softmax(utilities)
}

// exactChoice returns the choice with an example equal to the message, or -1. It also makes this
// example the nearest of its choice.
func (m *measurement) exactChoice() int {
	bare := bareText(m.text)
	i, known := m.state.exact[bare]
	if !known || bare == "" {
		return -1
	}
	found := m.state.examples.choices[i]
	f := &m.features[found]
	m.nearest[found], f[fBest] = i, 1
	if found == len(m.features)-1 {
		f[fCriterion] = 1
	}
	return found
}

// losesWith reports whether the player would lose now with a choice. It ignores a pass that ends
// the machine with too few points.
func (at *Place) losesWith(c *choice) bool {
	row := -1
	if len(c.rows) > 0 {
		row = c.rows[0]
	}
	return (c.kind != pass || c.loses) && c.kind != aside && slices.Contains(at.Losing, row)
}

func (c *choice) mayLose() bool { return c.kind == reject || c.kind == kickOut || c.loses }

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
		// Rounded, so that the result is the same on every machine.
		out[i] = math.Round(out[i]/sum*1e4) / 1e4
	}
	return out
}

func (r *Reader) verdict(at *Place, m *measurement, k int, probability float64) Verdict {
	c := &m.state.choices[k]
	if c.kind == aside {
		return r.asideVerdict(at, m, probability)
	}
	v := Verdict{Decision: c.decision, Rows: c.rows, Confidence: probability, Why: m.explain(k, probability)}
	if i := m.nearest[k]; i >= 0 && m.features[k][fBest] >= answeredScore {
		v.Example = m.state.sources[i].example
	}
	if c.kind == followUp && !at.FollowUpAllowed {
		v.Decision, v.Why = string(personas.DecideRedirect), v.Why+", which is ignored directly after another follow-up"
	}
	return v
}

func (m *measurement) explain(k int, probability float64) string {
	c := &m.state.choices[k]
	why := fmt.Sprintf("%s %.2f", c.decision, probability)
	if i := m.nearest[k]; i >= 0 {
		why += fmt.Sprintf(": like %q (%.2f)", plaintext.ClipWithin(m.state.examples.texts[i], 80), m.features[k][fBest])
	} else if m.features[k][fCriterion] > 0 {
		why += fmt.Sprintf(": fits its criterion (%.2f)", m.features[k][fCriterion])
	}
	if j := m.nearestChoice(c.kind); j >= 0 {
		why += fmt.Sprintf("; second %s, like %q (%.2f)", m.state.choices[j].decision,
			plaintext.ClipWithin(m.state.examples.texts[m.nearest[j]], 80), m.features[j][fBest])
	}
	return why
}

func (m *measurement) nearestChoice(except kind) int {
	best, score := -1, 0.0
	for k, i := range m.nearest {
		if i >= 0 && m.state.choices[k].kind != except && m.features[k][fBest] > score {
			best, score = k, m.features[k][fBest]
		}
	}
	return best
}
