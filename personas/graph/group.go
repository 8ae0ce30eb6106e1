package graph

import (
	"fmt"
	"math"
)

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

const maxLinksBetween = 8

func (p *picture) joinLinks() {
	count, last := map[[2]int]int{}, map[[2]int]int{}
	var kept []machineLink
	for _, l := range p.links {
		ends := [2]int{l.from, l.to}
		if count[ends]++; count[ends] <= maxLinksBetween {
			last[ends] = len(kept)
			kept = append(kept, l)
		}
	}
	for ends, n := range count {
		if n > maxLinksBetween {
			kept[last[ends]].label = fmt.Sprintf("%d more links", n-maxLinksBetween+1)
		}
	}
	p.links = kept
}

type group struct {
	from, to      int // indexes of the shapes
	width, height float64
}

// drawMachines arranges the machines from left to right or from top to bottom, whichever is closer
// to the proportions of a page.
func (s *drawing) drawMachines(p *picture) error {
	groups := make([]group, len(p.machines))
	for i, m := range p.machines {
		from := len(s.shapes)
		w, h, err := s.drawMachine(m)
		if err != nil {
			return err
		}
		groups[i] = group{from, len(s.shapes), w, h}
	}
	across, err := s.arrangeGroups(p, groups, true)
	if err != nil {
		return err
	}
	down, err := s.arrangeGroups(p, groups, false)
	if err != nil {
		return err
	}
	best := across
	if unlikePage(down) < unlikePage(across) {
		best = down
	}
	for i, g := range groups {
		corner := point{best.vertices[i].x - g.width/2, best.vertices[i].y - g.height/2}
		moveShapes(s.shapes[g.from:g.to], corner)
	}
	for i, e := range best.edges {
		t := p.links[best.links[i]]
		s.addArrow(e.course, hueLink, linkLine, linkDash(t.advance), "")
		s.addText(e.label, t.label, 12, hueLink, true, true)
	}
	s.width, s.height = best.width, best.height
	return nil
}

type arrangement struct {
	vertices      []point
	edges         []edge
	links         []int // by edge: the index of its link in the picture
	width, height float64
}

func unlikePage(a arrangement) float64 { return math.Abs(math.Log(a.width / a.height / 1.5)) }

func (s *drawing) arrangeGroups(p *picture, groups []group, across bool) (a arrangement, err error) {
	vertices := make([]vertex, len(groups))
	for i, g := range groups {
		w, h := flipSize(across, g.width, g.height)
		vertices[i] = vertex{left: w / 2, right: w / 2, height: h, port: w / 4}
	}
	for i, t := range p.links {
		if t.from != t.to {
			w, h := flipSize(across, s.ruler.textWidth(t.label, 12, true)+8, 18)
			a.edges = append(a.edges, edge{from: t.from, to: t.to, width: w, height: h, weight: 1})
			a.links = append(a.links, i)
		}
	}
	if a.width, a.height, err = arrangeGraph(vertices, a.edges, gaps{side: 30, rank: 26}); err != nil {
		return a, fmt.Errorf("the machines and their links: %w", err)
	}
	a.width, a.height = flipSize(across, a.width, a.height)
	for i := range vertices {
		a.vertices = append(a.vertices, turnPoint(across, vertices[i].at))
	}
	for i := range a.edges {
		a.edges[i].label = turnPoint(across, a.edges[i].label)
		for j, q := range a.edges[i].course {
			a.edges[i].course[j] = turnPoint(across, q)
		}
	}
	return a, nil
}

func flipSize(yes bool, w, h float64) (float64, float64) {
	if yes {
		return h, w
	}
	return w, h
}

func turnPoint(yes bool, p point) point {
	p.x, p.y = flipSize(yes, p.x, p.y)
	return p
}
