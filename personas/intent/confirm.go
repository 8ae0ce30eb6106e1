package intent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Asked is the character's question before a bare yes or no.
type Asked struct {
	Reply string // the character's last reply
	To    string // the player's message before the reply
}

// answerVerdict judges "yes" to "Do you want to leave?" as "I want to leave". A yes to "You mean
// that?" confirms a choice that loses. A no to a question about a loss is an aside.
func (r *Reader) answerVerdict(at *Place, m *measurement) (verdict Verdict, known bool) {
	if at.FollowUpAllowed || at.Asked.Reply == "" || m.exact >= 0 {
		return verdict, false
	}
	yes, no := isBareAnswer(m.text)
	question := lastQuestion(at.Asked.Reply)
	statement, meant := statementOf(question, m.state.language)
	if !yes && !no || statement == "" && !meant {
		return verdict, false
	}
	before := *at
	before.Asked, before.FollowUpAllowed = Asked{}, true
	told := r.measure(m.state, statement, "")
	verdict, choice := r.decide(&before, told)
	c := &m.state.choices[choice]
	isClear := verdict.Decision == c.decision && (c.kind == pass || c.mayLose()) && told.nearness(choice) >= nearExample
	shown := plaintext.ClipWithin(question, 80)
	asked := r.measure(m.state, at.Asked.To, "")
	first, doubted := r.decide(&before, asked)
	doubts := r.decideSentences(&before, asked, first).DoubtsLoss
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
func (r *Reader) MayLoseByNo(at Place) bool {
	state := r.prepare(&at)
	at.FollowUpAllowed, at.LastTry, at.Losing, at.Asked = true, false, nil, Asked{}
	m := r.measure(state, cmp.Or(lists().PlainNo[state.language], lists().PlainNo["en"]), "")
	v, choice := r.decide(&at, m)
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
	if found := meantQuestion().FindStringSubmatch(text); found != nil {
		if text = swapPersons(found[1]); strings.HasPrefix(text, "to ") {
			text = "i want " + text
		}
		return text, true
	}
	if found := yourQuestion().FindStringSubmatch(text); found != nil {
		verb, rest := found[1], swapPersons(found[2])
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
