package prove

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// Persona proves a document. It refuses what engine.CompilePersona refuses
// (engine.ErrDocument) and machines whose numbers are too wide (ErrTooWide).
// Everything it says about scores treats them as whole numbers without end; the
// engine's saturate after some nine thousand million turns.
func Persona(doc *personas.Persona) (*Report, error) {
	run, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	proofs, stuck := make([]*proof, len(doc.Machines)), make([][]Stuck, len(doc.Machines))
	r := &Report{Machines: make([]Machine, len(doc.Machines)), Links: make([]Link, len(doc.Links)), Stuck: []Stuck{}}
	errs := make([]error, len(doc.Machines))
	each(len(doc.Machines), func(i int) {
		m := &doc.Machines[i]
		if proofs[i], errs[i] = newProof(m, run.Machine(m.Key), maxWork/len(doc.Machines)); errs[i] == nil {
			r.Machines[i], stuck[i] = proofs[i].report(), proofs[i].stuck()
			errs[i] = proofs[i].g.overspent()
		}
	})
	for i, err := range errs {
		if err != nil {
			return nil, err
		}
		r.Stuck = append(r.Stuck, stuck[i]...)
	}
	u := unlocking{doc: doc, run: run, proofs: proofs, report: r}
	u.prove()
	return r, nil
}

