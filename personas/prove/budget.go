package prove

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// Limits for all proofs of one file together, and additions per state and transition. To decide
// whether a score can be met exactly is NP-complete in the length of the numbers (subset sum), so
// some machine exceeds any limit.
const (
	maxWork     = 1 << 23 // about eight comparisons each
	workPerItem = 1 << 7
	// maxEdges bounds memory: one edge per verdict and count of redirects, about 100 bytes each.
	maxEdges     = 1 << 20
	edgesPerItem = 1 << 3
	nodeCost     = 4 // edges that are as large as a node
	// maxQueued bounds the queues of searches for witnesses; each search may use a quarter of the
	// rest. A witness that needs more is omitted.
	maxQueued    = 1 << 21
	queuedPerArc = 1 << 2
)

// budget is the remaining budget.
type budget struct{ work, edges, queued int }

// divide returns the n-th part of a budget.
func (b budget) divide(n int) budget { return budget{b.work / n, b.edges / n, b.queued / n} }

func (b *budget) add(other budget, sign int) {
	b.work += sign * other.work
	b.edges += sign * other.edges
	b.queued += sign * other.queued
}

// itemBudget is the allowance of a machine for its size.
func itemBudget(m *personas.Machine) budget {
	items := len(m.States) + len(m.Transitions)
	return budget{work: workPerItem * items, edges: edgesPerItem * items}
}

// checkBudget refuses a machine that took more than it may.
func (g *graph) checkBudget() error {
	switch {
	case g.edges < 0:
		return fmt.Errorf("%w: machine %q goes beyond the %d steps that the proofs of a file may tell apart; lower its max_redirects", ErrTooWide, g.doc.Key, maxEdges)
	case g.work < 0:
		return fmt.Errorf("%w: the scores of machine %q are too many to follow within the %d units of work of a file; give its deltas a common divisor or make them smaller", ErrTooWide, g.doc.Key, maxWork)
	}
	return nil
}

// spendBudget proves all machines of a document within one budget, and returns the rest of it. A
// single machine may use all of it. Otherwise each first gets an equal part of one half; machines
// that need more then get, in order, all of the rest, so that the answer depends on the document
// alone. It refuses the first machine for which that is not enough.
func spendBudget(doc *personas.Persona, proveOne func(i int, may budget) (left budget, err error)) (budget, error) {
	rest := budget{maxWork, maxEdges, maxQueued}
	parts, errs := rest.divide(2*max(len(doc.Machines), 1)), make([]error, len(doc.Machines))
	lefts := make([]budget, len(doc.Machines))
	give := func(i int, may budget) {
		may.add(itemBudget(&doc.Machines[i]), 1)
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
		// What the first attempt held in memory is free again.
		rest.edges += parts.edges
		if give(i, rest); errs[i] != nil {
			return rest, errs[i]
		}
		rest = lefts[i].unspent(rest)
	}
	return rest, nil
}

// unspent returns the rest of a part. The allowance of a machine for its size is not passed on to
// others.
func (b budget) unspent(part budget) budget {
	return budget{max(0, min(b.work, part.work)), max(0, min(b.edges, part.edges)), max(0, min(b.queued, part.queued))}
}
