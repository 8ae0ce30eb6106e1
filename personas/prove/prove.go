package prove

import (
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// Persona proves a document. The error is engine.ErrDocument for an invalid document and ErrTooWide
// for too wide a range of scores. Proofs ignore that the engine's scores saturate after some nine
// thousand million turns.
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

type arrival struct {
	ok  bool
	way *pathStep
}

func (a *arrival) keepShorter(way *pathStep) {
	if !a.ok || way.len() < a.way.len() {
		*a = arrival{true, way}
	}
}

type machineProof struct {
	g                   *graph
	scores              *scoreSets
	firstRunning        []arrival // shortest way to a running session in each state
	firstStanding       []arrival // shortest way to a running or ended session in each state
	ends                map[personas.Outcome]*Outcome
	canRun              []bool  // states of running sessions
	canStand            []bool  // states of running or ended sessions
	wonByReject         []bool  // states where a reject can win
	wonOtherwise        []bool  // states where another decision can win
	goesOn              []bool  // transitions into a running or won machine
	transitionsByTarget [][]int // set by transitionsToStates
	boundCanEnd         bool    // the early-fail bound can end the machine
	terminalScores      struct {
		met       bool // a session can enter a terminal state above the bound
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
	p := &machineProof{
		g: g, scores: s, canRun: make([]bool, len(doc.States)), canStand: make([]bool, len(doc.States)),
		wonByReject: make([]bool, len(doc.States)), wonOtherwise: make([]bool, len(doc.States)),
		goesOn: make([]bool, len(doc.Transitions)),
	}
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

func (p *machineProof) findArrivals() {
	p.firstRunning, p.firstStanding = make([]arrival, len(p.g.doc.States)), make([]arrival, len(p.g.doc.States))
	waiting := 0
	for n := range p.g.nodes {
		if p.scores.isLive(n) {
			waiting++
		}
	}
	been := make([]bool, len(p.g.nodes))
	s := search{g: p.g, onArrival: func(at session) bool {
		if been[at.node] {
			return false
		}
		been[at.node] = true
		waiting--
		p.firstRunning[p.g.nodes[at.node].state].keepShorter(at.way)
		p.firstStanding[p.g.nodes[at.node].state].keepShorter(at.way)
		edges := p.g.nodes[at.node].edges
		for i := range edges {
			p.firstStanding[edges[i].state].keepShorter(at.follow(&edges[i]))
		}
		return waiting == 0
	}}
	s.findWay()
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
			if !p.g.spend(ranges / scansPerUnit) {
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
			p.noteWin(e)
		}
		p.noteTerminal(n, e, high)
	case onward:
		if _, ok := s.atLeast(n, g.bound+1-e.delta); ok && e.fired >= 0 {
			p.goesOn[e.fired] = true
		}
	}
	if v, ok := s.atMost(n, last-e.delta); ok {
		p.ends[personas.Reject].widenRange(Score(low+e.delta), Score(v+e.delta))
		p.boundCanEnd = p.boundCanEnd || low+e.delta <= g.bound
	}
}

func (p *machineProof) noteWin(e *edge) {
	won := p.wonOtherwise
	if e.reject {
		won = p.wonByReject
	}
	won[e.state] = true
	if e.fired >= 0 {
		p.goesOn[e.fired] = true
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
