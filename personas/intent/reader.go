// Package intent is the offline model. It decides what a message means in a state by the author's
// examples, answers, conditions and criteria, and explains the decision (docs/persona-file.md,
// "Play without a model"). Its weights are fitted to a corpus of lines that people wrote. It does
// not write replies or change sessions. The Policy that makes the decision also serves providers'
// models.
package intent

import (
	"cmp"
	"fmt"
	"strings"
	"weak"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/cache"
)

const (
	// maxPreparedSize is the maximum size of the author's texts in all cached states, in bytes.
	// Each state counts as at least maxPreparedSize/maxPrepared bytes. A state larger than
	// maxPreparedSize is cached alone.
	maxPreparedSize = 3 << 18
	maxPrepared     = 64
)

// Reader decides what messages mean. It is safe for concurrent use.
type Reader struct {
	lexicon     *Lexicon
	kinds       *classifier // estimates the decision from the message alone
	full, prose *model      // models for states with examples, and for those without

	prepared *cache.Cache[placeKey, *preparedState]
	banks    map[string]func() *bank
}

// NewReader returns a Reader. The call takes some milliseconds.
func NewReader() *Reader {
	known, err := newClassifier(kindTable)
	if err != nil {
		panic(err)
	}
	return newReader(known)
}

func newReader(known *classifier) *Reader {
	r := &Reader{
		lexicon: NewLexicon(), kinds: known, full: &readModels().Full, prose: &readModels().Prose,
		prepared: cache.New[placeKey, *preparedState](maxPreparedSize),
	}
	r.banks = forLanguages(r.newBank)
	return r
}

// Lexicon returns the Reader's lexicon.
func (r *Reader) Lexicon() *Lexicon { return r.lexicon }

// Place is the state in which a message is sent. Its documents are not modified, and must not be
// modified by others.
type Place struct {
	Persona *personas.Persona
	Machine *personas.Machine
	State   *personas.State
	// Outgoing are the indexes in Machine.Transitions of the state's transitions, in the engine's
	// order of evaluation.
	Outgoing []int
	// FollowUpAllowed is false directly after a follow-up.
	FollowUpAllowed bool
	// LastTry means that the next redirect becomes a reject. A doubtful redirect then becomes a
	// follow-up.
	LastTry bool
	// InGame means that the decision has consequences. The character then asks about a doubtful
	// decision at the player's expense.
	InGame bool
	// Losing are the transitions that would lose the game now, and -1 if a redirect without
	// a transition would. The character asks about them first, unless the message is almost an example.
	Losing []int
	// Asked is the question before the message, or empty if it is unknown.
	Asked Asked
}

// Language returns the primary BCP 47 subtag of the language of a machine: the machine's language,
// or else the persona's, or else English.
func Language(p *personas.Persona, m *personas.Machine) string {
	language, _, _ := strings.Cut(strings.ToLower(cmp.Or(specifiedLanguage(p, m), "en")), "-")
	return language
}

func specifiedLanguage(p *personas.Persona, m *personas.Machine) string {
	for _, o := range [...]*personas.SharedOffline{m.Offline, p.Offline} {
		if o != nil && o.Language != "" {
			return o.Language
		}
	}
	return p.Language
}

// placeKey identifies a state and its transitions. Weak pointers do not keep the document in
// memory, which may be a thousand times as large as the state.
type placeKey struct {
	persona weak.Pointer[personas.Persona]
	machine weak.Pointer[personas.Machine]
	state   weak.Pointer[personas.State]
	rows    string
}

func (at *Place) key() placeKey {
	rows := fmt.Sprint(at.Outgoing[:min(len(at.Outgoing), maxRows)])
	return placeKey{weak.Make(at.Persona), weak.Make(at.Machine), weak.Make(at.State), rows}
}

func (r *Reader) prepare(at *Place) *preparedState {
	key := at.key()
	if ready, ok := r.prepared.Find(key); ok {
		return ready
	}
	ready := r.prepareState(at, "")
	r.prepared.Keep(key, ready, max(ready.size, maxPreparedSize/maxPrepared))
	return ready
}

// Verdict is the decision about a message, with the reasons.
type Verdict struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string
	// Rows are the indexes in Machine.Transitions of the matching transitions.
	Rows []int
	// DoubtsLoss means that a "follow_up" asks whether the player meant a choice that loses.
	DoubtsLoss bool
	// WouldLose means that the choice a "follow_up" asks about would end the machine now, and the
	// player would lose.
	WouldLose bool
	// Example is the author's most similar example, or nil.
	Example *personas.Example
	// Answer is the author's answer to an aside, or nil.
	Answer *personas.Answer
	// Intent is the built-in intent of an aside, or empty.
	Intent personas.Intent
	// Language is the language of a message if it is not the persona's, else empty.
	Language string
	// Confidence is the probability of the decision, from 0 to 1.
	Confidence float64
	// Weighed contains the most probable choices in decreasing order of probability. It is nil if a
	// rule decided.
	Weighed []Weight
	// Why explains the decision in one sentence.
	Why string
}

// Weight is the probability of a choice.
type Weight struct {
	Decision string
	// Row is the index in Machine.Transitions of the choice's first transition, or -1.
	Row         int
	Probability float64
}
