package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// leastWidth is the narrowest terminal that is drawn for.
const leastWidth = 24

// Terminal draws the persona as text of at most width cells a line: each
// machine's states as boxes along a spine, in an order in which what follows
// mostly stands below, then the links between machines. It refuses an unknown
// machine (ErrMachine).
func Terminal(p *personas.Persona, o Options, width int) (string, error) {
	pic, err := chosen(p, o)
	if err != nil {
		return "", err
	}
	w := &page{width: max(width, leastWidth)}
	for i, m := range pic.machines {
		if i > 0 {
			w.line("")
		}
		w.machine(m, pic.selfLinks(i))
	}
	w.links(pic)
	return strings.Join(w.lines, "\n") + "\n", nil
}

// page is text of a bounded width.
type page struct {
	width int
	lines []string
}

func (w *page) line(format string, args ...any) {
	w.lines = append(w.lines, clipCells(fmt.Sprintf(format, args...), w.width))
}

func (w *page) machine(m *machine, notes []string) {
	w.line("%s", m.title)
	w.line("%s", m.heading(notes))
	w.line("%s", strings.Repeat("═", min(w.width, max(int(cellWidth(m.title)), int(cellWidth(m.heading(notes)))))))
	inner := m.boxWidth(w.width)
	order := m.spine()
	for i, at := range order {
		next := -1
		if i+1 < len(order) {
			next = order[i+1]
		}
		w.state(m, at, next, inner)
	}
	if len(order) == 0 {
		w.line("no states")
	}
}

// boxWidth is the width of all boxes inside, so that the spine is straight.
func (m *machine) boxWidth(width int) int {
	inner := 12
	for _, st := range m.states {
		for _, line := range st.lines() {
			inner = max(inner, int(cellWidth(line))+4)
		}
	}
	return min(inner, max(width/2, leastWidth-4), width-2)
}

// spine orders states so that, loops aside, each comes after those that lead to
// it, and the first pass of a state leads to the next one where that can be.
// States that nothing leads to stand at the end.
func (m *machine) spine() []int {
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
			if u, v := l.ends(e); (edges[e].weight > 1) == heavy {
				below[u] = append(below[u], v)
			}
		}
	}
	var order, walked []int
	seen := make([]bool, len(first))
	var visit func(v int)
	visit = func(v int) {
		seen[v] = true
		// The last one visited comes to stand right below.
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

// frame is the six signs of a box.
type frame struct{ topLeft, top, topRight, side, bottomLeft, bottomRight string }

func (s *state) frame() frame {
	if s.terminal {
		return frame{"╔", "═", "╗", "║", "╚", "╝"}
	}
	return frame{"┌", "─", "┐", "│", "└", "┘"}
}

func (w *page) state(m *machine, at, next, inner int) {
	st := m.states[at]
	f := st.frame()
	out := m.outOf(at)
	w.line("%s%s%s", f.topLeft, strings.Repeat(f.top, inner), f.topRight)
	lines := st.lines()
	for i := range max(len(lines), len(st.sides)) {
		text, side := "", ""
		if i < len(lines) {
			text = lines[i]
		}
		if i == 0 && st.initial {
			text = "● " + text
		}
		if i < len(st.sides) {
			side = " " + st.sides[i].sign() + " " + st.sides[i].text()
		}
		w.line("%s %s %s%s", f.side, pad(text, inner-2), f.side, side)
	}
	tie := f.top
	if len(out) > 0 && !st.terminal {
		tie = "┬"
	}
	w.line("%s%s%s%s%s", f.bottomLeft, strings.Repeat(f.top, 3), tie, strings.Repeat(f.top, inner-4), f.bottomRight)
	w.branches(m, out, next)
}

// sign is what stands in front of a loop, or of an end.
func (v *move) sign() string {
	if v.course == stays {
		return "↺"
	}
	return "✕"
}

func (m *machine) outOf(at int) []*move {
	var out []*move
	for _, v := range m.moves {
		if v.from == at {
			out = append(out, v)
		}
	}
	return out
}

// branches draws what leads out of a state: to states elsewhere by their names,
// to the next one along the spine.
func (w *page) branches(m *machine, out []*move, next int) {
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
		w.line("    %s%s▶ %s  %s", tee, v.stroke(), m.states[v.to].title, v.text())
	}
	for _, v := range down {
		w.line("    %s %s", v.post(), strings.TrimSpace(v.text()))
	}
	if len(down) > 0 {
		w.line("    ▼")
	}
}

// stroke is a piece of the arrow's line, in its style.
func (v *move) stroke() string {
	if v.decision == personas.DecidePass {
		return "───"
	}
	return "╌╌╌"
}

func (v *move) post() string {
	if v.decision == personas.DecidePass {
		return "│"
	}
	return "┊"
}

func (w *page) links(p *picture) {
	for i, t := range p.links {
		if i == 0 {
			w.line("")
			w.line("Links")
		}
		bar, after := "──", ""
		if t.advance {
			bar, after = "══", ", leads straight on"
		}
		w.line("  %s %s %s %s▶ %s%s", p.machines[t.from].title, bar, t.label, bar, p.machines[t.to].title, after)
	}
}
