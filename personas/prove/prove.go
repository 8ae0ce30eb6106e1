package prove

import (
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// Persona proves a document. It returns engine.ErrDocument if engine.CompilePersona rejects the
// document, and ErrTooWide if the numbers of a machine have too wide a range. It treats scores as
// unbounded integers. The engine's scores saturate after some nine thousand million turns.
func Persona(doc *personas.Persona) (*Report, error) {
	run, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	r := &Report{Machines: make([]Machine, len(doc.Machines)), Links: make([]Link, len(doc.Links)), Stuck: []Stuck{}}
	proofs, left := make([]*machineProof, len(doc.Machines)), budget{maxWork, maxEdges, maxQueued}
	for i := range doc.Machines {
		m := &doc.Machines[i]
		p, err := newMachineProof(m, run.Machine(m.Key), left.forMachine(m))
		if err != nil {
			return nil, err
		}
		proofs[i], r.Machines[i] = p, p.reportMachine()
		r.Stuck = append(r.Stuck, p.findStuck()...)
		if err := p.g.checkBudget(); err != nil {
			return nil, err
		}
		left = p.g.limitTo(left)
	}
	u := linkProof{doc: doc, persona: run, proofs: proofs, report: r, queued: left.queued}
	u.proveLinks()
	return r, nil
}

// arrival is the shortest way found so far.
type arrival struct {
	ok     bool
	length int
	way    *pathStep
}

func (a *arrival) keepShorter(length int, way func() *pathStep) {
	if !a.ok || length < a.length {
		*a = arrival{true, length, way()}
	}
}

type machineProof struct {
	g                   *graph
	scores              *scoreSets
	firstRunning        []arrival // by state: the shortest way to a session that runs there
	firstStanding       []arrival // by state: the same for a session that runs or has ended there
	ends                map[personas.Outcome]*Outcome
	canRun              []bool  // by state: whether a session can run there
	canStand            []bool  // by state: whether a session can run or have ended there
	transitionsByTarget [][]int // by state: see transitionsToStates
	distances           map[aim][]int
	boundCanEnd         bool // whether the early-fail bound can end the machine
	terminalScores      struct {
		met       bool // whether a running session can enter a terminal state above the bound
		low, high Score
	}
}

func newMachineProof(doc *personas.Machine, run *engine.Machine, may budget) (*machineProof, error) {
	g, err := newGraph(doc, run, may)
	if err != nil {
		return nil, err
	}
	s, err := g.exploreScores()
	if err != nil {
		return nil, err
	}
	p := &machineProof{g: g, scores: s, distances: map[aim][]int{}, canRun: make([]bool, len(doc.States)), canStand: make([]bool, len(doc.States))}
	for n := range g.nodes {
		if !s.isLive(n) {
			continue
		}
		p.canRun[g.nodes[n].state], p.canStand[g.nodes[n].state] = true, true
		for i := range g.nodes[n].edges {
			p.canStand[g.nodes[n].edges[i].state] = true
		}
	}
	p.findArrivals()
	p.measureOutcomes()
	return p, g.checkBudget()
}

// findArrivals finds the shortest ways to the states. A breadth-first search is correct if its ways
// are as short as the shortest ways without a bound. Otherwise findArrivals searches again and
// keeps higher scores.
func (p *machineProof) findArrivals() {
	p.searchArrivals(keepFirst)
	start := newDijkstra(len(p.g.nodes))
	start.lowerDistance(0, 0)
	free := start.findDistances(p.g.onward) // the distances from the start if scores are ignored
	least := slices.Repeat([]int{never}, len(p.g.doc.States))
	entry := slices.Clone(least)
	for n := range p.g.nodes {
		least[p.g.nodes[n].state] = min(least[p.g.nodes[n].state], free[n])
		for i := range p.g.nodes[n].edges {
			e := &p.g.nodes[n].edges[i]
			entry[e.state] = min(entry[e.state], free[n]+e.times)
		}
	}
	entry[p.g.nodes[0].state] = 0
	for n := range p.g.nodes {
		if !p.scores.isLive(n) {
			continue
		}
		if at := p.firstRunning[p.g.nodes[n].state]; !at.ok || at.length > least[p.g.nodes[n].state] {
			p.searchArrivals(keepHigher)
			return
		}
		for i := range p.g.nodes[n].edges {
			if st := p.g.nodes[n].edges[i].state; !p.firstStanding[st].ok || p.firstStanding[st].length > entry[st] {
				p.searchArrivals(keepHigher)
				return
			}
		}
	}
}

// searchArrivals records for each state the shortest way that enters the state, and the shortest
// way after which a session runs there. It stops at the last node that can be running.
func (p *machineProof) searchArrivals(prune pruning) {
	if p.firstRunning == nil {
		p.firstRunning, p.firstStanding = make([]arrival, len(p.g.doc.States)), make([]arrival, len(p.g.doc.States))
	}
	waiting := 0
	for n := range p.g.nodes {
		if p.scores.isLive(n) {
			waiting++
		}
	}
	been := make([]bool, len(p.g.nodes))
	s := search{g: p.g, prune: prune, onArrival: func(it *searchItem) bool {
		if been[it.node] {
			return false
		}
		been[it.node] = true
		waiting--
		p.noteArrival(it)
		return waiting == 0
	}}
	s.findWay()
}

func (p *machineProof) noteArrival(it *searchItem) {
	here := func() *pathStep { return it.way }
	p.firstRunning[p.g.nodes[it.node].state].keepShorter(it.length, here)
	p.firstStanding[p.g.nodes[it.node].state].keepShorter(it.length, here)
	edges := p.g.nodes[it.node].edges
	for i := range edges {
		e := &edges[i]
		p.firstStanding[e.state].keepShorter(it.length+e.times, func() *pathStep { return it.followEdge(e) })
	}
}

func (p *machineProof) measureOutcomes() {
	p.ends = map[personas.Outcome]*Outcome{}
	for _, o := range []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut} {
		p.ends[o] = &Outcome{Outcome: o}
	}
	for n := range p.g.nodes {
		if !p.scores.isLive(n) {
			continue
		}
		ranges := 0
		for i := range p.scores.sets[n] {
			ranges += len(p.scores.sets[n][i].all)
		}
		for i := range p.g.nodes[n].edges {
			if p.g.work -= ranges / 8; p.g.work < 0 {
				return
			}
			p.measureEdge(n, &p.g.nodes[n].edges[i])
		}
	}
}

