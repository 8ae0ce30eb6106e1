package graph

import "fmt"

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

// drawMachines arranges the machines from left to right. It lays them out from top to bottom and
// exchanges x and y.
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
			edges = append(edges, edge{from: t.from, to: t.to, width: 18, height: s.ruler.textWidth(t.label, 12, true) + 8, weight: 1})
		}
	}
	height, width, err := arrangeGraph(vertices, edges, gaps{side: 30, rank: 26})
	if err != nil {
		return fmt.Errorf("the machines and their links: %w", err)
	}
	for i, v := range vertices {
		moveShapes(s.shapes[first[i]:first[i+1]], point{v.at.y - v.height/2, v.at.x - v.left})
	}
	for i, t := range links {
		for j, at := range edges[i].course {
			edges[i].course[j] = point{at.y, at.x}
		}
		s.addArrow(edges[i].course, hueLink, linkLine, linkDash(t.advance), "")
		s.addText(point{edges[i].label.y, edges[i].label.x}, t.label, 12, hueLink, true, true)
	}
	s.width, s.height = width, height
	return nil
}
