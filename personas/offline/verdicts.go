package offline

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/cache"
)

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
