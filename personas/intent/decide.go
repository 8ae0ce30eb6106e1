package intent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// The thresholds are fitted to the corpus (docs/figures.md, "Offline model"). In a game, a wrong
// loss costs more than a question of the character.
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

// Similarities to an example, unless the comment says otherwise.
const (
	exactScore       = 0.93 // the message equals the example
	surelyMeant      = 0.9  // the game can be lost without a question
	ownLanguageScore = 0.6  // the message is in the persona's language
	nearExample      = 0.5  // the example says more than the form of the message
	answeredScore    = 0.42 // the message matches
	leastAsked       = 0.1  // needed by a short message in another language

	minPass         = 0.05 // probability of a pass that suitsAnyStory checks
	minSentencePass = 0.5  // probability of a pass by one sentence
	surelyMissed    = 0.75 // probability of a redirect on the last try, below the character asks
	maxBareUtility  = -50  // of a choice without examples and criteria
	// asideCost corrects the utility of the aside. Players answer the character more often than the
	// authors of the corpus assumed.
	asideCost = 0.2

	maxDecided = 4 // sentences decided one by one
	minShown   = 0.01
	maxShown   = 8
)

// Decide returns the verdict on a message (docs/persona-file.md, "Play without a model"). A bare
// yes or no is read together with the character's question. Rules about words take precedence over
// the probabilities of the choices.
func (r *Reader) Decide(place Place, message string) Verdict {
	m := r.measure(r.prepare(&place), message, "")
	if v, ok := r.answerVerdict(&place, m); ok {
		return v
	}
	v, _ := r.decide(&place, m)
	return r.decideTalk(&place, m, r.decideSentences(&place, m, v))
}

func (r *Reader) decide(place *Place, m *measurement) (verdict Verdict, choice int) {
	if verdict, choice = r.decideByRule(place, m); choice >= 0 {
		return verdict, choice
	}
	choices := r.weigh(m)
	policy := judgePolicy
	if place.InGame {
		policy = gamePolicy
	}
	result := policy.Decide(choices, place.FollowUpAllowed)
	if place.InGame && m.isLosingQuestion(result.Choice) {
		if result.Ask = place.FollowUpAllowed; !result.Ask {
			result.Choice = len(choices) - 1
		}
	}
	choiceMade, likeness := &m.state.choices[result.Choice], m.features[result.Choice][fBest]
	loses := place.losesWith(choiceMade) && likeness < surelyMeant
	doubtfulMiss := place.LastTry && choiceMade.kind == redirect &&
		result.Probability < surelyMissed && likeness < nearExample
	doubtful := loses || doubtfulMiss
	if result.Ask || place.FollowUpAllowed && doubtful {
		reason := cmp.Or(result.Why, fmt.Sprintf("%s %.2f", choiceMade.decision, result.Probability))
		verdict = askAgain(reason, result.Probability)
		verdict.DoubtsLoss = choiceMade.mayLose() || place.LastTry
		verdict.WouldLose = loses && choiceMade.mayLose() && !result.Ask
	} else {
		verdict = r.verdict(place, m, m.chooseMarked(result.Choice), result.Probability)
		if result.Why != "" {
			verdict.Why += "; not " + result.Why
		}
	}
	verdict.Weighed = m.listWeights(choices)
	return verdict, result.Choice
}

func (r *Reader) decideByRule(place *Place, m *measurement) (verdict Verdict, choice int) {
	last := len(m.features) - 1
	if m.exact >= 0 {
		return r.verdict(place, m, m.exact, 1), m.exact
	}
	if m.isOrder() {
		verdict = r.asideVerdict(place, m, 1)
		if verdict.Intent == "" && verdict.Answer == nil {
			verdict.Why = "aside: the message is about the decision or addresses a program, so it decides nothing"
		}
		return verdict, last
	}
	if kick := m.hostileChoice(); kick >= 0 {
		verdict = r.verdict(place, m, kick, attacked)
		verdict.Why = verdict.Decision + ": the message is an attack"
		return verdict, kick
	}
	if code := r.lexicon.detectLanguage(m.text, m.state.language); code != "" && m.maxBest < ownLanguageScore {
		return Verdict{
			Decision: personas.AsideName, Intent: personas.IntentOtherLanguage, Language: code, Confidence: 1,
			Answer: AnswerFor(*place, personas.IntentOtherLanguage),
			Why:    fmt.Sprintf("aside: written in another language (%s) than the persona's (%s)", code, m.state.language),
		}, last
	}
	if m.asksHelp {
		return r.verdict(place, m, last, 1), last
	}
	if m.helpChoice >= 0 && m.state.choices[m.helpChoice].kind == followUp {
		return r.verdict(place, m, m.helpChoice, 1), m.helpChoice
	}
	return verdict, -1
}

