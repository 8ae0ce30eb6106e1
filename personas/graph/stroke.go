package graph

import "math"

func flattenCourse(course []point) []point {
	line := make([]point, 1, 1+64*(len(course)/3))
	line[0] = course[0]
	for i := 1; i+2 < len(course); i += 3 {
		from, a, b, to := course[i-1], course[i], course[i+1], course[i+2]
		steps := min(max(int(math.Hypot(to.x-from.x, to.y-from.y)/4), 8), 64)
		for step := range steps {
			line = append(line, cubicAt(from, a, b, to, float64(step+1)/float64(steps)))
		}
	}
	return line
}

func cubicAt(p, a, b, q point, t float64) point {
	u := 1 - t
	x, y, z, w := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return point{x*p.x + y*a.x + z*b.x + w*q.x, x*p.y + y*a.y + z*b.y + w*q.y}
}

func roundedOutline(at point, width, height, radius float64) []point {
	radius = min(radius, width/2, height/2)
	corners := [4]point{
		{at.x + width - radius, at.y + radius}, {at.x + width - radius, at.y + height - radius},
		{at.x + radius, at.y + height - radius}, {at.x + radius, at.y + radius},
	}
	var outline []point
	for i, c := range corners {
		for step := range 9 {
			angle := math.Pi / 2 * (float64(i-1) + float64(step)/8)
			outline = append(outline, point{c.x + radius*math.Cos(angle), c.y + radius*math.Sin(angle)})
		}
	}
	return outline
}

func cutDashes(line []point, pattern []float64) [][]point {
	if len(pattern) == 0 {
		return [][]point{line}
	}
	var dashes [][]point
	current := []point{line[0]}
	n, left := 0, pattern[0]
	for _, to := range line[1:] {
		from := lastOf(current)
		length := math.Hypot(to.x-from.x, to.y-from.y)
		for length > left {
			from = pointBetween(from, to, left/length)
			length -= left
			if n%2 == 0 {
				dashes = append(dashes, append(current, from))
			}
			n++
			current, left = []point{from}, pattern[n%len(pattern)]
		}
		left -= length
		current = append(current, to)
	}
	if n%2 == 0 {
		dashes = append(dashes, current)
	}
	return dashes
}

func pointBetween(a, b point, t float64) point { return point{a.x + (b.x-a.x)*t, a.y + (b.y-a.y)*t} }

// strokeLines returns a polygon for each segment of the lines. The polygons overlap slightly to
// avoid visible seams.
func strokeLines(lines [][]point, width float64) [][]point {
	half := width / 2
	var areas [][]point
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			a, b := line[i-1], line[i]
			if length := math.Hypot(b.x-a.x, b.y-a.y); length > 0.01 {
				over := seam / length
				a, b = pointBetween(a, b, -over), pointBetween(a, b, 1+over)
				d := math.Hypot(b.x-a.x, b.y-a.y)
				x, y := -(b.y-a.y)/d*half, (b.x-a.x)/d*half
				areas = append(areas, []point{{a.x + x, a.y + y}, {b.x + x, b.y + y}, {b.x - x, b.y - y}, {a.x - x, a.y - y}})
			}
		}
	}
	return areas
}

// seam is how far the polygon of a segment extends into the next polygon.
const seam = 0.25
