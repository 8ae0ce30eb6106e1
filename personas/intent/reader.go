// Package intent is the offline model. Reader decides what a message means by the author's
// examples, answers, conditions and criteria (docs/persona-file.md, "Play without a model"). The
// weights are fitted to a corpus of lines that people wrote. Policy also serves the models of
// providers.
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
	// maxPreparedSize limits the texts of all cached states in bytes. Each state counts at least
	// maxPreparedSize/maxPrepared.
	maxPreparedSize = 3 << 18
	maxPrepared     = 64
)

// Reader decides what messages mean. It is safe for concurrent use.
type Reader struct {
	lexicon     *Lexicon
	kinds       *classifier // judges the message alone
	full, prose *model      // for states with examples, and without

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

// Place is a state with its persona and machine. The documents must not be modified.
type Place struct {
	Persona *personas.Persona
	Machine *personas.Machine
	State   *personas.State
	// Outgoing contains indexes in Machine.Transitions, in the engine's order of evaluation.
	Outgoing []int
	// FollowUpAllowed is false directly after a follow-up.
	FollowUpAllowed bool
	// LastTry is set if the next redirect becomes a reject. A doubtful redirect then becomes a
	// follow-up.
	LastTry bool
	// InGame is set if the decision has consequences. The character then asks about a doubtful
	// decision against the player.
	InGame bool
	// Losing contains the transitions that lose the game, and -1 for a redirect without a
	// transition. The character asks first unless the message is almost an example.
	Losing []int
	// Asked is the character's question before the message, or empty.
	Asked Asked
}

// Language returns the primary BCP 47 subtag of a machine's language. The default is the persona's
// language, then English.
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

// placeKey has weak pointers, because a document may be a thousand times larger than its prepared
// state.
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

// Verdict is the decision about a message with its reasons.
type Verdict struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string
	// Rows contains the indexes in Machine.Transitions of the matching transitions.
	Rows []int
	// DoubtsLoss is set if a "follow_up" asks about a choice that loses.
	DoubtsLoss bool
	// WouldLose is set if a "follow_up" asks about a choice that loses the game now.
	WouldLose bool
	// Example is the author's most similar example, or nil.
	Example *personas.Example
	// Answer is the author's answer to an aside, or nil.
	Answer *personas.Answer
	// Intent is the built-in intent of an aside, or empty.
	Intent personas.Intent
	// Language is set for a message in another language than the persona's.
	Language string
	// Confidence is the probability of the decision, from 0 to 1.
	Confidence float64
	// Weighed contains the most probable choices in decreasing order, or nil if a rule decided.
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
