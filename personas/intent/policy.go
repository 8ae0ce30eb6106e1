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

// A Choice is a possible decision about a message.
type Choice struct {
	Decision    string  // "pass", "redirect", "reject", "kick_out", "follow_up" or "aside"
	Probability float64 // from 0 to 1
	// Loses marks a pass to a terminal state with the outcome REJECT. The thresholds of a reject
	// apply.
	Loses bool
	// Evidence is nil if the judge provides only probabilities.
	Evidence *Evidence
}

func (c *Choice) effect() string {
	if c.Loses {
		return kindNames[reject]
	}
	return c.Decision
}

// Evidence is the similarity of a message to the author's texts for a choice, from 0 to 1.
type Evidence struct {
	Near  float64 // similarity of the nearest text of the choice
	Other float64 // similarity of the nearest text of an aside, or of a pass if the choice is not a pass
}

// A Threshold contains the minimum values for a decision.
type Threshold struct {
	Probability float64 // in sum over all choices with the decision
	Near        float64 // minimum of Evidence.Near
	Behind      float64 // maximum of Evidence.Other minus Evidence.Near, or 0 for any
	// Sure is the minimum probability of a decision that skips Near and Behind. 0 disables Sure.
	Sure float64
	// Ask is the minimum probability of a failed decision that the character asks about. 0 disables
	// Ask.
	Ask float64
}

// A Policy contains thresholds by decision. Decisions without thresholds are not limited. All
// models share a Policy, so the rules of a game stay the same.
type Policy map[string]Threshold

// A PolicyVerdict contains the index and the probability of a choice. If Ask is set, the character
// asks whether the player meant Choice.
type PolicyVerdict struct {
	Choice      int
	Probability float64
	Ask         bool
	Why         string // why a more probable choice was not made, or ""
}

// Decide returns the most probable choice of the most probable decision that meets its thresholds.
// If mayAsk is set, the character may ask about a failed decision. The fallback is the last choice,
// an aside.
func (p Policy) Decide(choices []Choice, mayAsk bool) PolicyVerdict {
	total := make(map[string]float64)
	for i := range choices {
		total[choices[i].effect()] += choices[i].Probability
	}
	reason, mostDoubted := "", 0.0
	for _, i := range byProbability(choices, total) {
		choice := &choices[i]
		threshold, probability := p[choice.effect()], total[choice.effect()]
		// A reject directly after a question of the character needs only Ask.
		if !mayAsk && choice.Decision == kindNames[reject] && threshold.Ask > 0 {
			threshold.Probability = min(threshold.Probability, threshold.Ask)
		}
		failure := threshold.failure(choice, probability)
		switch {
		case choice.effect() == kindNames[pass] && 2*probability <= mostDoubted: // most of the message is an insult
		case failure == "":
			return PolicyVerdict{Choice: i, Probability: probability, Why: reason}
		case mayAsk && reason == "" && threshold.Ask > 0 && probability >= threshold.Ask:
			return PolicyVerdict{Choice: i, Probability: probability, Ask: true, Why: failure}
		case reason == "":
			reason = failure
		}
		if threshold.Ask > 0 {
			mostDoubted = max(mostDoubted, probability)
		}
	}
	last := len(choices) - 1
	return PolicyVerdict{Choice: last, Probability: total[choices[last].effect()], Why: reason}
}

func byProbability(choices []Choice, total map[string]float64) []int {
	var order []int
	for i := range choices {
		same := slices.IndexFunc(order, func(k int) bool { return choices[k].effect() == choices[i].effect() })
		if same < 0 {
			order = append(order, i)
		} else if choices[i].Probability > choices[order[same]].Probability {
			order[same] = i
		}
	}
	slices.Sort(order)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(total[choices[b].effect()], total[choices[a].effect()])
	})
	return order
}

func (t *Threshold) failure(c *Choice, probability float64) string {
	e := c.Evidence
	switch {
	case probability < t.Probability:
		return fmt.Sprintf("%s %.2f, needs %.2f", c.Decision, probability, t.Probability)
	case e == nil || t.Sure > 0 && probability >= t.Sure:
		return ""
	case e.Near < t.Near:
		return fmt.Sprintf("%s %.2f, but not like any of its examples (%.2f, needs %.2f)",
			c.Decision, probability, e.Near, t.Near)
	case t.Behind > 0 && e.Other-e.Near > t.Behind:
		return fmt.Sprintf("%s %.2f, but more like an example of another decision (%.2f, %.2f)",
			c.Decision, probability, e.Near, e.Other)
	}
	return ""
}

// A Line is a message with its correct decision and a judge's choices.
type Line struct {
	Choices []Choice // the aside is last
	Wanted  string   // the correct decision
	MayAsk  bool
}

const (
	fitSteps, fitRounds = 20, 3
	undeservedCost      = 3
)

func (p Policy) decisionOf(l *Line) string {
	v := p.Decide(l.Choices, l.MayAsk)
	if v.Ask {
		return personas.FollowUpName
	}
	return l.Choices[v.Choice].Decision
}

func isUndeserved(got, wanted string) bool {
	return got == "kick_out" && wanted != "kick_out" || got == "reject" && wanted != "reject" && wanted != "kick_out"
}

// Fit returns a copy with the probability thresholds that decide most lines correctly. An
// undeserved ending weighs like three wrong lines. An error of check ends the fit.
func (p Policy) Fit(lines []Line, check func() error) (Policy, error) {
	best := Policy{}
	maps.Copy(best, p)
	for range fitRounds {
		for _, decision := range kindNames[:aside] { // the aside is the fallback
			for step := range fitSteps {
				if err := check(); err != nil {
					return best, err
				}
				tried := maps.Clone(best)
				t := tried[decision]
				t.Probability = float64(step) / fitSteps
				t.Ask = min(t.Ask, t.Probability)
				if tried[decision] = t; tried.weigh(lines) > best.weigh(lines) {
					best = tried
				}
			}
		}
	}
	return best, nil
}

