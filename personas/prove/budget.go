package prove

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// Limits of the work for all proofs of one file. The limits with Per in their names are added for
// each state, transition or edge. To determine whether a score can be reached exactly is an
// NP-complete problem (subset sum), so every limit excludes some machines.
const (
	maxWork     = 1 << 23 // each unit is about eight comparisons
	workPerItem = 1 << 7
	// maxEdges limits memory. There is an edge for each verdict at each count of redirects. It
	// takes about 100 bytes.
	maxEdges     = 1 << 20
	edgesPerItem = 1 << 3
	nodeCost     = 4 // size of a node, in edges
	// maxQueued limits the queues of searches for witnesses. Each search may use a quarter of the
	// remaining entries. If a witness needs more, it is omitted.
	maxQueued     = 1 << 21
	queuedPerEdge = 1 << 2
)

type budget struct{ work, edges, queued int }

func (b budget) forMachine(m *personas.Machine) budget {
	items := len(m.States) + len(m.Transitions)
	return budget{b.work + workPerItem*items, b.edges + edgesPerItem*items, b.queued}
}

// limitTo returns what is left of a machine's budget, but at most the budget other. Other machines
// must not use the part that was added for the size of this machine.
func (b budget) limitTo(other budget) budget {
	return budget{max(0, min(b.work, other.work)), max(0, min(b.edges, other.edges)), max(0, min(b.queued, other.queued))}
}

func (g *graph) checkBudget() error {
	switch {
	case g.edges < 0:
		return fmt.Errorf("%w: the proof of machine %q needs too many steps (at most %d for all machines of a file); lower its max_redirects", ErrTooWide, g.doc.Key, maxEdges)
	case g.work < 0:
		return fmt.Errorf("%w: the possible scores of machine %q need more work than the limit for the proofs of a file (%d units); give its score_deltas a common divisor or make them smaller", ErrTooWide, g.doc.Key, maxWork)
	}
	return nil
}