// Weigh returns the choices for a Policy, with the aside last. The result is nil if a rule decides
// the message.
func (r *Reader) Weigh(place Place, message string) []Choice {
	m := r.measure(r.prepare(&place), message, "")
	if _, choice := r.decideByRule(&place, m); choice >= 0 {
		return nil
	}
	return r.weigh(m)
}

// weigh adds the probability of unsuitable choices to the aside. Evidence is nil in a state without
// examples, and the probability alone decides.
func (r *Reader) weigh(m *measurement) []Choice {
	probability := m.probabilities()
	out, passes := make([]Choice, len(probability)), 0.0
	last := len(out) - 1
	for k := range out {
		choice := &m.state.choices[k]
		out[k] = Choice{Decision: choice.decision, Loses: choice.loses}
		contradictsExample := m.features[k][fOpposed] >= 1 && m.features[k][fBest] < exactScore
		switch {
		case choice.kind != aside && contradictsExample:
			continue
		case m.isIdle(k, probability[k]):
			probability[last] += probability[k]
			continue
		case choice.kind == pass:
			passes = max(passes, probability[k])
		}
		out[k].Probability = probability[k]
		if len(m.state.examples.texts) > 0 {
			out[k].Evidence = &Evidence{Near: m.nearness(k), Other: m.nearestOther(choice.kind)}
		}
	}
	if passes >= minPass && (m.message.acts.Contempt || r.suitsAnyStory(m)) {
		for k := range out {
			if choice := &out[k]; choice.Decision == kindNames[pass] {
				out[last].Probability += choice.Probability
				choice.Probability, choice.Evidence = 0, nil
			}
		}
	}
	return out
}

// isIdle recognizes messages that attempt neither a pass nor a redirect. The weights were fitted
// for English, so other languages need further rules.
func (m *measurement) isIdle(k int, probability float64) bool {
	c := &m.state.choices[k]
	if c.kind != pass && c.kind != redirect {
		return false
	}
	if m.message.asksFacts && !m.isNearQuestion(k) {
		return true
	}
	isSure := c.kind == pass && probability >= judgePolicy[c.decision].Sure
	if m.state.language == "en" || m.nearness(k) >= leastAsked || isSure {
		return false
	}
	yes, no := isBareAnswer(m.text)
	return yes || no || m.message.acts.Question
}

// decideSentences corrects a verdict by the verdicts on the sentences. "Hello. I have come to see
// my sister." passes because of the last sentence. The character asks about "I give up. Here, have
// a sardine".
func (r *Reader) decideSentences(place *Place, m *measurement, verdict Verdict) Verdict {
	rejected := verdict.Decision == kindNames[reject] && place.InGame && place.FollowUpAllowed && m.exact < 0
	missed := verdict.Decision == kindNames[redirect]
	if verdict.Decision == kindNames[aside] {
		missed = verdict.Language == "" && !m.asksHelp
	}
	sentences := SplitSentences(m.text)
	if !rejected && !missed || len(sentences) < 2 || len(sentences) > maxDecided {
		return verdict
	}
	passed, rejects := Verdict{}, false
	for _, text := range sentences {
		part, _ := r.decide(place, r.measure(m.state, text, ""))
		switch {
		case part.Decision == kindNames[reject], part.Decision == kindNames[kickOut], part.DoubtsLoss:
			rejects = true
		case part.Decision != kindNames[pass] || strings.HasSuffix(text, "?"):
		case part.Confidence >= max(minSentencePass, passed.Confidence):
			passed = part
		}
	}
	passes := passed.Decision != ""
	switch {
	case rejected && (passes || !rejects):
		verdict = askAgain("reject, but not for each sentence", verdict.Confidence)
		verdict.DoubtsLoss = true
	case missed && passes && !rejects && !m.isOrder() && !m.message.acts.Contempt && !r.suitsAnyStory(m):
		verdict = passed
		verdict.Why += ", in one sentence"
	}
	return verdict
}

var sentenceEndPattern = plaintext.Pattern(`[.!?…\n]+(?:\s+|$)`)

