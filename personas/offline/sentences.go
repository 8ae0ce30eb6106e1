package offline

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

const (
	// mostSentences is how many sentences of a message are read one by one, and leastSentence how
	// many words each has.
	mostSentences, leastSentence = 6, 2
	// leastAlone is how probable the pass of a sentence must be, unless an example of it is near, and
	// leastRejectAlone a rejection.
	leastAlone, leastRejectAlone = 0.8, 0.97
	// nearerBy is by how much a sentence must be nearer to another way to pass than the whole is.
	nearerBy = 0.1
	// sureReject is how probable a rejection is that no sentence changes.
	sureReject = 0.9
	// askedAlone is the likeness from which a sentence is a question that the author answers, and
	// askedBy by how much it must be nearer than an example of a pass.
	askedAlone, askedBy = 0.75, 0.1
)

// readSentences reads a message sentence by sentence where the whole may mislead: what passes in
// one sentence passes, and what passes in none does not where a sentence is a question that the
// author answers (docs/decisions/offline.md, sentences-alone).
func (r *Reader) readSentences(at *Place, m *measurement, message string, whole Verdict) Verdict {
	sentences := splitMessage(message)
	if m.asksHelp || m.exactChoice() >= 0 || whole.Decision == string(personas.DecideKickOut) || whole.Decision == string(personas.DecideReject) && whole.Confidence >= sureReject {
		return whole
	}
	if !mayMislead(m, &whole, len(sentences)) {
		return whole
	}
	found := aloneVerdicts{whole: whole, near: m.nearestPass()}
	for _, sentence := range sentences {
		read := r.measurePart(m.state, sentence, "", m.memory)
		if v := r.weighChoices(at, read, sentence); read.fields > leastSentence && read.isAsked() && (!passes(&v) || v.Confidence < leastAlone) {
			v = r.verdict(at, read, len(read.features)-1, v.Confidence)
			found.asked = &v
		} else {
			found.note(read, &v)
		}
	}
	return found.choose()
}

// mayMislead reports whether a sentence may mean something else than the whole. A likeness of the
// whole is the greatest of its sentences', but for what is done between stars: so where no question
// that the author answers is near, what passes passes by its sentence.
func mayMislead(m *measurement, whole *Verdict, sentences int) bool {
	switch {
	case sentences >= 2 && (!passes(whole) || strings.Contains(m.text, "*")):
		return true
	case !passes(whole):
		return false
	}
	return m.features[len(m.features)-1][fCriterion] >= askedAlone
}

func passes(v *Verdict) bool { return v.Decision == string(personas.DecidePass) }

// aloneVerdicts are the verdicts on a message and on its sentences that decide by themselves.
type aloneVerdicts struct {
	whole                   Verdict
	near                    float64 // how near an example of a pass is to the whole, or to a sentence
	nearer                  bool    // a sentence is nearer than the whole
	asked, passed, rejected *Verdict
}

// note notes a sentence's verdict, of passes the one with the nearest example.
func (a *aloneVerdicts) note(read *measurement, v *Verdict) {
	near := read.nearestPass()
	switch {
	case passes(v) && (v.Confidence >= leastAlone || near >= nearExample) && (a.passed == nil || near > a.near):
		a.passed = v
		if !passes(&a.whole) || near > a.near+nearerBy {
			a.near, a.nearer = near, true
		}
	case v.Decision == string(personas.DecideReject) && v.Confidence >= leastRejectAlone:
		a.rejected = v
	}
}

// choose takes what the sentences say, in doubt the whole. A pass of the whole stays, unless a
// sentence is nearer to another way, or nothing but a question was asked.
func (a *aloneVerdicts) choose() Verdict {
	switch {
	case passes(&a.whole) && a.passed == nil && a.asked != nil:
		return *a.asked
	case a.passed != nil && (!passes(&a.whole) || a.nearer):
		return *a.passed
	case passes(&a.whole):
	case a.rejected != nil:
		return *a.rejected
	}
	return a.whole
}

// isAsked reports whether a question that the author answers is nearer than any example of a pass.
func (m *measurement) isAsked() bool {
	asked := m.features[len(m.features)-1][fCriterion]
	return asked >= askedAlone && asked >= m.nearestPass()+askedBy
}

// nearestPass is how near the nearest example of a pass is.
func (m *measurement) nearestPass() float64 {
	best := 0.0
	for k := range m.features {
		if m.state.choices[k].kind == pass {
			best = max(best, m.features[k][fBest])
		}
	}
	return best
}

// splitMessage are the sentences of a message and what is done between them, without those that only
// greet, thank or laugh; the first and the last ones where there are many.
func splitMessage(message string) []string {
	out := strings.FieldsFunc(markEnds.Replace(message), func(c rune) bool { return c == 0 })
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	out = slices.DeleteFunc(out, func(s string) bool {
		return len(strings.Fields(s)) < leastSentence || IsCourtesy(s) || laughsOnly().MatchString(s)
	})
	if len(out) > mostSentences {
		out = slices.Concat(out[:mostSentences-1], out[len(out)-1:])
	}
	return out
}

// markEnds marks where sentences end, and where what is done begins and ends.
var markEnds = strings.NewReplacer(". ", ".\x00", "! ", "!\x00", "? ", "?\x00", "…", "…\x00", "... ", "...\x00", "\n", "\x00", "* ", "*\x00", " *", "\x00*")
