package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// minWidth is the minimum width of the output in cells.
const minWidth = 24

// Terminal returns the persona as text with lines of at most width cells: each machine's states as
// boxes along a vertical line, usually with successors below, then the links between machines. It
// returns ErrMachine for an unknown machine.
func Terminal(p *personas.Persona, o Options, width int) (string, error) {
	pic, err := choosePicture(p, o)
	if err != nil {
		return "", err
	}
	w := &terminalWriter{width: max(width, minWidth)}
	for i, m := range pic.machines {
		if i > 0 {
			w.writeLine("")
		}
		w.writeMachine(m, m.selfLinks)
	}
	w.writeLinks(pic)
	return strings.Join(w.lines, "\n") + "\n", nil
}

// terminalWriter writes text of a bounded width.
type terminalWriter struct {
	width int
	lines []string
}

func (w *terminalWriter) writeLine(format string, args ...any) {
	w.lines = append(w.lines, clipCells(fmt.Sprintf(format, args...), w.width))
}

func (w *terminalWriter) writeMachine(m *machine, notes []string) {
	w.writeLine("%s", m.title)
	w.writeLine("%s", m.headingText(notes))
	w.writeLine("%s", strings.Repeat("═", min(w.width, max(int(cellWidth(m.title)), int(cellWidth(m.headingText(notes)))))))
	inner := m.boxWidth(w.width)
	order := m.spineOrder()
	for i, at := range order {
		next := -1
		if i+1 < len(order) {
			next = order[i+1]
		}
		w.writeState(m, at, next, inner)
	}
	if len(order) == 0 {
		w.writeLine("no states")
	}
}

// boxWidth returns the inner width of all boxes of a machine.
func (m *machine) boxWidth(width int) int {
	inner := 12
	for _, st := range m.states {
		for _, line := range st.stateLines() {
			inner = max(inner, int(cellWidth(line))+4)
		}
	}
	return min(inner, max(width/2, minWidth-4), width-2)
}

// spineOrder returns the states in their order from top to bottom. Except in loops, a state comes
// after its predecessors, if possible directly after a state with a first pass to it. States
// without predecessors come last.
func (m *machine) spineOrder() []int {
	first, place := m.startFirst()
	edges := make([]edge, len(m.moves))
	for i, v := range m.moves {
		edges[i] = edge{from: place[v.from], to: place[v.to], weight: 1}
		if v.decision == personas.DecidePass {
			edges[i].weight = 3
		}
	}
	l := &layout{vertices: make([]vertex, len(first)), edges: edges}
	l.breakCycles()
	below := make([][]int, len(first))
	for _, heavy := range []bool{true, false} {
		for e := range edges {
			if u, v := l.endsOf(e); (edges[e].weight > 1) == heavy {
				below[u] = append(below[u], v)
			}
		}
	}
	var order, walked []int
	seen := make([]bool, len(first))
	var visit func(v int)
	visit = func(v int) {
		seen[v] = true
		// The target visited last is placed directly below.
		for _, to := range slices.Backward(below[v]) {
			if !seen[to] {
				visit(to)
			}
		}
		walked = append(walked, first[v])
	}
	for v := range first {
		if !seen[v] {
			walked = walked[:0]
			visit(v)
			slices.Reverse(walked)
			order = append(order, walked...)
		}
	}
	return order
}

type frame struct{ topLeft, top, topRight, side, bottomLeft, bottomRight string }

func (s *state) boxFrame() frame {
	if s.terminal {
		return frame{"╔", "═", "╗", "║", "╚", "╝"}
	}
	return frame{"┌", "─", "┐", "│", "└", "┘"}
}

func (w *terminalWriter) writeState(m *machine, at, next, inner int) {
	st := m.states[at]
	f := st.boxFrame()
	out := m.outOf(at)
	w.writeLine("%s%s%s", f.topLeft, strings.Repeat(f.top, inner), f.topRight)
	lines := st.stateLines()
	for i := range max(len(lines), len(st.sides)) {
		text, side := "", ""
		if i < len(lines) {
			text = lines[i]
		}
		if i == 0 && st.initial {
			text = "● " + text
		}
		if i < len(st.sides) {
			side = " " + st.sides[i].leadingSign() + " " + st.sides[i].labelText()
		}
		w.writeLine("%s %s %s%s", f.side, padText(text, inner-2), f.side, side)
	}
	tie := f.top
	if len(out) > 0 && !st.terminal {
		tie = "┬"
	}
	w.writeLine("%s%s%s%s%s", f.bottomLeft, strings.Repeat(f.top, 3), tie, strings.Repeat(f.top, inner-4), f.bottomRight)
	w.writeBranches(m, out, next)
}

// leadingSign returns the character before a loop or an end.
func (v *move) leadingSign() string {
	if v.destination == stays {
		return "↺"
	}
	return "✕"
}

func (m *machine) outOf(at int) []*move {
	if m.out == nil {
		m.out = make([][]*move, len(m.states))
		for _, v := range m.moves {
			m.out[v.from] = append(m.out[v.from], v)
		}
	}
	return m.out[at]
}

// writeBranches writes the arrows that leave a state: those to other states with the states' names,
// then those to the next state below.
func (w *terminalWriter) writeBranches(m *machine, out []*move, next int) {
	var down []*move
	for _, v := range out {
		if v.to == next {
			down = append(down, v)
		}
	}
	left := len(out) - len(down)
	for _, v := range out {
		if v.to == next {
			continue
		}
		tee := "├"
		if left--; left == 0 && len(down) == 0 {
			tee = "└"
		}
		w.writeLine("    %s%s▶ %s  %s", tee, v.lineStroke(), m.states[v.to].title, v.labelText())
	}
	for _, v := range down {
		w.writeLine("    %s %s", v.trailingSign(), strings.TrimSpace(v.labelText()))
	}
	if len(down) > 0 {
		w.writeLine("    ▼")
	}
}

func (v *move) lineStroke() string {
	if v.decision == personas.DecidePass {
		return "───"
	}
	return "╌╌╌"
}

func (v *move) trailingSign() string {
	if v.decision == personas.DecidePass {
		return "│"
	}
	return "┊"
}

func (w *terminalWriter) writeLinks(p *picture) {
	for i, t := range p.links {
		if i == 0 {
			w.writeLine("")
			w.writeLine("Links")
		}
		bar, after := "──", ""
		if t.advance {
			bar, after = "══", ", leads straight on"
		}
		w.writeLine("  %s %s %s %s▶ %s%s", p.machines[t.from].title, bar, t.label, bar, p.machines[t.to].title, after)
	}
}
