package offline

import (
	"slices"
	"strings"
	"sync"
)

// Bounds of the verdicts that are remembered of a state: so many messages, and none longer.
// With maxPrepared states they take some five MiB at most (docs/decisions/offline.md,
// verdicts-kept).
const (
	maxVerdicts     = 128
	maxVerdictBytes = 120 // of the message
)

// Decide says what a message means (persona-file, "The offline model"). The same message
// in the same place has the same verdict, which is shared and must not be changed.
func (r *Reader) Decide(at Place, message string) Verdict {
	p := r.prepare(&at)
	if v, ok := p.verdicts.findVerdict(&at, message); ok {
		return v
	}
	v := r.decide(at, p, message)
	p.verdicts.keepVerdict(&at, message, v)
	return v
}

// verdictMemory remembers what short messages mean in a state: many players say the same
// there. It goes with the prepared state, whose document the verdicts point into.
type verdictMemory struct {
	lock sync.Mutex
	kept map[verdictKey]keptVerdict
}

// verdictKey is what a verdict depends on beside the state and its transitions.
type verdictKey struct {
	message         string
	followUpAllowed bool
}

type keptVerdict struct {
	outgoing []int
	verdict  Verdict
}

func (m *verdictMemory) findVerdict(at *Place, message string) (Verdict, bool) {
	m.lock.Lock()
	defer m.lock.Unlock()
	k, ok := m.kept[verdictKey{message, at.FollowUpAllowed}]
	return k.verdict, ok && slices.Equal(k.outgoing, at.Outgoing)
}

// keepVerdict remembers a verdict; past the bound all others are forgotten.
func (m *verdictMemory) keepVerdict(at *Place, message string, v Verdict) {
	if len(message) > maxVerdictBytes {
		return
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.kept == nil || len(m.kept) >= maxVerdicts {
		m.kept = make(map[verdictKey]keptVerdict)
	}
	// The message may be a small part of a long one.
	m.kept[verdictKey{strings.Clone(message), at.FollowUpAllowed}] = keptVerdict{slices.Clone(at.Outgoing), v}
}