// Count returns the numbers of correctly decided lines and of undeserved endings.
func (p Policy) Count(lines []Line) (right, undeserved int) {
	for i := range lines {
		l := &lines[i]
		got := p.decisionOf(l)
		switch {
		case got == l.Wanted:
			right++
		case isUndeserved(got, l.Wanted):
			undeserved++
		}
	}
	return right, undeserved
}

func (p Policy) weigh(lines []Line) int {
	right, undeserved := p.Count(lines)
	return right - (undeservedCost-1)*undeserved
}

// Asked is the character's question before a bare yes or no.
type Asked struct {
	Reply string // the character's last reply
	To    string // the player's message before the reply
}

// answerVerdict judges "yes" to "Do you want to leave?" as "I want to leave". A yes to "You mean
// that?" confirms a choice that loses. A no to a question about a loss is an aside.
func (r *Reader) answerVerdict(place *Place, m *measurement) (verdict Verdict, ok bool) {
	if place.FollowUpAllowed || place.Asked.Reply == "" || m.exact >= 0 {
		return verdict, false
	}
	yes, no := isBareAnswer(m.text)
	question := lastQuestion(place.Asked.Reply)
	statement, meant := statementOf(question, m.state.language)
	if !yes && !no || statement == "" && !meant {
		return verdict, false
	}
	before := *place
	before.Asked, before.FollowUpAllowed = Asked{}, true
	stated := r.measure(m.state, statement, "")
	verdict, choice := r.decide(&before, stated)
	c := &m.state.choices[choice]
	isClear := verdict.Decision == c.decision && (c.kind == pass || c.mayLose()) && stated.nearness(choice) >= nearExample
	shown := plaintext.ClipWithin(question, 80)
	reread := r.measure(m.state, place.Asked.To, "")
	first, doubted := r.decide(&before, reread)
	doubts := r.decideSentences(&before, reread, first).DoubtsLoss
	switch {
	case yes && isClear:
		verdict.Why = fmt.Sprintf("yes to %q: %s", shown, verdict.Why)
		return verdict, true
	case yes && meant && doubts && m.state.choices[doubted].mayLose():
		verdict = r.verdict(&before, m, doubted, 1)
		verdict.Why = fmt.Sprintf("yes to %q: %s", shown, verdict.Decision)
		return verdict, true
	case no && (meant || isClear && c.mayLose() || !isClear && doubts):
		return Verdict{Decision: personas.AsideName, Confidence: 1, Why: fmt.Sprintf("aside: no to %q", shown)}, true
	}
	return Verdict{}, false
}

// MayLoseByNo reports whether the message "no" can lose the game in a state. The word is in the
// language of the state if the language is known, and English otherwise.
func (r *Reader) MayLoseByNo(place Place) bool {
	state := r.prepare(&place)
	place.FollowUpAllowed, place.LastTry, place.Losing, place.Asked = true, false, nil, Asked{}
	m := r.measure(state, cmp.Or(lists().PlainNo[state.language], lists().PlainNo["en"]), "")
	v, choice := r.decide(&place, m)
	return v.DoubtsLoss || v.Decision == state.choices[choice].decision && state.choices[choice].mayLose()
}

func isBareAnswer(message string) (yes, no bool) {
	for _, word := range Words(message) {
		switch l := lists(); {
		case l.Yes[word]:
			yes = true
		case l.No[word]:
			no = true
		case !l.WithAnswers[word]:
			return false, false
		}
	}
	return yes && !no, no && !yes
}

var (
	meantQuestion = plaintext.Pattern(`^(?:(?:did|do) you (?:really )?(?:mean|want to say|wish to say)|you mean|` +
		`are you (?:saying|telling me)|is it)(?: to say)?(?: that)?(?: (.+))?$`)
	yourQuestion = plaintext.Pattern(`^(do|did|would|will|can|could|shall|are|were|have) you (?:really |truly )?(.+)$`)
)

// statementOf returns "I want to leave" for "Do you want to leave?". Questions with a question word
// or alternatives have no statement. meant is set for questions such as "Did you mean that?".
func statementOf(question, language string) (statement string, meant bool) {
	text := strings.TrimRight(Fold(question), "?？! ")
	for {
		first, rest, found := strings.Cut(text, " ")
		if !found || !lists().QuestionFillers[strings.TrimRight(first, ",")] {
			break
		}
		text = rest
	}
	words := strings.Fields(text)
	if len(words) == 0 || strings.Contains(text, ",") || lists().Asking[words[0]] ||
		slices.ContainsFunc(words, func(w string) bool { return lists().Alternatives[language][w] }) {
		return "", false
	}
	if language != "en" {
		return text, false
	}
	if match := meantQuestion().FindStringSubmatch(text); match != nil {
		if text = swapPersons(match[1]); strings.HasPrefix(text, "to ") {
			text = "i want " + text
		}
		return text, true
	}
	if match := yourQuestion().FindStringSubmatch(text); match != nil {
		verb, rest := match[1], swapPersons(match[2])
		switch verb {
		case "do", "did":
			return "i " + rest, false
		case "are", "were":
			return "i am " + rest, false
		}
		return "i " + verb + " " + rest, false
	}
	return swapPersons(text), false
}

func swapPersons(text string) string {
	words := Words(text)
	for i, w := range words {
		words[i] = cmp.Or(lists().OtherPerson[w], w)
	}
	return strings.Join(words, " ")
}
