package graph

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// flow is a machine as nodes and edges, for the formats in which another program places them.
type flow struct {
	nodes []flowNode
	edges []flowEdge
}

type flowNode struct {
	id    string
	lines []string
	state *state // nil for a node that stands for the end of the machine
}

type flowEdge struct {
	from, to string
	arrow    *arrow
	ends     bool // to is not a state
}

// newFlow returns the nodes and edges of a machine. Their ids begin with the machine's id.
func newFlow(id string, m *machine) flow {
	var f flow
	stateID := func(i int) string { return fmt.Sprintf("%ss%d", id, i) }
	for i, st := range m.states {
		f.nodes = append(f.nodes, flowNode{stateID(i), st.stateLines(), st})
	}
	for _, v := range m.arrows {
		f.edges = append(f.edges, flowEdge{stateID(v.from), stateID(v.to), v, false})
	}
	known := map[string]bool{}
	for i, st := range m.states {
		for _, v := range st.sides {
			to, label := id+"reject", string(personas.Reject)
			switch {
			case v.destination == stays:
				f.edges = append(f.edges, flowEdge{stateID(i), stateID(i), v, false})
				continue
			case v.destination == nowhere:
				to, label = stateID(i)+"nowhere", "not there"
			case v.decision == personas.DecideKickOut:
				to, label = id+"kick", string(personas.KickOut)
			}
			if !known[to] {
				known[to] = true
				f.nodes = append(f.nodes, flowNode{id: to, lines: []string{label}})
			}
			f.edges = append(f.edges, flowEdge{stateID(i), to, v, true})
		}
	}
	return f
}

func (s *state) stateLines() []string {
	lines := []string{s.title}
	if s.key != s.title {
		lines = append(lines, s.key)
	}
	if s.ending != "" {
		lines = append(lines, "ends: "+s.ending)
	}
	if s.mark.Note != "" {
		lines = append(lines, s.mark.Note)
	}
	return lines
}

// joinLines joins the lines of a label after it has replaced each by the result of escape.
func joinLines(lines []string, separator string, escape func(string) string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = escape(line)
	}
	return strings.Join(escaped, separator)
}