func (p *machineProof) measureEdge(n int, e *edge) {
	g, s := p.g, p.scores
	low, _ := s.atLeast(n, noBound)
	high := s.greatestScore(n).addDelta(e.delta)
	last := g.bound // greatest score of a REJECT
	switch e.kind {
	case forced:
		p.ends[e.outcome].widenRange(Score(low+e.delta), high)
		return
	case terminal:
		last = g.acceptScore - 1
		if v, ok := s.atLeast(n, g.acceptScore-e.delta); ok {
			p.ends[personas.Accept].widenRange(Score(v+e.delta), high)
		}
		p.noteTerminal(n, e, high)
	}
	if v, ok := s.atMost(n, last-e.delta); ok {
		p.ends[personas.Reject].widenRange(Score(low+e.delta), Score(v+e.delta))
		p.boundCanEnd = p.boundCanEnd || low+e.delta <= g.bound
	}
}

func (p *machineProof) noteTerminal(n int, e *edge, high Score) {
	v, ok := p.scores.atLeast(n, p.g.bound+1-e.delta)
	if !ok {
		return
	}
	t := &p.terminalScores
	if low := Score(v + e.delta); !t.met || low < t.low {
		t.low = low
	}
	if !t.met || high > t.high {
		t.high = high
	}
	t.met = true
}

func (s Score) addDelta(delta int) Score {
	if s == Inf {
		return Inf
	}
	return s + Score(delta)
}

func (o *Outcome) widenRange(low, high Score) {
	if !o.Reachable {
		o.Reachable, o.Min, o.Max = true, new(low), new(high)
	}
	*o.Min, *o.Max = min(*o.Min, low), max(*o.Max, high)
}
