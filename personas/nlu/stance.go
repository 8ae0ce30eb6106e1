package nlu

import (
	"slices"
	"strings"
)

// Stance is how a speaker stands to what he says: whether he does it, holds it out, or
// takes it back. Each is from 0 (not at all) to 1 (for certain).
type Stance struct {
	Hedged      float64 // a deed that he may do: "I could pay, perhaps"
	Withheld    float64 // what is said first is taken back, or lost: "here it is, but you won't get it"
	Conditional float64 // "only if you pay me"
	Declined    float64 // a soft no: "no idea", "I would rather not"
	Promised    float64 // of doing and of not doing
	LastDenies  bool    // the last clause is negated
}

var (
	hedgeWords   = makeSet("maybe perhaps possibly probably supposedly someday")
	hedgePhrases = splitPhrases("i might|we might|i may|we may|i guess|i suppose|i would think about|i will think about|think about it|think it over|let me think|we will see|some day|one day|not sure if|not sure whether|i do not know if|would consider|will consider|might be|might have|it depends|sort of|kind of|if i feel like|or maybe not|or not")
	ableTo       = splitPhrases("i could|we could")
	lossWords    = makeSet("lost lose ate eaten sold stolen forgot forgotten burned burnt gone ruined spilled spilt dropped wasted misplaced drowned vanished missing empty")
	conditions   = splitPhrases("if you|only if|unless|as long as|provided|in return|but first|only when|on condition|not before|not until")
	softNoes     = splitPhrases("no idea|no clue|i am afraid|unfortunately|do not know|do not remember|can not remember|rather not|prefer not|not your business|not business|none of your business|not of your business|why should i|not sure|do not promise|can not promise|not say|not tell|no comment|not telling|do not feel like|not in the mood|do not want to|do not care|not my problem|not really|not now|not yet|maybe later|some other time|another time|what for|who cares|not interested|hard to say|do not see why|what is it to you")
	promises     = splitPhrases("promise|swear|vow|pledge|my word|my honour|my honor|my oath|cross my heart|never again|i will not|we will not|i will never|i shall not|i shall never|not going to|you can count on me|rely on me|i would never|guarantee|depend on me|on my life|so help me")
	contrasts    = makeSet("but though although however except yet only still")
)

// splitPhrases cuts a list of phrases into words.
func splitPhrases(list string) [][]string {
	var out [][]string
	for phrase := range strings.SplitSeq(list, "|") {
		out = append(out, strings.Fields(phrase))
	}
	return out
}

// maxPhraseWords is how many words of a clause are searched for phrases.
const maxPhraseWords = 60

func containsPhrase(w []string, phrases [][]string) bool {
	w = w[:min(len(w), maxPhraseWords)]
	return slices.ContainsFunc(phrases, func(p []string) bool { return indexOf(w, p) >= 0 })
}

func containsAny(w []string, set map[string]bool) bool {
	return slices.ContainsFunc(w, func(t string) bool { return set[t] })
}

// maxStances is how many clauses of a text are read for the speaker's stance.
const maxStances = 100

// noteStance adds what clauses that follow each other say of the speaker's stance.
func (a *Acts) noteStance(clauses []clause) {
	contrast := false
	for _, c := range clauses[:min(len(clauses), maxStances)] {
		negated := isNegated(c.words)
		contrast = contrast || containsAny(c.words[:min(2, len(c.words))], contrasts)
		a.LastDenies = negated
		if c.question {
			a.Declined = max(a.Declined, asShare(containsPhrase(c.words, softNoes))/2)
			continue
		}
		a.noteHedge(c.words)
		a.noteLoss(c.words, contrast, negated)
		a.Declined = max(a.Declined, asShare(containsPhrase(c.words, softNoes)))
		a.Promised = max(a.Promised, asShare(containsPhrase(c.words, promises)))
		a.Conditional = max(a.Conditional, asShare(containsPhrase(c.words, conditions)))
	}
}

func (a *Acts) noteHedge(w []string) {
	word, able := containsAny(w, hedgeWords) || containsPhrase(w, hedgePhrases), containsPhrase(w, ableTo)
	switch {
	case word:
		a.Hedged = 1
	case able:
		a.Hedged = max(a.Hedged, 0.6)
	}
}

// noteLoss notes what is taken back: by a denial behind a "but", or by a loss.
func (a *Acts) noteLoss(w []string, contrast, negated bool) {
	lost := containsAny(w, lossWords)
	switch {
	case contrast && (negated || lost):
		a.Withheld = 1
	case lost && (containsAny(w, ownWords)):
		a.Withheld = max(a.Withheld, 0.7)
	}
}

var ownWords = makeSet("i we my our it them they")

func asShare(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func isNegated(w []string) bool {
	return slices.ContainsFunc(w, func(t string) bool {
		switch t {
		case "not", "never", "no", "nobody", "without", "nor", "neither", "hardly", "none", "nothing":
			return true
		}
		return false
	})
}