// SplitSentences splits a text at the ends of sentences and lines, and trims each part.
func SplitSentences(text string) []string {
	var out []string
	for part := range strings.SplitSeq(sentenceEndPattern().ReplaceAllString(text, "$0\x00"), "\x00") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func askAgain(reason string, probability float64) Verdict {
	return Verdict{Decision: personas.FollowUpName, Confidence: probability, Why: "follow_up: perhaps " + reason}
}

func (m *measurement) listWeights(choices []Choice) []Weight {
	var out []Weight
	for k, c := range choices {
		if c.Probability >= minShown {
			out = append(out, Weight{c.Decision, m.state.choices[k].firstRow(), c.Probability})
		}
	}
	slices.SortStableFunc(out, func(a, b Weight) int { return cmp.Compare(b.Probability, a.Probability) })
	return out[:min(len(out), maxShown)]
}

// BuiltInPolicy returns a copy of the offline model's thresholds for single messages.
func BuiltInPolicy() Policy { return maps.Clone(judgePolicy) }

// isLosingQuestion recognizes "Starboard?" near the example "Starboard!" of a reject.
func (m *measurement) isLosingQuestion(k int) bool {
	c, text := &m.state.choices[k], strings.TrimSpace(m.text)
	asks := strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
	return c.mayLose() && c.kind != kickOut && asks && !m.isNearQuestion(k)
}

func (m *measurement) nearness(k int) float64 {
	likeness := max(m.features[k][fBest], m.features[k][fCriterion])
	if m.state.choices[k].kind == kickOut {
		likeness = max(likeness, m.message.acts.Violence, m.message.acts.Insult, m.message.acts.Theft)
	}
	return likeness
}

// isNearQuestion excludes "What is that book about?" near the example "I need that book".
func (m *measurement) isNearQuestion(k int) bool {
	i := m.nearest[k]
	return i >= 0 && m.features[k][fBest] >= nearExample && m.state.examples.profiles[i].acts.Question
}

func (m *measurement) nearestOther(decision kind) float64 {
	last := len(m.features) - 1
	likeness := m.features[last][fCriterion]
	if m.hasIntent() {
		likeness = max(likeness, m.intent.score)
	}
	for k := range m.features[:last] {
		if m.state.choices[k].kind == pass && decision != pass {
			likeness = max(likeness, m.features[k][fBest])
		}
	}
	return likeness
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

func (place *Place) losesWith(c *choice) bool {
	return (c.kind != pass || c.loses) && c.kind != aside && slices.Contains(place.Losing, c.firstRow())
}

func (c *choice) mayLose() bool { return c.kind == reject || c.kind == kickOut || c.loses }

func (c *choice) isBare() bool {
	return c.kind != aside && len(c.examples) == 0 && len(c.criteria) == 0
}

func (c *choice) firstRow() int {
	if len(c.rows) == 0 {
		return -1
	}
	return c.rows[0]
}

func (r *Reader) verdict(place *Place, m *measurement, k int, probability float64) Verdict {
	c, near := &m.state.choices[k], m.features[k]
	if c.kind == aside {
		return r.asideVerdict(place, m, probability)
	}
	v := Verdict{Decision: c.decision, Rows: c.rows, Confidence: probability}
	v.Why = fmt.Sprintf("%s %.2f", c.decision, probability)
	switch i := m.nearest[k]; {
	case i >= 0:
		v.Why += fmt.Sprintf(": like %s (%.2f)", m.quoteNearest(k), near[fBest])
		if near[fBest] >= answeredScore {
			v.Example = m.state.sources[i].example
		}
	case near[fCriterion] > 0:
		v.Why += fmt.Sprintf(": fits its criterion (%.2f)", near[fCriterion])
	}
	if c.kind == followUp && !place.FollowUpAllowed {
		v.Decision, v.Why = string(personas.DecideRedirect), v.Why+", which is ignored directly after another follow-up"
	}
	return v
}

func (m *measurement) isOrder() bool {
	for _, speaks := range [...]func(string) bool{addressesProgram, mentionsDecision} {
		if speaks(m.text) && !slices.ContainsFunc(m.state.examples.texts, speaks) {
			return true
		}
	}
	return false
}

// hostileChoice returns the kick_out for an explicit attack, or -1. The weights decide English
// attacks on English personas.
func (m *measurement) hostileChoice() int {
	if !m.hostile {
		return -1
	}
	isAboutAttacks := func(text string) bool { return asksForAttacks().MatchString(clipText(text)) }
	return slices.IndexFunc(m.state.choices, func(c choice) bool {
		return c.kind == kickOut && (c.attacks || slices.ContainsFunc(c.criteria, isAboutAttacks))
	})
}
