package intent

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// talkCriteria recognize criteria about small talk. With the criterion "pays her a compliment", a
// compliment is more than small talk.
var talkCriteria = map[Talk]func() *regexp.Regexp{
	"a compliment": plaintext.Pattern(`(?i)\b(?:compliment|flatter|prais|admir)`),
	"kind words":   plaintext.Pattern(`(?i)\b(?:comfort|consol|condol|sympath|wish(?:es)? (?:her|him|them|it|\w+) (?:well|luck|a good))`),
	"agreement":    plaintext.Pattern(`(?i)\b(?:agree|accept|promis|swears?\b|says yes)`),
	"a joke":       plaintext.Pattern(`(?i)\bjokes?\b`),
	Apology:        plaintext.Pattern(`(?i)\b(?:apolog|sorry\b)`),
	Farewell:       plaintext.Pattern(`(?i)\b(?:goodbye|farewell)`),
}

const maxTalkClauses = 2

// findTalkChoices returns the pass or redirect for each kind of small talk that its criteria name.
// It leaves out kinds that the criteria of several choices name.
func findTalkChoices(choices []choice) map[Talk]int {
	out := make(map[Talk]int)
	for talk, words := range talkCriteria {
		isNamed := func(c choice) bool {
			return slices.ContainsFunc(c.criteria, func(text string) bool { return words().MatchString(clipText(text)) })
		}
		k := slices.IndexFunc(choices, isNamed)
		if k < 0 || slices.ContainsFunc(choices[k+1:], isNamed) {
			continue
		}
		if c := &choices[k]; (c.kind == pass || c.kind == redirect) && !c.loses {
			out[talk] = k
		}
	}
	return out
}

func (r *Reader) decideTalk(at *Place, m *measurement, v Verdict) Verdict {
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
