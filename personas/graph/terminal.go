package graph

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
)

const minWidth = 24

// Terminal returns the persona as text with lines of at most width cells. States are boxes along a
// vertical line, usually above their successors. Links between machines are at the end. An unknown
// machine returns ErrMachine.
func Terminal(p *personas.Persona, options Options, width int) (string, error) {
	pic, err := choosePicture(p, options)
	if err != nil {
		return "", err
	}
	w := &terminalWriter{width: max(width, minWidth)}
	for i, m := range pic.machines {
		if i > 0 {
			w.writeLine("")
		}
		w.writeMachine(m)
	}
	w.writeLinks(pic)
	return strings.Join(w.lines, "\n") + "\n", nil
}

type terminalWriter struct {
	width int
	lines []string
}

func (w *terminalWriter) writeLine(format string, args ...any) {
	w.lines = append(w.lines, strings.TrimRight(clip(fmt.Sprintf(format, args...), float64(w.width), cellWidth), " "))
}

func (w *terminalWriter) writeMachine(machine *machine) {
	heading := machine.headingText(machine.selfLinks...)
	w.writeLine("%s", machine.title)
	w.writeLine("%s", heading)
	longer := max(int(cellWidth(machine.title)), int(cellWidth(heading)))
	w.writeLine("%s", strings.Repeat("═", min(w.width, longer)))
	inner := machine.boxWidth(w.width)
	out := make([][]*arrow, len(machine.states))
	for _, v := range machine.arrows {
		out[v.from] = append(out[v.from], v)
	}
	order := machine.spineOrder(out)
	for i, index := range order {
		next := -1
		if i+1 < len(order) {
			next = order[i+1]
		}
		w.writeState(machine, index, next, out[index], inner)
	}
	if len(order) == 0 {
		w.writeLine("no states")
	}
}

func (m *machine) boxWidth(width int) int {
	inner := 12
	for _, st := range m.states {
		for _, line := range st.lines() {
			inner = max(inner, int(cellWidth(line))+4)
		}
	}
	return min(inner, max(width/2, minWidth-4), width-2)
}

func (m *machine) spineOrder(out [][]*arrow) []int {
	order := make([]int, 0, len(m.states))
	seen := make([]bool, len(m.states))
	var visit func(index int)
	visit = func(index int) {
		if seen[index] {
			return
		}
		seen[index] = true
		order = append(order, index)
		for _, pass := range []bool{true, false} {
			for _, v := range out[index] {
				if (v.decision == personas.DecidePass) == pass {
					visit(v.to)
				}
			}
		}
	}
	for index := range m.states {
		visit(index)
	}
	return order
}

func (w *terminalWriter) writeState(machine *machine, index, next int, out []*arrow, inner int) {
	type frame struct{ topLeft, top, topRight, side, bottomLeft, bottomRight string }
	state, border := machine.states[index], frame{"┌", "─", "┐", "│", "└", "┘"}
	if state.terminal {
		border = frame{"╔", "═", "╗", "║", "╚", "╝"}
	}
	w.writeLine("%s%s%s", border.topLeft, strings.Repeat(border.top, inner), border.topRight)
	lines := state.lines()
	for i := range max(len(lines), len(state.sides)) {
		text, side := "", ""
		if i < len(lines) {
			text = lines[i]
		}
		if i == 0 && state.initial {
			text = "● " + text
		}
		if i < len(state.sides) {
			sign := "✕"
			if state.sides[i].destination == stays {
				sign = "↺"
			}
			side = " " + sign + " " + state.sides[i].labelText()
		}
		w.writeLine("%s %s %s%s", border.side, padText(text, inner-2), border.side, side)
	}
	tie := border.top
	if len(out) > 0 && !state.terminal {
		tie = "┬"
	}
	left, right := strings.Repeat(border.top, 3), strings.Repeat(border.top, inner-4)
	w.writeLine("%s%s%s%s%s", border.bottomLeft, left, tie, right, border.bottomRight)
	w.writeBranches(machine, out, next)
}

func (w *terminalWriter) writeBranches(machine *machine, out []*arrow, next int) {
	var down []*arrow
	for _, v := range out {
		if v.to == next {
			down = append(down, v)
		}
	}
	remaining := len(out) - len(down)
	for _, v := range out {
		if v.to == next {
			continue
		}
		tee, stroke := "├", "╌╌╌"
		if remaining--; remaining == 0 && len(down) == 0 {
			tee = "└"
		}
		if v.decision == personas.DecidePass {
			stroke = "───"
		}
		w.writeLine("    %s%s▶ %s  %s", tee, stroke, machine.states[v.to].title, v.labelText())
	}
	for _, v := range down {
		stroke := "┊"
		if v.decision == personas.DecidePass {
			stroke = "│"
		}
		w.writeLine("    %s %s", stroke, strings.TrimSpace(v.labelText()))
	}
	if len(down) > 0 {
		w.writeLine("    ▼")
	}
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
