package lint

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/prove"
)

type checkContext struct {
	p *personas.Persona
	// sound is set if the document was parsed without errors and the machines can run. The checks
	// of the meaning need a sound document.
	sound bool

	report          *prove.Report // nil without a proof
	err             error
	machineContexts []machineContext
	byKey           map[string]int // indexes of machines
	texts           []textUse

	names         []string // for placeholders
	variables     *personas.VariableTable
	unknown       []personas.Unknown
	unknownListed bool
	leading       [][]int // indexes of the links to each machine
	leaving       [][]int // indexes of the links from each machine
}

func (c *checkContext) proveMachines() {
	if c.report, c.err = prove.Persona(c.p); c.err != nil {
		return
	}
	machines := c.listMachines()
	for i := range machines {
		machines[i].proof = &c.report.Machines[i]
	}
	for _, p := range c.report.Stuck {
		if m := c.machineByKey(p.Machine); p.State != "" {
			m.stuck[m.index[p.State]] = true
		}
	}
}

type machineContext struct {
	*personas.Machine
	position int
	path     string
	index    map[string]int
	outgoing [][]int        // transitions of each state, in the order of evaluation
	exit     [][]int        // other states that each state leads to
	proof    *prove.Machine // nil without a proof
	stuck    []bool         // players can reach the state but never leave the machine
}

func (c *checkContext) listMachines() []machineContext {
	if c.machineContexts == nil {
		c.byKey = make(map[string]int, len(c.p.Machines))
		for i := range c.p.Machines {
			c.byKey[c.p.Machines[i].Key] = i
			c.machineContexts = append(c.machineContexts, newMachineContext(&c.p.Machines[i], i))
		}
	}
	return c.machineContexts
}

func (c *checkContext) eachState() iter.Seq2[*machineContext, int] {
	return func(yield func(*machineContext, int) bool) {
		machines := c.listMachines()
		for i := range machines {
			for state := range machines[i].States {
				if !yield(&machines[i], state) {
					return
				}
			}
		}
	}
}

func (c *checkContext) eachTransition() iter.Seq2[*machineContext, int] {
	return func(yield func(*machineContext, int) bool) {
		machines := c.listMachines()
		for i := range machines {
			for transition := range machines[i].Transitions {
				if !yield(&machines[i], transition) {
					return
				}
			}
		}
	}
}

func newMachineContext(m *personas.Machine, position int) machineContext {
	r := machineContext{
		Machine: m, position: position, path: machinePath(position), index: make(map[string]int, len(m.States)),
	}
	for i := range m.States {
		r.index[m.States[i].Key] = i
	}
	r.outgoing, r.stuck = make([][]int, len(m.States)), make([]bool, len(m.States))
	for i := range m.Transitions {
		if from, ok := r.index[m.Transitions[i].From]; ok {
			r.outgoing[from] = append(r.outgoing[from], i)
		}
	}
	for _, transitions := range r.outgoing {
		slices.SortStableFunc(transitions, func(a, b int) int {
			return cmp.Compare(m.Transitions[a].Priority, m.Transitions[b].Priority)
		})
	}
	r.findExits()
	return r
}

func (m *machineContext) statePath(i int) string      { return statePath(m.position, i) }
func (m *machineContext) transitionPath(i int) string { return transitionPath(m.position, i) }

func (m *machineContext) nameTransition(i int) string {
	return "the " + personas.Ordinal(i) + " transition, " + m.Transitions[i].Title()
}

func (m *machineContext) usesScores() bool { return m.Mode() == personas.Scoring }

func (m *machineContext) isPlayed(state int) bool {
	return m.proof != nil && m.proof.States[state].Plays
}

func (m *machineContext) firstTransition(state int, d personas.Decision) int {
	for i := range m.transitionsFor(state, d) {
		return i
	}
	return -1
}

func (m *machineContext) transitionsFor(state int, d personas.Decision) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, i := range m.outgoing[state] {
			if m.Transitions[i].Decision == d && !yield(i) {
				return
			}
		}
	}
}

func (m *machineContext) hasTransitionWithWords(state int, d personas.Decision) bool {
	for i := range m.transitionsFor(state, d) {
		if m.hasOwnWords(i) {
			return true
		}
	}
	return false
}

