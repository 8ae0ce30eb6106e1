// Package intent is the offline model: it decides what a message means in a
// state from the author's examples, answers, conditions and criteria, and
// explains why (persona-file, "The offline model"). Its weights are fitted to a
// corpus of lines that people wrote. It does not write replies or change sessions.
package intent

import (
	"cmp"
	"fmt"
	"sync"
	"weak"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/cache"
)

const (
	// maxPrepared bounds the prepared states that are kept, and maxPreparedSize
	// the bytes of the author's texts in them. Each state counts at least
	// maxPreparedSize/maxPrepared bytes; a larger one is kept alone.
	maxPrepared     = 64
	maxPreparedSize = 3 << 18
)

// Reader understands messages. It is safe for concurrent use.
type Reader struct {
	lexicon     *Lexicon
	kinds       *classifier // which decision a message looks like by itself
	full, prose *model      // of states with examples, and of those without

	prepared *cache.Cache[placeKey, *preparedState]

	lock    sync.Mutex
	intents map[string]*bank // by language
}

// NewReader returns a Reader. It takes some milliseconds.
func NewReader() *Reader {
	known, err := newClassifier(kindTable)
	if err != nil {
		panic(err)
	}
	return newReader(known)
}

func newReader(known *classifier) *Reader {
	return &Reader{
		lexicon: NewLexicon(), kinds: known, full: &readModels().Full, prose: &readModels().Prose,
		prepared: cache.New[placeKey, *preparedState](maxPreparedSize), intents: make(map[string]*bank),
	}
}

// Lexicon returns the Reader's lexicon.
func (r *Reader) Lexicon() *Lexicon { return r.lexicon }

// Place is the state that a message is sent to. Its documents are not changed, and
// must not change.
type Place struct {
	Persona *personas.Persona
	Machine *personas.Machine
	State   *personas.State
	// Outgoing are the state's transitions, by index into Machine.Transitions, in
	// the engine's order.
	Outgoing []int
	// FollowUpAllowed is false right after a follow-up.
	FollowUpAllowed bool
	// LastTry means that the next redirect becomes a reject. A doubtful one then becomes a
	// follow-up.
	LastTry bool
}

// Language returns the language of a machine (the primary subtag of BCP 47): the
// machine's, else the persona's, else English.
func Language(p *personas.Persona, m *personas.Machine) string {
	return primaryLanguage(cmp.Or(sharedLanguage(m.Offline), sharedLanguage(p.Offline), p.Language, "en"))
}

// namesLanguage reports whether the machine or the persona names its language.
func namesLanguage(p *personas.Persona, m *personas.Machine) bool {
	return cmp.Or(sharedLanguage(m.Offline), sharedLanguage(p.Offline), p.Language) != ""
}

func sharedLanguage(o *personas.SharedOffline) string {
	if o == nil {
		return ""
	}
	return o.Language
}

// placeKey names a state in one document with its open transitions. It does not keep the
// document in memory, which may be a thousand times as large as its state.
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

// prepare returns the prepared state of a place.
func (r *Reader) prepare(at *Place) *preparedState {
	key := at.key()
	if ready, ok := r.prepared.Find(key); ok {
		return ready
	}
	ready := r.prepareState(at, "")
	r.prepared.Keep(key, ready, max(ready.size, maxPreparedSize/maxPrepared))
	return ready
}

// Verdict is what a message means, and why.
type Verdict struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string
	// Rows are the transitions that hold, by index into Machine.Transitions.
	Rows []int
	// Example is the author's nearest example, or nil.
	Example *personas.Example
	// Answer is the author's answer to an aside, or nil.
	Answer *personas.Answer
	// Intent is the built-in intent of an aside, or empty.
	Intent personas.Intent
	// Language is the language of a message if it is not the persona's, else empty.
	Language string
	// Confidence is from 0 to 1.
	Confidence float64
	// Weighed are the most probable meanings, the most probable one first; nil if a rule decided.
	Weighed []Weight
	// Why is the reason in one sentence.
	Why string
}

// Weight is the probability of one thing that a message may mean.
type Weight struct {
	Decision string
	// Row is the first of its transitions, by index into Machine.Transitions; -1 for none.
	Row         int
	Probability float64
}
