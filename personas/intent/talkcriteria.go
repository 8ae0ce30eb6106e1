package intent

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// criterionWords recognize criteria about small talk. With the criterion "pays her a compliment", a
// compliment is more than small talk.
var criterionWords = map[Talk]func() *regexp.Regexp{
	Compliment:   plaintext.Pattern(`(?i)\b(?:compliment|flatter|prais|admir)`),
	Apology:      plaintext.Pattern(`(?i)\b(?:apolog|sorry\b)`),
	Sympathy:     plaintext.Pattern(`(?i)\b(?:comfort|consol|condol|sympath)`),
	Wish:         plaintext.Pattern(`(?i)\bwish(?:es)? (?:her|him|them|it|\w+) (?:well|luck|a good)`),
	Farewell:     plaintext.Pattern(`(?i)\b(?:goodbye|farewell)`),
	Agreement:    plaintext.Pattern(`(?i)\b(?:agree|accept|promis|swears?\b|says yes)`),
	JokeTold:     plaintext.Pattern(`(?i)\bjokes?\b`),
	JokeQuestion: plaintext.Pattern(`(?i)\b(?:jokes?|riddles?)\b`),
	KnockKnock:   plaintext.Pattern(`(?i)\bjokes?\b`),
}

const maxTalkClauses = 2

// findTalkChoices returns the pass or redirect for each kind of small talk that its criteria name.
// It leaves out kinds that the criteria of several choices name.
func findTalkChoices(choices []choice) map[Talk]int {
	out := make(map[Talk]int)
	for talk, words := range criterionWords {
		var named []int
		for k := range choices {
			if slices.ContainsFunc(choices[k].criteria, func(text string) bool { return words().MatchString(clipText(text)) }) {
				named = append(named, k)
			}
		}
		if len(named) == 1 {
			if c := &choices[named[0]]; (c.kind == pass || c.kind == redirect) && !c.loses {
				out[talk] = named[0]
			}
		}
	}
	return out
}

func (r *Reader) talkVerdict(at *Place, m *measurement, v Verdict) Verdict {
	if len(m.state.talkChoices) == 0 || v.Decision != personas.AsideName || v.Answer != nil || v.Language != "" || m.asksHelp ||
		m.clauses > maxTalkClauses || m.message.acts.Contempt || m.message.acts.Question {
		return v
	}
	talk := r.SmallTalk(m.text, m.state.language, false)
	k, named := m.state.talkChoices[talk]
	if !named || at.LastTry && m.state.choices[k].kind == redirect { // the last try is not lost by small talk
		return v
	}
	v = r.verdict(at, m, k, 1)
	v.Why = fmt.Sprintf("%s: %s, which its criterion names", v.Decision, talk)
	return v
}
