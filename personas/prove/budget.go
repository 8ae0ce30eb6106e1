package prove

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// Limits of the work for all proofs of one file, and additions for each state and transition.
// Whether a score can be reached exactly is an NP-complete problem (subset sum), so every limit
// excludes some machines.
const (
	maxWork     = 1 << 23 // each unit is about eight comparisons
	workPerItem = 1 << 7
	// maxEdges limits memory. An edge, for a verdict and a count of redirects, takes about 100 bytes.
	maxEdges     = 1 << 20
	edgesPerItem = 1 << 3
	nodeCost     = 4 // size of a node, in edges
	// maxQueued limits the queues of searches for witnesses. Each search may use a quarter of the
	// rest, and a witness that needs more is omitted.
	maxQueued    = 1 << 21
	queuedPerArc = 1 << 2
)

type budget struct{ work, edges, queued int }

func (b *budget) add(other budget, sign int) {
	b.work += sign * other.work
	b.edges += sign * other.edges
	b.queued += sign * other.queued
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

// spendBudget proves all machines of a document within one budget and returns the rest. A single
// machine may use the whole budget. Of several machines, each first gets an equal part of half of
// the budget; then, in document order, each machine that needs more gets the whole rest. The error
// is that of the first machine that needs more than the rest.
func spendBudget(doc *personas.Persona, proveOne func(i int, may budget) (left budget, err error)) (budget, error) {
	rest := budget{maxWork, maxEdges, maxQueued}
	n := 2 * max(len(doc.Machines), 1)
	parts, errs := budget{rest.work / n, rest.edges / n, rest.queued / n}, make([]error, len(doc.Machines))
	lefts := make([]budget, len(doc.Machines))
	give := func(i int, may budget) {
		items := len(doc.Machines[i].States) + len(doc.Machines[i].Transitions)
		may.add(budget{work: workPerItem * items, edges: edgesPerItem * items}, 1)
		lefts[i], errs[i] = proveOne(i, may)
	}
	if len(doc.Machines) == 1 {
		give(0, rest)
		return lefts[0].unspent(rest), errs[0]
	}
	eachParallel(len(doc.Machines), func(i int) { give(i, parts) })
	for i := range errs {
		rest.add(parts, -1)
		if errs[i] == nil {
			rest.add(lefts[i].unspent(parts), 1)
		}
	}
	for i := range errs {
		if errs[i] == nil {
			continue
		}
		// The memory of the first attempt is free again.
		rest.edges += parts.edges
		if give(i, rest); errs[i] != nil {
			return rest, errs[i]
		}
		rest = lefts[i].unspent(rest)
	}
	return rest, nil
}

// unspent returns the rest of a machine's budget b, but at most part. Other machines must not use
// what was added for the size of this machine.
func (b budget) unspent(part budget) budget {
	return budget{max(0, min(b.work, part.work)), max(0, min(b.edges, part.edges)), max(0, min(b.queued, part.queued))}
}