// findExits follows docs/persona-file.md, "What a message does". In scoring mode, a reject leads by
// default to the target of the first pass.
func (m *machineContext) findExits() {
	m.exit = make([][]int, len(m.States))
	from := make([]int, len(m.States)) // 1 + the last source of each state
	for state := range m.outgoing {
		pass := m.firstTransition(state, personas.DecidePass)
		for _, i := range m.outgoing[state] {
			t := &m.Transitions[i]
			to := t.To
			if t.Decision == personas.DecideReject && m.usesScores() && (to == "" || to == t.From) && pass >= 0 {
				to = m.Transitions[pass].To
			}
			index, ok := m.index[to]
			if moves := m.canMove(t.Decision); moves && ok && index != state && from[index] != state+1 {
				from[index] = state + 1
				m.exit[state] = append(m.exit[state], index)
			}
		}
	}
}

func (m *machineContext) canMove(d personas.Decision) bool {
	return d == personas.DecidePass || d == personas.DecideReject && m.usesScores()
}

func (m *machineContext) exitsOf(state int) []int { return m.exit[state] }

func (m *machineContext) isReachable(state int) bool { return m.proof.States[state].Reachable }

func (m *machineContext) endsAnywhere() bool {
	for i := range m.States {
		if m.States[i].IsTerminal && m.isReachable(i) {
			return true
		}
	}
	return false
}

// hasNoWayOn reports whether players get stuck before every ending. Unreachable states are then
// only a consequence.
func (m *machineContext) hasNoWayOn() bool {
	if m.endsAnywhere() {
		return false
	}
	for i := range m.States {
		if m.stuck[i] || m.isTrap(i) {
			return true
		}
	}
	return false
}

// hasCutOffStates reports whether a state is unreachable. Checks of consequences then skip the
// machine.
func (m *machineContext) hasCutOffStates() bool {
	return slices.ContainsFunc(m.proof.States, func(s prove.State) bool { return !s.Reachable })
}

func (c *checkContext) indexLinks() {
	if c.leading != nil {
		return
	}
	c.leading, c.leaving = make([][]int, len(c.p.Machines)), make([][]int, len(c.p.Machines))
	for i := range c.p.Links {
		from, to := c.machineByKey(c.p.Links[i].Source).position, c.machineByKey(c.p.Links[i].Target).position
		c.leaving[from] = append(c.leaving[from], i)
		c.leading[to] = append(c.leading[to], i)
	}
}

// findRoots returns a smallest set of nodes that lead to all accepted nodes.
func findRoots(n int, accepts func(int) bool, next func(int) []int) []int {
	order := make([]int, 0, n)
	seen := make([]bool, n)
	for i := range n {
		order = append(order, visitFrom(i, seen, accepts, next)...)
	}
	slices.Reverse(order)
	clear(seen)
	var roots []int
	for _, i := range order {
		if !seen[i] {
			roots = append(roots, i)
			visitFrom(i, seen, accepts, next)
		}
	}
	return roots
}

func visitFrom(from int, seen []bool, accepts func(int) bool, next func(int) []int) []int {
	if seen[from] || !accepts(from) {
		return nil
	}
	type visit struct{ node, done int }
	var order []int
	seen[from] = true
	for path := []visit{{node: from}}; len(path) > 0; {
		v := &path[len(path)-1]
		to := next(v.node)
		if v.done == len(to) {
			order = append(order, v.node)
			path = path[:len(path)-1]
			continue
		}
		v.done++
		if t := to[v.done-1]; !seen[t] && accepts(t) {
			seen[t] = true
			path = append(path, visit{node: t})
		}
	}
	return order
}

func quoteKeys(keys []string) string {
	const limit = 4
	out := ""
	for i, key := range keys {
		switch {
		case i == limit-1 && len(keys) > limit:
			return out + fmt.Sprintf(" and %d more", len(keys)-i)
		case i > 0 && i == len(keys)-1:
			out += " and "
		case i > 0:
			out += ", "
		}
		out += fmt.Sprintf("%q", key)
	}
	return out
}
