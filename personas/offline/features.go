package offline

import (
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

// features are what is measured of a message and one choice.
const (
	fOne = iota
	fBest
	fBest2
	fHeard
	fCriterion
	fCriterionHeard
	fMargin
	fStrong
	fQuestion
	fAboutYou
	fViolence
	fInsult
	fTheft
	fBlocked
	fGivesUp
	fNegated
	fPast
	fStrange
	fShort
	fLong
	fIntent
	fMaxBest
	fAggression
	featureCount
)

type features [featureCount]float64

// Reader understands messages. It is safe for concurrent use.
type Reader struct {
	lex     *nlu.Lexicon
	intents *nlu.Index
	kinds   []int
	texts   []string
}

// NewReader makes a Reader.
func NewReader() *Reader {
	r := &Reader{lex: nlu.NewLexicon()}
	r.texts, r.kinds = intentTexts(englishIntents)
	r.intents = r.lex.NewIndex(r.texts, r.kinds)
	return r
}

// measured is a message compared with all choices of a state.
type measured struct {
	choices  []choice
	features []features
	nearest  []string
	intent   int
	acts     nlu.Acts
}

func (r *Reader) measure(m *personas.Machine, s *personas.State, outgoing []int, message string, examples bool) measured {
	out := measured{choices: choicesOf(m, s, outgoing)}
	var texts, criteria []string
	var kinds, criteriaKinds []int
	for i, c := range out.choices {
		if examples {
			for _, e := range c.examples {
				texts, kinds = append(texts, e), append(kinds, i)
			}
		}
		for _, e := range c.criteria {
			for _, clause := range clausesOf(e) {
				criteria, criteriaKinds = append(criteria, clause), append(criteriaKinds, i)
			}
		}
	}
	out.features = make([]features, len(out.choices))
	out.nearest = make([]string, len(out.choices))
	out.acts = r.lex.Acts(message)
	r.compare(&out, texts, kinds, message, false)
	r.compare(&out, criteria, criteriaKinds, message, true)
	talk := r.intents.Query(message)
	best := 0.0
	for i, score := range talk.Scores {
		if score > best {
			best, out.intent = score, r.kinds[i]
			out.nearest[len(out.choices)-1] = r.texts[i]
		}
	}
	last := &out.features[len(out.choices)-1]
	last[fBest] = best
	top := 0.0
	for i := range out.features[:len(out.choices)-1] {
		top = max(top, out.features[i][fBest])
	}
	for i := range out.features {
		f := &out.features[i]
		f[fOne] = 1
		f[fIntent] = best
		f[fMaxBest] = top
		other := 0.0
		for j := range out.features {
			if j != i {
				other = max(other, out.features[j][fBest])
			}
		}
		f[fMargin] = max(-0.5, min(0.5, f[fBest]-other))
		f[fStrong] = max(0, f[fBest]-0.6)
		a := &out.acts
		f[fQuestion] = flag(a.Question)
		f[fAboutYou] = flag(a.AboutYou)
		f[fViolence], f[fInsult], f[fTheft], f[fBlocked] = a.Violence, a.Insult, a.Theft, a.Blocked
		f[fAggression] = max(a.Violence, a.Insult, a.Theft)
		f[fGivesUp] = a.GivesUp
		f[fNegated] = flag(a.Negated)
		f[fPast] = flag(a.Past)
		if a.Words > 0 {
			f[fStrange] = float64(a.Strange) / float64(a.Words)
		}
		f[fShort] = flag(a.Words <= 2)
		f[fLong] = flag(a.Words > 12)
	}
	return out
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (r *Reader) compare(out *measured, texts []string, kinds []int, message string, criteria bool) {
	if len(texts) == 0 {
		return
	}
	// kinds must begin at 0 and have no holes
	var used []int
	dense := make([]int, len(kinds))
	for i, k := range kinds {
		at := slices.Index(used, k)
		if at < 0 {
			at = len(used)
			used = append(used, k)
		}
		dense[i] = at
	}
	found := r.lex.NewIndex(texts, dense).Query(message)
	for i, k := range used {
		f := &out.features[k]
		var first, second float64
		for j, score := range found.Scores {
			if dense[j] != i {
				continue
			}
			if score > first {
				first, second = score, first
				if !criteria {
					out.nearest[k] = texts[j]
				}
			} else if score > second {
				second = score
			}
		}
		if criteria {
			f[fCriterion], f[fCriterionHeard] = first, found.Heard[i]
		} else {
			f[fBest], f[fBest2], f[fHeard] = first, second, found.Heard[i]
		}
	}
}
