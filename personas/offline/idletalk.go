package offline

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

// bareTalk are the kinds of small talk that say nothing by themselves: "ok" and "lol" mean
// what an example means that is such a word itself, and nothing else.
var bareTalk = map[nlu.Talk]bool{
	nlu.Agreement: true, nlu.Laughter: true, nlu.Pondering: true, nlu.Wonder: true, nlu.SoundCheck: true, nlu.Silence: true, nlu.SmallGesture: true, nlu.Puzzlement: true, nlu.Nonsense: true,
}

// idleTalk are the kinds that are no attempt where no example comes near them.
var idleTalk = map[nlu.Talk]bool{
	nlu.AskAge: true, nlu.AskFamily: true, nlu.AskOrigin: true, nlu.AskTaste: true, nlu.AskDay: true, nlu.AskFeeling: true, nlu.AskFact: true, nlu.AskSenses: true, nlu.AskTime: true,
	nlu.Compliment: true, nlu.Weather: true, nlu.JokeTold: true, nlu.JokeQuestion: true, nlu.KnockKnock: true, nlu.Swearing: true, nlu.Wish: true, nlu.Sympathy: true, nlu.AskWhy: true,
}

// passableTalk are the kinds that open no door by themselves: they pass where an example is
// near, or is of their kind, since flattery or a sad story may be just what is asked.
var passableTalk = map[nlu.Talk]bool{
	nlu.BadNews: true, nlu.GoodNews: true, nlu.Compliment: true, nlu.Weather: true, nlu.JokeTold: true, nlu.JokeQuestion: true, nlu.KnockKnock: true, nlu.Swearing: true,
	nlu.AskAge: true, nlu.AskFamily: true, nlu.AskOrigin: true, nlu.AskTaste: true, nlu.AskDay: true, nlu.AskFeeling: true, nlu.AskTime: true, nlu.AskPersonal: true,
}

// maxIdleWords is how many words of substance small talk has at most: whether what
// says more is an attempt, the weights judge.
const maxIdleWords = 4

// passingScore is how near an example must be for such talk to pass.
const passingScore = 0.6

// leastTalk is how probable a decision must be that is taken of small talk: what ends or
// opens something never is, and a kick_out only beyond doubt.
var leastTalk = [kindCount]float64{pass: certain, redirect: 0.6, reject: certain, kickOut: 0.93, followUp: certain, aside: certain}

// certain is more than any probability.
const certain = 2

// isIdleTalk reports whether a message is small talk or asks for help, and choice k, which is so
// probable, is not about that.
func (r *Reader) isIdleTalk(m *measurement, k int, probability float64) bool {
	c := &m.state.choices[k]
	if m.asksHelp && c.kind != aside {
		return m.nearest[k] < 0 || m.features[k][fBest] < fairlySaid
	}
	// Who only asks "what?" has not attempted anything, however the state reads it.
	asksWhat := m.talk == nlu.Puzzlement && c.kind == redirect
	if probability >= leastTalk[c.kind] && !asksWhat || c.kind == aside || m.message.acts.Violence+m.message.acts.Insult+m.message.acts.Theft > 0 || m.message.acts.Words > maxIdleWords && c.kind != reject && c.kind != kickOut {
		return false
	}
	talk := m.talk
	near := m.nearest[k]
	switch {
	case bareTalk[talk]:
		return near < 0 || m.features[k][fBest] < answeredScore || c.kind != pass && !bareTalk[r.lexicon.SmallTalk(m.state.examples.texts[near], m.state.language)]
	case passableTalk[talk] && c.kind == pass && len(m.state.examples.texts) > 0:
		return near < 0 || m.features[k][fBest] < passingScore && r.lexicon.SmallTalk(m.state.examples.texts[near], m.state.language) != talk
	case idleTalk[talk] && c.kind != pass:
		return near < 0 || m.features[k][fBest] < answeredScore
	}
	return false
}

// idleVerdict is the verdict on small talk: what the author answers to it, else an aside
// without an answer.
func (r *Reader) idleVerdict(at *Place, m *measurement) Verdict {
	v := r.asideVerdict(at, m, 1)
	if v.Intent == "" && v.Answer == nil {
		v.Why = fmt.Sprintf("%s: small talk that nothing of the state is about", personas.AsideName)
	}
	return v
}
