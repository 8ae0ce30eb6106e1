package prove

import (
	"container/heap"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

type linkProof struct {
	doc       *personas.Persona
	persona   *engine.Persona
	proofs    []*machineProof
	report    *Report
	index     map[string]int
	ends      []ending // of each link
	linksFrom [][]int  // links from each machine
	linksTo   [][]int  // links to each machine
	queued    int      // rest of maxQueued
}

type ending struct {
	ok    bool // possible
	way   *Way // shortest way, or nil if not found
	steps int
}

const unknownSteps = 1 << 40

func (p *linkProof) proveLinks() {
	p.index = make(map[string]int, len(p.doc.Machines))
	p.linksFrom, p.linksTo = make([][]int, len(p.doc.Machines)), make([][]int, len(p.doc.Machines))
	for i := range p.doc.Machines {
		p.index[p.doc.Machines[i].Key] = i
	}
	for i := range p.doc.Links {
		l := &p.doc.Links[i]
		source := p.index[l.Source]
		p.ends = append(p.ends, p.findEnding(&p.report.Machines[source], p.proofs[source], l))
		p.linksFrom[source] = append(p.linksFrom[source], i)
		target := p.index[l.Target]
		p.linksTo[target] = append(p.linksTo[target], i)
	}
	p.findAvailable()
	for i := range p.doc.Links {
		p.report.Links[i] = p.reportLink(i)
	}
	for i := range p.report.Machines {
		if m := &p.report.Machines[i]; !m.Available {
			m.Reason = p.whyLocked(i)
		}
		p.reportDeadEnd(i)
	}
}

func (p *linkProof) findEnding(m *Machine, proof *machineProof, link *personas.Link) ending {
	best := ending{}
	for i := range m.Outcomes {
		o := &m.Outcomes[i]
		if !o.Reachable || !engine.Opens(link, o.Outcome, int(*o.Min)) && !engine.Opens(link, o.Outcome, int(*o.Max)) {
			continue
		}
		steps := unknownSteps
		if o.Witness != nil {
			steps = o.Witness.Len()
		}
		if !best.ok || steps < best.steps {
			best = ending{true, o.Witness, steps}
		}
	}
	if !best.ok || link.Condition == personas.IfOutcome || link.Condition == personas.Always {
		return best
	}
	proof.g.queued = p.queued
	last, found := proof.findScoredEnding(link)
	p.queued = proof.g.queued
	if !found {
		return ending{ok: true, steps: unknownSteps}
	}
	w := &Way{machine: proof.g.doc.Key, last: last}
	return ending{true, w, w.Len()}
}

// findScoredEnding prunes lower scores if the link needs a score above the bound. Higher scores are
// pruned if every ending at the bound opens the link.
func (p *machineProof) findScoredEnding(l *personas.Link) (*pathStep, bool) {
	prune, cut := keepAll, p.boundCanEnd
	switch {
	case l.Condition == personas.IfScoreGTE && l.Score > p.g.bound:
		prune, cut = keepHigher, false
	case l.Condition == personas.IfScoreLTE && l.Score >= p.g.bound:
		prune = keepLower
	}
	opens := func(o personas.Outcome, score int) bool { return engine.Opens(l, o, score) }
	return p.findShortest(prune, cut, personas.NoOutcome, opens)
}

// findAvailable runs Dijkstra's algorithm over the links.
func (p *linkProof) findAvailable() {
	least := make([]int, len(p.doc.Machines))
	var queue machineQueue
	for _, key := range p.persona.Available(nil) {
		i := p.index[key]
		p.report.Machines[i].Available, p.report.Machines[i].Witness = true, &Way{}
		heap.Push(&queue, reached{i, 0})
	}
	for len(queue) > 0 {
		at := heap.Pop(&queue).(reached)
		if at.steps > least[at.machine] {
			continue
		}
		for _, i := range p.linksFrom[at.machine] {
			to, end := p.index[p.doc.Links[i].Target], p.ends[i]
			m, steps := &p.report.Machines[to], at.steps+end.steps
			if !end.ok || m.Available && steps >= least[to] {
				continue
			}
			least[to], m.Available = steps, true
			m.Witness, m.Reason = p.joinWays(at.machine, end)
			heap.Push(&queue, reached{to, steps})
		}
	}
}

type reached struct{ machine, steps int }

type machineQueue []reached

func (q machineQueue) Len() int           { return len(q) }
func (q machineQueue) Less(i, j int) bool { return q[i].steps < q[j].steps }
func (q machineQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *machineQueue) Push(x any)        { *q = append(*q, x.(reached)) }

func (q *machineQueue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

func (p *linkProof) joinWays(source int, end ending) (*Way, string) {
	before := p.report.Machines[source].Witness
	if before == nil || end.way == nil {
		return nil, unlisted
	}
	w := *end.way
	if w.before = before; before.Len() == 0 {
		w.before = nil
	}
	if w.Len() > MaxSteps {
		return &w, unlisted
	}
	return &w, ""
}

func (p *linkProof) reportLink(i int) Link {
	l := Link{Index: i}
	source := p.index[p.doc.Links[i].Source]
	if !p.report.Machines[source].Available || !p.ends[i].ok {
		l.Reason = p.whyClosed(i)
		return l
	}
	l.CanOpen = true
	l.Witness, l.Reason = p.joinWays(source, p.ends[i])
	return l
}

func (p *linkProof) reportDeadEnd(i int) {
	leads, m := false, &p.report.Machines[i]
	for _, link := range p.linksFrom[i] {
		if p.ends[link].ok {
			return
		}
		leads = leads || p.doc.Links[link].Target != m.Key
	}
	if leads {
		why := "the machine has links to other machines, but none of its endings opens one"
		p.report.Stuck = append(p.report.Stuck, Stuck{Machine: m.Key, Reason: why, Witness: m.Witness})
	}
}