// each does something for the numbers below n, on all cores. A panic is the
// caller's, who may have a way to answer it.
func each(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	var panicked atomic.Value
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			defer func() {
				if fault := recover(); fault != nil {
					panicked.CompareAndSwap(nil, fmt.Sprint("prove: ", fault))
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
	if fault := panicked.Load(); fault != nil {
		panic(fault)
	}
}

// arrival is the first time that something is reached.
type arrival struct {
	ok     bool
	length int
	way    *hop
}

func (a *arrival) take(length int, way func() *hop) {
	if !a.ok || length < a.length {
		*a = arrival{true, length, way()}
	}
}

// proof is the work on one machine.
type proof struct {
	g       *graph
	scores  *scores
	playing []arrival // by state: running there
	entered []arrival // by state: standing there, running or ended
	ends    map[personas.Outcome]*Outcome
	plays   []bool  // by state: whether the machine can be running there
	stands  []bool  // by state: whether a session can stand there
	leading [][]int // by state: see leads
	left    map[aim][]int
	cut     bool // whether the early-fail bound can end the machine
	terms   struct {
		met      bool // whether a terminal state can be entered alive
		min, max Score
	}
}

func newProof(doc *personas.Machine, run *engine.Machine, work int) (*proof, error) {
	g, err := newGraph(doc, run, work)
	if err != nil {
		return nil, err
	}
	s, err := g.scores()
	if err != nil {
		return nil, err
	}
	p := &proof{g: g, scores: s, left: map[aim][]int{}, plays: make([]bool, len(doc.States)), stands: make([]bool, len(doc.States))}
	p.visit()
	p.arrive()
	p.measure()
	return p, nil
}

// visit notes the states that the scores leave alive.
func (p *proof) visit() {
	for n := range p.g.nodes {
		if !p.scores.live(n) {
			continue
		}
		p.plays[p.g.nodes[n].state], p.stands[p.g.nodes[n].state] = true, true
		for i := range p.g.nodes[n].edges {
			p.stands[p.g.nodes[n].edges[i].state] = true
		}
	}
}

// arrive finds the shortest ways to the states. A plain breadth-first search
// is enough where its ways are as short as those of a machine without a bound;
// where one is not, a search that keeps higher scores too must look again.
func (p *proof) arrive() {
	p.arrivals(keepFirst)
	free := p.g.freely()
	least, entry := p.states(), p.states()
	for n := range p.g.nodes {
		least[p.g.nodes[n].state] = min(least[p.g.nodes[n].state], free[n])
		for i := range p.g.nodes[n].edges {
			e := &p.g.nodes[n].edges[i]
			entry[e.state] = min(entry[e.state], free[n]+e.times)
		}
	}
	entry[p.g.nodes[0].state] = 0
	for n := range p.g.nodes {
		if !p.scores.live(n) {
			continue
		}
		if at := p.playing[p.g.nodes[n].state]; !at.ok || at.length > least[p.g.nodes[n].state] {
			p.arrivals(keepHigher)
			return
		}
		for i := range p.g.nodes[n].edges {
			if st := p.g.nodes[n].edges[i].state; !p.entered[st].ok || p.entered[st].length > entry[st] {
				p.arrivals(keepHigher)
				return
			}
		}
	}
}

func (p *proof) states() []int {
	list := make([]int, len(p.g.doc.States))
	for i := range list {
		list[i] = never
	}
	return list
}

// arrivals notes when each state is first played and entered; the search ends
// when every node that can be running has been.
func (p *proof) arrivals(prune pruning) {
	if p.playing == nil {
		p.playing, p.entered = make([]arrival, len(p.g.doc.States)), make([]arrival, len(p.g.doc.States))
	}
	waiting := 0
	for n := range p.g.nodes {
		if p.scores.live(n) {
			waiting++
		}
	}
	been := make([]bool, len(p.g.nodes))
	s := search{g: p.g, prune: prune, arrived: func(it *item) bool {
		if been[it.node] {
			return false
		}
		been[it.node] = true
		waiting--
		p.note(it)
		return waiting == 0
	}}
	s.run()
}

func (p *proof) note(it *item) {
	here := func() *hop { return it.way }
	p.playing[p.g.nodes[it.node].state].take(it.length, here)
	p.entered[p.g.nodes[it.node].state].take(it.length, here)
	edges := p.g.nodes[it.node].edges
	for i := range edges {
		e := &edges[i]
		p.entered[e.state].take(it.length+e.times, func() *hop { return it.along(e) })
	}
}

// measure finds the outcomes and their scores from the exact sets.
func (p *proof) measure() {
	p.ends = map[personas.Outcome]*Outcome{}
	for _, o := range []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut} {
		p.ends[o] = &Outcome{Outcome: o}
	}
	for n := range p.g.nodes {
		if !p.scores.live(n) {
			continue
		}
		for i := range p.g.nodes[n].edges {
			p.measureEdge(n, &p.g.nodes[n].edges[i])
		}
	}
}

func (p *proof) measureEdge(n int, e *edge) {
	g, s := p.g, p.scores
	low, _ := s.atLeast(n, noBound)
	high := s.greatest(n).plus(e.delta)
	last := g.bound // of a REJECT
	switch e.kind {
	case forced:
		p.ends[e.outcome].widen(Score(low+e.delta), high)
		return
	case terminal:
		last = g.goal - 1
		if v, ok := s.atLeast(n, g.goal-e.delta); ok {
			p.ends[personas.Accept].widen(Score(v+e.delta), high)
		}
		p.meetTerminal(n, e, high)
	}
	if v, ok := s.atMost(n, last-e.delta); ok {
		p.ends[personas.Reject].widen(Score(low+e.delta), Score(v+e.delta))
		p.cut = p.cut || low+e.delta <= g.bound
	}
}

// meetTerminal notes the scores with which terminal states are entered alive.
func (p *proof) meetTerminal(n int, e *edge, high Score) {
	v, ok := p.scores.atLeast(n, p.g.bound+1-e.delta)
	if !ok {
		return
	}
	t := &p.terms
	if low := Score(v + e.delta); !t.met || low < t.min {
		t.min = low
	}
	if !t.met || high > t.max {
		t.max = high
	}
	t.met = true
}

func (s Score) plus(delta int) Score {
	if s == Inf {
		return Inf
	}
	return s + Score(delta)
}

func (o *Outcome) widen(low, high Score) {
	if !o.Reachable {
		o.Reachable, o.Min, o.Max = true, new(low), new(high)
	}
	*o.Min, *o.Max = min(*o.Min, low), max(*o.Max, high)
}
