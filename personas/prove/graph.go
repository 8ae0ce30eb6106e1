package prove

import (
	"fmt"
	"math"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

type kind uint8

const (
	onward   kind = iota // the machine continues
	terminal             // in scoring mode, the score decides the outcome
	forced               // the outcome does not depend on the score
)

type edge struct {
	to      int // target node, or -1 at an end
	state   int // after the edge
	delta   int
	kind    kind
	outcome personas.Outcome // of a forced edge
	verdict engine.Verdict
	fired   int  // transition that fired, or -1
	reject  bool // the decision was a reject
}

func (e *edge) isOwn() bool { return e.fired >= 0 && e.fired == int(e.verdict) }

// node is a running machine without its score. Only node 0, the start, may be at the bound or in a
// terminal state.
type node struct {
	state, redirects int
	edges            []edge
}

type graph struct {
	doc         *personas.Machine
	machine     *engine.Machine
	index       map[string]int // of states by key
	counts      []bool         // whether the redirects in each state are counted
	nodeByCount map[[2]int]int // by state and count of redirects
	nodes       []node
	scoring     bool
	bound       int // noBound in pass_fail mode
	acceptScore int // minimum score for ACCEPT in a terminal state
	budget

	into  [][]int   // sources of the edges to each node
	queue []session // reused by searches
}

const noBound = math.MinInt64 / 4

func newGraph(doc *personas.Machine, run *engine.Machine, may budget) (*graph, error) {
	g := &graph{
		doc: doc, machine: run,
		index: make(map[string]int, len(doc.States)), nodeByCount: make(map[[2]int]int, len(doc.States)),
		scoring: doc.Mode() == personas.Scoring, bound: noBound, budget: may,
	}
	if g.scoring {
		g.bound = doc.FailBound()
		g.acceptScore = max(doc.Threshold(), g.bound+1)
	}
	if err := g.checkNumbers(); err != nil {
		return nil, err
	}
	g.countRedirects()
	return g, g.exploreNodes()
}

func (g *graph) checkNumbers() error {
	numbers := []int{g.doc.Threshold(), g.doc.FailBound()}
	for i := range g.doc.Transitions {
		numbers = append(numbers, g.doc.Transitions[i].ScoreDelta)
	}
	for _, n := range numbers {
		if n > personas.MaxInteger || n < -personas.MaxInteger {
			return fmt.Errorf("%w: machine %q has the number %d, which exceeds the range of a document",
				ErrTooWide, g.doc.Key, n)
		}
	}
	return nil
}

// countRedirects finds the states with a count that matters. With free redirects and a reject
// transition, the limit changes nothing.
func (g *graph) countRedirects() {
	paid, rejects := make([]bool, len(g.doc.States)), make([]bool, len(g.doc.States))
	for i := range g.doc.States {
		g.index[g.doc.States[i].Key] = i
	}
	for i := range g.doc.Transitions {
		t := &g.doc.Transitions[i]
		from := g.index[t.From]
		rejects[from] = rejects[from] || t.Decision == personas.DecideReject
		paid[from] = paid[from] || t.Decision == personas.DecideRedirect && t.ScoreDelta != 0 && g.scoring
	}
	g.counts = make([]bool, len(g.doc.States))
	for i := range g.counts {
		g.counts[i] = g.doc.States[i].MaxRedirects != nil && (paid[i] || !rejects[i])
	}
}

func (g *graph) exploreNodes() error {
	g.nodes = make([]node, 1, 2*len(g.doc.States)+1)
	g.nodes[0].state = g.index[g.machine.Start().State]
	for i := 0; i < len(g.nodes); i++ {
		if g.edges -= nodeCost; g.edges < 0 {
			return g.checkBudget()
		}
		edges := g.listEdges(i)
		g.nodes[i].edges = edges
		g.edges -= len(edges)
	}
	if err := g.checkBudget(); err != nil {
		return err
	}
	g.into = make([][]int, len(g.nodes))
	for n := range g.nodes {
		g.queued += queuedPerEdge * len(g.nodes[n].edges)
		for _, e := range g.nodes[n].edges {
			if e.to >= 0 && e.to != n {
				g.into[e.to] = append(g.into[e.to], n)
			}
		}
	}
	return nil
}

func (g *graph) listEdges(at int) []edge {
	n := g.nodes[at]
	out := g.machine.Outgoing(g.doc.States[n.state].Key)
	edges := make([]edge, 0, len(out)+1)
	implicit := true
	for _, i := range out {
		implicit = implicit && g.doc.Transitions[i].Decision != personas.DecideRedirect
		edges = append(edges, g.tryVerdict(n, engine.Fire(i)))
	}
	if implicit {
		edges = append(edges, g.tryVerdict(n, engine.None))
	}
	return edges
}

// tryVerdict calls the engine with the score 0, because the engine adds the delta before it checks
// the score.
func (g *graph) tryVerdict(n node, v engine.Verdict) edge {
	before := engine.Session{State: g.doc.States[n.state].Key, Redirects: n.redirects}
	r, _ := g.machine.Step(before, v)
	e := edge{
		to: -1, state: g.index[r.Session.State], delta: r.Session.Score,
		verdict: v, fired: r.Transition, reject: r.Decision == personas.DecideReject,
	}
	switch {
	case r.Decision == personas.DecideKickOut, !g.scoring && r.IsCompleted():
		e.kind, e.outcome = forced, r.Session.Outcome
	case g.doc.States[e.state].IsTerminal:
		e.kind = terminal
	default:
		e.to = g.findNode(e.state, r.Session.Redirects)
	}
	return e
}

func (g *graph) findNode(state, redirects int) int {
	if !g.counts[state] {
		redirects = 0
	}
	key := [2]int{state, redirects}
	at, ok := g.nodeByCount[key]
	if !ok {
		at = len(g.nodes)
		g.nodeByCount[key] = at
		g.nodes = append(g.nodes, node{state: state, redirects: redirects})
	}
	return at
}

// outcomeAt repeats the rule of engine.Machine.Step, because Step is too slow for each score.
// TestTheExplorerAgrees compares both.
func (g *graph) outcomeAt(e *edge, score int) personas.Outcome {
	switch {
	case e.kind == forced:
		return e.outcome
	case score <= g.bound:
		return personas.Reject
	case e.kind == onward:
		return personas.NoOutcome
	case score >= g.acceptScore:
		return personas.Accept
	}
	return personas.Reject
}

// These limits apply to all proofs of a file. Limits per item or edge are added for each state,
// transition or edge.
const (
	maxWork      = 1 << 23 // in units, see spend
	workPerItem  = 1 << 7
	maxEdges     = 1 << 20 // of about 100 bytes
	edgesPerItem = 1 << 3
	nodeCost     = 4 // in edges
	// maxQueued limits the searches for witnesses. Each search may use a quarter of the remaining
	// entries.
	maxQueued     = 1 << 21
	queuedPerEdge = 1 << 2
)

// These steps cost one unit of work, about eight comparisons.
const (
	checksPerUnit  = 16 // a flag is tested, or a value copied
	scansPerUnit   = 8  // a set, a range or an edge is read
	relaxesPerUnit = 4  // a label is compared along an edge, and may change
)

type budget struct{ work, edges, queued int }

// spend takes n units of work from the budget, and reports whether the budget still suffices.
func (b *budget) spend(n int) bool {
	b.work -= n
	return b.work >= 0
}

func (b budget) forMachine(m *personas.Machine) budget {
	items := len(m.States) + len(m.Transitions)
	return budget{b.work + workPerItem*items, b.edges + edgesPerItem*items, b.queued}
}

// limitTo removes the part of a budget that was added for the size of a machine.
func (b budget) limitTo(other budget) budget {
	return budget{max(0, min(b.work, other.work)), max(0, min(b.edges, other.edges)), max(0, min(b.queued, other.queued))}
}

func (g *graph) checkBudget() error {
	switch {
	case g.edges < 0:
		return fmt.Errorf("%w: the proof of machine %q needs too many steps (at most %d for all machines of a file); "+
			"lower its max_redirects", ErrTooWide, g.doc.Key, maxEdges)
	case g.work < 0:
		return fmt.Errorf("%w: the possible scores of machine %q need more work than the limit for the proofs of a "+
			"file (%d units); give its score_deltas a common divisor or make them smaller", ErrTooWide, g.doc.Key, maxWork)
	}
	return nil
}
