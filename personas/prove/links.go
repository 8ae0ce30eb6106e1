package prove

import (
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// linkProof finds out what leads from machine to machine.
type linkProof struct {
	doc       *personas.Persona
	persona   *engine.Persona
	proofs    []*machineProof
	report    *Report
	index     map[string]int
	ends      []ending // by link
	linksFrom [][]int  // links by source machine
	linksTo   [][]int  // links by target machine
	queued    int      // what searches may still put into their queues
}

// ending says whether a machine can end as a link asks, with the shortest way.
type ending struct {
	ok    bool
	way   *Way
	steps int
}

// far is the length of a way that was not found.
const far = never / (1 << 20)

func (u *linkProof) proveLinks() {
	u.index = make(map[string]int, len(u.doc.Machines))
	u.linksFrom, u.linksTo = make([][]int, len(u.doc.Machines)), make([][]int, len(u.doc.Machines))
	for i := range u.doc.Machines {
		u.index[u.doc.Machines[i].Key] = i
	}
	for i := range u.doc.Links {
		l := &u.doc.Links[i]
		source := u.index[l.Source]
		u.ends = append(u.ends, u.findEnding(&u.report.Machines[source], u.proofs[source], l))
		u.linksFrom[source] = append(u.linksFrom[source], i)
		target := u.index[l.Target]
		u.linksTo[target] = append(u.linksTo[target], i)
	}
	u.findAvailable()
	for i := range u.doc.Links {
		u.report.Links[i] = u.reportLink(i)
	}
	for i := range u.report.Machines {
		if m := &u.report.Machines[i]; !m.Available {
			m.Reason = u.whyLocked(i)
		}
		u.reportDeadEnd(i)
	}
}

// findEnding finds out whether a machine that has been started can end as a link
// asks.
func (u *linkProof) findEnding(m *Machine, p *machineProof, l *personas.Link) ending {
	best := ending{}
	for i := range m.Outcomes {
		o := &m.Outcomes[i]
		if !o.Reachable || !engine.Opens(l, o.Outcome, int(*o.Min)) && !engine.Opens(l, o.Outcome, int(*o.Max)) {
			continue
		}
		steps := far
		if o.Witness != nil {
			steps = o.Witness.Len()
		}
		if !best.ok || steps < best.steps {
			best = ending{true, o.Witness, steps}
		}
	}
	if !best.ok || l.Condition == personas.IfOutcome || l.Condition == personas.Always {
		return best
	}
	p.g.queued = u.queued
	last, found := p.findScoredEnding(l)
	u.queued = p.g.queued
	if !found {
		return ending{ok: true, steps: far}
	}
	w := &Way{machine: p.g.doc.Key, last: last}
	return ending{true, w, w.Len()}
}

// findScoredEnding finds the shortest way to an ending with a score that a link
// asks for. Higher scores replace lower ones where the score lies above the bound;
// lower ones replace higher ones where everything that the bound ends satisfies the
// link. Elsewhere each score counts for itself.
func (p *machineProof) findScoredEnding(l *personas.Link) (*pathStep, bool) {
	prune, cut := keepAll, p.boundCanEnd
	switch {
	case l.Condition == personas.IfScoreGTE && l.Score > p.g.bound:
		prune, cut = keepHigher, false
	case l.Condition == personas.IfScoreLTE && l.Score >= p.g.bound:
		prune = keepLower
	}
	return p.findShortest(prune, cut, personas.NoOutcome, func(o personas.Outcome, score int) bool { return engine.Opens(l, o, score) })
}

// findAvailable finds the machines that can be started, each with the least number of
// steps before it (Dijkstra over the links).
func (u *linkProof) findAvailable() {
	d := newDijkstra(len(u.doc.Machines))
	for _, key := range u.persona.Available(nil) {
		i := u.index[key]
		u.report.Machines[i].Available, u.report.Machines[i].Witness = true, &Way{}
		d.lowerDistance(i, 0)
	}
	for source := d.nextNode(); source >= 0; source = d.nextNode() {
		for _, i := range u.linksFrom[source] {
			to, end := u.index[u.doc.Links[i].Target], u.ends[i]
			if end.ok && d.lowerDistance(to, d.least[source]+end.steps) {
				m := &u.report.Machines[to]
				m.Available = true
				m.Witness, m.Reason = u.joinWays(source, end)
			}
		}
	}
}

// joinWays gives the way to a machine and on to its ending.
func (u *linkProof) joinWays(source int, end ending) (*Way, string) {
	before := u.report.Machines[source].Witness
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

func (u *linkProof) reportLink(i int) Link {
	l := Link{Index: i}
	source := u.index[u.doc.Links[i].Source]
	if !u.report.Machines[source].Available || !u.ends[i].ok {
		l.Reason = u.whyClosed(i)
		return l
	}
	l.CanOpen = true
	l.Witness, l.Reason = u.joinWays(source, u.ends[i])
	return l
}

// reportDeadEnd adds a machine that is meant to lead on to another one, but has no
// ending that opens any of its links.
func (u *linkProof) reportDeadEnd(i int) {
	leads, m := false, &u.report.Machines[i]
	for _, link := range u.linksFrom[i] {
		if u.ends[link].ok {
			return
		}
		leads = leads || u.doc.Links[link].Target != m.Key
	}
	if leads {
		u.report.Stuck = append(u.report.Stuck, Stuck{Machine: m.Key, Reason: "it has links that lead on, but no ending opens one of them", Witness: m.Witness})
	}
}
