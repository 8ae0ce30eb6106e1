// Package intent is the offline model: it decides what a message means in a
// state from the author's examples, answers, conditions and criteria, and says
// why (persona-file, "The offline model"). Its weights are fitted to a corpus of
// lines that people wrote. It writes no replies and changes no session.
package intent

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/cache"
)

const (
	// maxPrepared states are kept ready, of maxPreparedSize bytes of the author's
	// texts together, of which each counts its share at least; a larger one is kept
	// alone.
	maxPrepared     = 64
	maxPreparedSize = 3 << 18
)

// Reader understands messages. It is safe for concurrent use.
type Reader struct {
	lexicon     *Lexicon
	kinds       *classifier // which decision a message looks like by itself
	full, prose *model      // of states with examples, and of those without

	digests  *cache.Cache[placeKey, digest]
	prepared *cache.Cache[digest, *preparedState]

	lock    sync.Mutex
	intents map[string]*bank // by language
}

// NewReader makes a Reader. It takes some milliseconds.
func NewReader() *Reader {
	known, err := newClassifier(kindTable)
	if err != nil {
		panic(err)
	}
	return newReader(known)
}

func newReader(known *classifier) *Reader {
	return &Reader{
		lexicon: NewLexicon(), kinds: known, full: &fullModel, prose: &proseModel,
		digests: cache.New[placeKey, digest](maxPrepared), prepared: cache.New[digest, *preparedState](maxPreparedSize), intents: make(map[string]*bank),
	}
}

// Lexicon is what the Reader knows of words.
func (r *Reader) Lexicon() *Lexicon { return r.lexicon }

// Place is where a message is said. The documents in it are not changed, and
// must not change.
type Place struct {
	Persona *personas.Persona
	Machine *personas.Machine
	State   *personas.State
	// Outgoing are the state's transitions, by index into Machine.Transitions, in
	// the order in which the engine tries them.
	Outgoing []int
	// FollowUpAllowed is false right after a follow-up.
	FollowUpAllowed bool
	// LastTry means that the next redirect is a reject; then a doubtful one is asked about.
	LastTry bool
}

// Language is that in which a machine is played (BCP 47, its first part): the
// machine's, else the persona's, else English.
func Language(p *personas.Persona, m *personas.Machine) string {
	return primaryLanguage(cmp.Or(sharedLanguage(m.Offline), sharedLanguage(p.Offline), p.Language, "en"))
}

// namesLanguage reports whether the author says in which language he writes.
func namesLanguage(p *personas.Persona, m *personas.Machine) bool {
	return cmp.Or(sharedLanguage(m.Offline), sharedLanguage(p.Offline), p.Language) != ""
}

func sharedLanguage(o *personas.SharedOffline) string {
	if o == nil {
		return ""
	}
	return o.Language
}

// placeKey names a state in one document, which it does not keep in memory: a document may be
// a thousand times as large as its state.
type placeKey struct {
	persona weak.Pointer[personas.Persona]
	machine weak.Pointer[personas.Machine]
	state   weak.Pointer[personas.State]
}

func (at *Place) key() placeKey {
	return placeKey{weak.Make(at.Persona), weak.Make(at.Machine), weak.Make(at.State)}
}

// prepare returns what is ready of a state: of this one, or of one that says the same in
// another document, as the next version of a persona mostly does.
func (r *Reader) prepare(at *Place) *preparedState {
	says, err := r.digestOf(at)
	if err != nil {
		return r.prepareState(at, "")
	}
	if ready, ok := r.prepared.Find(says); ok {
		return ready
	}
	ready := r.prepareState(at, "")
	r.prepared.Keep(says, ready, max(ready.size, maxPreparedSize/maxPrepared))
	return ready
}

// digestOf is Place.digest, remembered.
func (r *Reader) digestOf(at *Place) (digest, error) {
	key := at.key()
	if known, ok := r.digests.Find(key); ok {
		return known, nil
	}
	says, err := at.digest()
	if err == nil {
		r.digests.Keep(key, says, 1)
	}
	return says, err
}

// digest tells places apart by all that a verdict there depends on.
type digest [sha256.Size]byte

func (at *Place) digest() (digest, error) {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(at.contents()); err != nil {
		return digest{}, err
	}
	return digest(h.Sum(nil)), nil
}

// placeContents are what a verdict depends on beside the message. Scores and priorities
// change none.
type placeContents struct {
	Name, Description, Language, Machine string
	Shared                               [2]*personas.SharedOffline
	State                                *personas.State
	Rows                                 []int
	Outgoing                             []personas.Transition
}

func (at *Place) contents() placeContents {
	c := placeContents{
		Name: at.Persona.Name, Description: at.Persona.Description, Language: at.Persona.Language, Machine: at.Machine.Name,
		Shared: [2]*personas.SharedOffline{at.Machine.Offline, at.Persona.Offline}, State: at.State, Rows: at.Outgoing[:min(len(at.Outgoing), maxRows)],
	}
	for _, row := range c.Rows {
		if row >= 0 && row < len(at.Machine.Transitions) {
			t := at.Machine.Transitions[row]
			t.ScoreDelta, t.Priority = 0, 0
			c.Outgoing = append(c.Outgoing, t)
		}
	}
	return c
}

// Bounds of the verdicts that are remembered of a state: so many messages, and none longer.
// With maxPrepared states they take some five MiB at most.
const (
	maxVerdicts     = 128
	maxVerdictBytes = 120 // of the message
)

// Verdict is what a message means, and why.
type Verdict struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string
	// Rows are the transitions that hold, by index into Machine.Transitions.
	Rows []int
	// Example is the author's example that is nearest; nil for none.
	Example *personas.Example
	// Answer is what the author answers to an aside; nil for none.
	Answer *personas.Answer
	// Intent is which built-in intent an aside has; empty for none.
	Intent personas.Intent
	// Language is the language of a message that is not in the persona's; else empty.
	Language string
	// Confidence is from 0 to 1.
	Confidence float64
	// Why is the reason in one sentence.
	Why string
}

// verdictMemory remembers what short messages mean in a state: many players say the same
// there. It goes with the prepared state, whose document the verdicts point into.
type verdictMemory struct {
	*cache.Cache[verdictKey, keptVerdict]
}

// verdictKey is what a verdict depends on beside the state and its transitions.
type verdictKey struct {
	message         string
	followUpAllowed bool
	lastTry         bool
}

type keptVerdict struct {
	outgoing []int
	verdict  Verdict
}

func newVerdictMemory() verdictMemory {
	return verdictMemory{cache.New[verdictKey, keptVerdict](maxVerdicts)}
}

func (m verdictMemory) findVerdict(key verdictKey, outgoing []int) (Verdict, bool) {
	k, ok := m.Find(key)
	return k.verdict, ok && slices.Equal(k.outgoing, outgoing)
}

// keepVerdict remembers the verdict on a message that is short.
func (m verdictMemory) keepVerdict(key verdictKey, outgoing []int, v Verdict) {
	if len(key.message) > maxVerdictBytes {
		return
	}
	// The message may be a small part of a long one.
	key.message = strings.Clone(key.message)
	m.Keep(key, keptVerdict{slices.Clone(outgoing), v}, 1)
}
