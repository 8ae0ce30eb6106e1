package graph

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
)

const (
	stateWidth = 190.0 // maximum width of the text
	stateText  = 13.0
	smallText  = 11.0
	titleText  = 16.0
	lineHeight = 17.0
	sideRow    = 21.0
	loopReach  = 26.0
	headHeight = 54.0
	startReach = 26.0
)

type body struct {
	state         *state
	title         []string
	small         []string // smaller text below the title
	width, height float64
	sides         []string // labels of loops and endings
	right, left   float64  // widths of the elements beside the box
}

func (s *drawing) newBody(state *state) body {
	b := body{state: state}
	bold, light := func(t string) float64 { return s.ruler.textWidth(t, stateText, true) }, s.ruler.smallWidth
	b.title = wrapText(state.title, stateWidth, 3, bold)
	for _, line := range b.title {
		b.width = max(b.width, bold(line))
	}
	for _, line := range state.lines()[1:] {
		line = clip(line, stateWidth, light)
		b.small, b.width = append(b.small, line), max(b.width, light(line))
	}
	b.width = max(b.width+26, 84)
	b.height = float64(len(b.title))*lineHeight + float64(len(b.small))*(lineHeight-3) + 14
	b.height = max(b.height, float64(len(state.sides))*sideRow+8)
	for _, v := range state.sides {
		text := clip(v.labelText(), stateWidth, light)
		b.sides = append(b.sides, text)
		b.right = max(b.right, loopReach+6+light(text))
	}
	if state.initial {
		b.left = startReach
	}
	return b
}

func (s *drawing) drawMachine(m *machine) (width, height float64, err error) {
	frame := len(s.shapes)
	s.addShape(shape{kind: boxShape, fill: hueGroup, stroke: hueLine, line: 1, radius: 12})
	head := m.headingText(m.selfLinks...)
	width = max(s.ruler.textWidth(m.title, titleText, true), s.ruler.textWidth(head, smallText, false))
	s.addText(point{groupPad, 20}, m.title, titleText, hueInk, true, false)
	s.addText(point{groupPad, 40}, head, smallText, hueFaint, false, false)
	from := len(s.shapes)
	w, h, err := s.drawStates(m)
	if err != nil {
		return 0, 0, fmt.Errorf("machine %q: %w", m.key, err)
	}
	width = max(width, w)
	moveShapes(s.shapes[from:], point{groupPad + (width-w)/2, headHeight})
	width, height = width+2*groupPad, h+headHeight+groupPad
	s.shapes[frame].width, s.shapes[frame].height = width, height
	return width, height, nil
}

func (m *machine) headingText(notes ...string) string {
	var parts []string
	if m.key != m.title {
		parts = append(parts, m.key)
	}
	parts = append(parts, m.rules)
	if m.entry {
		parts = append(parts, "entry")
	}
	return strings.Join(append(parts, notes...), " · ")
}

func (s *drawing) drawStates(machine *machine) (width, height float64, err error) {
	bodies := make([]body, len(machine.states))
	vertices := make([]vertex, len(machine.states))
	for i, st := range machine.states {
		b := s.newBody(st)
		bodies[i] = b
		half := b.width / 2
		vertices[i] = vertex{left: half + b.left, right: half + b.right, height: b.height, port: half - 12}
	}
	edges := make([]edge, len(machine.arrows))
	for i, v := range machine.arrows {
		edges[i] = edge{from: v.from, to: v.to, weight: 1}
		if v.decision == personas.DecidePass {
			edges[i].weight = 3
		}
		if text := v.labelText(); text != "" {
			edges[i].width = s.ruler.smallWidth(clip(text, stateWidth, s.ruler.smallWidth)) + 4
			edges[i].height = 15
		}
	}
	width, height, err = arrangeGraph(vertices, edges, gaps{side: 24, rank: 18})
	if err != nil {
		return 0, 0, err
	}
	for i, v := range machine.arrows {
		s.addArrow(edges[i].course, v.hue(), 1.6, dashes[v.decision], strings.Join(v.tips, " / "))
		if text := clip(v.labelText(), stateWidth, s.ruler.smallWidth); text != "" {
			s.addText(edges[i].label, text, smallText, v.hue(), false, true)
		}
	}
	for i := range bodies {
		s.drawState(&bodies[i], vertices[i].anchor)
	}
	return width, height, nil
}

func (s *drawing) drawState(b *body, center point) {
	state := b.state
	corner := point{center.x - b.width/2, center.y - b.height/2}
	box := shape{
		kind: boxShape, origin: corner, width: b.width, height: b.height, radius: 8,
		fill: state.mark.Tone.groundHue(), stroke: state.mark.Tone.lineHue(), line: 1.3,
	}
	if state.mark.Tone == Missed || state.mark.Tone == Never {
		box.dash = []float64{5, 3}
	}
	if state.initial {
		box.line = 2.4
		dot := point{corner.x - startReach + 5, center.y}
		s.addShape(shape{kind: discShape, origin: dot, radius: 5, fill: hueInk})
		s.addArrow([]point{dot, {dot.x + 5, center.y}, {dot.x + 10, center.y}, {corner.x, center.y}}, hueInk, 1.6, nil, "")
	}
	if state.terminal {
		box.radius = min(b.height/2, 22)
	}
	s.addShape(box)
	if state.terminal {
		box.origin, box.width, box.height = corner.add(point{3.5, 3.5}), b.width-7, b.height-7
		box.radius, box.fill, box.dash = max(box.radius-3.5, 2), hueNone, nil
		s.addShape(box)
	}
	s.drawText(b, center)
	s.drawSides(b, point{corner.x + b.width, center.y})
}

func (s *drawing) drawText(b *body, origin point) {
	all := float64(len(b.title))*lineHeight + float64(len(b.small))*(lineHeight-3)
	y := origin.y - all/2
	for _, line := range b.title {
		s.addText(point{origin.x, y + lineHeight/2}, line, stateText, hueInk, true, true)
		y += lineHeight
	}
	for _, line := range b.small {
		s.addText(point{origin.x, y + (lineHeight-3)/2}, line, smallText, hueFaint, false, true)
		y += lineHeight - 3
	}
}

func (s *drawing) drawSides(b *body, edge point) {
	top := edge.y - float64(len(b.sides)-1)*sideRow/2
	for i, v := range b.state.sides {
		y, hue := top+float64(i)*sideRow, v.hue()
		tip := strings.Join(v.tips, " / ")
		if v.destination == stays {
			out := edge.x + loopReach
			s.addArrow([]point{{edge.x, y - 6}, {out, y - 9}, {out, y + 9}, {edge.x, y + 6}}, hue, 1.6, dashes[v.decision], tip)
		} else {
			s.drawEnd(point{edge.x, y}, v, hue, tip)
		}
		s.addText(point{edge.x + loopReach + 2, y}, b.sides[i], smallText, hue, false, false)
	}
}

func (s *drawing) drawEnd(from point, v *arrow, hue, tip string) {
	x := from.x + loopReach - 9
	s.addShape(shape{
		kind: lineShape, points: []point{from, {from.x + 4, from.y}, {x - 4, from.y}, {x, from.y}},
		stroke: hue, line: 1.6, dash: dashes[v.decision], tip: tip,
	})
	for _, slope := range []float64{-1, 1} {
		a, b := point{x - 4.5, from.y - 4.5*slope}, point{x + 4.5, from.y + 4.5*slope}
		s.addShape(shape{kind: lineShape, points: []point{a, a, b, b}, stroke: hue, line: 2})
	}
}
