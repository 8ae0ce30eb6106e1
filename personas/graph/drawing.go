package graph

import (
	"fmt"
	"math"

	"github.com/parley-npc/parley/personas"
)

type drawing struct {
	width, height float64
	name          string
	shapes        []shape
	ruler         *ruler
}

type shapeKind int

const (
	boxShape  shapeKind = iota
	lineShape           // a line along a course (see routeEdges)
	polyShape           // filled
	discShape
	textShape
)

type shape struct {
	kind         shapeKind
	fill, stroke string
	line         float64 // stroke width
	dash         []float64
	origin       point // upper left corner, centre, or start of the text baseline
	width        float64
	height       float64
	radius       float64
	points       []point
	text         string
	size         float64
	bold, middle bool
	tip          string
}

func (s *drawing) addShape(x shape) { s.shapes = append(s.shapes, x) }

func moveShapes(shapes []shape, offset point) {
	for i := range shapes {
		sh := &shapes[i]
		sh.origin = sh.origin.add(offset)
		for j := range sh.points {
			sh.points[j] = sh.points[j].add(offset)
		}
	}
}

func (p point) add(q point) point { return point{p.x + q.x, p.y + q.y} }

func (s *drawing) addText(origin point, text string, size float64, hue string, bold, middle bool) {
	origin.y += size * 0.35
	s.addShape(shape{kind: textShape, origin: origin, text: text, size: size, fill: hue, bold: bold, middle: middle})
}

func (s *drawing) addArrow(points []point, hue string, line float64, dash []float64, tip string) {
	s.addShape(shape{kind: lineShape, points: points, stroke: hue, line: line, dash: dash, tip: tip})
	end, before := lastOf(points), points[len(points)-2]
	isAtEnd := func(p point) bool { return math.Abs(p.x-end.x) < 0.01 && math.Abs(p.y-end.y) < 0.01 }
	for i := len(points) - 2; i > 0 && isAtEnd(before); i-- {
		before = points[i-1]
	}
	angle := math.Atan2(end.y-before.y, end.x-before.x)
	corner := func(turn float64) point {
		return point{end.x - (6+line)*math.Cos(angle+turn), end.y - (6+line)*math.Sin(angle+turn)}
	}
	s.addShape(shape{kind: polyShape, fill: hue, points: []point{end, corner(0.42), corner(-0.42)}})
}

const (
	margin    = 16.0
	legendRow = 34.0
)

func newDrawing(p *picture) (*drawing, error) {
	ruler, err := newRuler()
	if err != nil {
		return nil, err
	}
	s := &drawing{name: p.name, ruler: ruler}
	if len(p.machines) == 1 {
		s.width, s.height, err = s.drawMachine(p.machines[0])
	} else {
		err = s.drawMachines(p)
	}
	if err != nil {
		return nil, err
	}
	s.drawLegend(p)
	moveShapes(s.shapes, point{margin, margin})
	s.width += 2 * margin
	s.height += 2 * margin
	s.shapes = append([]shape{{kind: boxShape, fill: huePaper, width: s.width, height: s.height}}, s.shapes...)
	return s, nil
}

func (s *drawing) drawLegend(picture *picture) {
	x, y := 0.0, s.height+legendRow/2+6
	sample := func(hue string, line float64, dash []float64, text string) {
		s.addArrow([]point{{x, y}, {x + 12, y}, {x + 24, y}, {x + 36, y}}, hue, line, dash, "")
		s.addText(point{x + 44, y}, text, 12, hueInk, false, false)
		x += 44 + s.ruler.textWidth(text, 12, false) + 22
	}
	for _, d := range []personas.Decision{
		personas.DecidePass, personas.DecideRedirect, personas.DecideReject, personas.DecideKickOut,
	} {
		hue := hueOf(d)
		if len(picture.legend) > 0 {
			hue = hueFaint
		}
		sample(hue, 1.6, dashes[d], decisionName(d))
	}
	s.addText(point{x, y}, numbersText, 12, hueFaint, false, false)
	x += s.ruler.textWidth(numbersText, 12, false) + 22
	if len(picture.links) > 0 {
		sample(hueLink, linkLine, nil, "unlocks and leads on")
		sample(hueLink, linkLine, linkDash(false), "unlocks")
	}
	for _, m := range picture.legend {
		s.addShape(shape{
			kind: boxShape, origin: point{x, y - 8}, width: 22, height: 16, radius: 4,
			fill: m.Tone.groundHue(), stroke: m.Tone.lineHue(), line: 1.6,
		})
		s.addText(point{x + 30, y}, m.Note, 12, hueInk, false, false)
		x += 30 + s.ruler.textWidth(m.Note, 12, false) + 22
	}
	s.width = max(s.width, x-22)
	s.height += legendRow
}

const numbersText = "+1 points · p1 priority, lower first"

const (
	linkLine = 2.6
	groupPad = 18.0
)

func linkDash(advance bool) []float64 {
	if advance {
		return nil
	}
	return []float64{8, 5}
}

// drawMachines places machines from left to right. The layout is vertical, so x and y are
// exchanged.
func (s *drawing) drawMachines(p *picture) error {
	vertices, first := make([]vertex, len(p.machines)), make([]int, len(p.machines)+1)
	for i, m := range p.machines {
		w, h, err := s.drawMachine(m)
		if err != nil {
			return err
		}
		vertices[i] = vertex{left: h / 2, right: h / 2, height: w, port: h / 4}
		first[i+1] = len(s.shapes)
	}
	var links []machineLink
	var edges []edge
	for _, t := range p.links {
		if t.from != t.to {
			links = append(links, t)
			length := s.ruler.textWidth(t.label, 12, true) + 8
			edges = append(edges, edge{from: t.from, to: t.to, width: 18, height: length, weight: 1})
		}
	}
	height, width, err := arrangeGraph(vertices, edges, gaps{side: 30, rank: 26})
	if err != nil {
		return fmt.Errorf("the machines and their links: %w", err)
	}
	for i, v := range vertices {
		moveShapes(s.shapes[first[i]:first[i+1]], point{v.anchor.y - v.height/2, v.anchor.x - v.left})
	}
	for i, t := range links {
		for j, p := range edges[i].course {
			edges[i].course[j] = point{p.y, p.x}
		}
		s.addArrow(edges[i].course, hueLink, linkLine, linkDash(t.advance), "")
		s.addText(point{edges[i].label.y, edges[i].label.x}, t.label, 12, hueLink, true, true)
	}
	s.width, s.height = width, height
	return nil
}
