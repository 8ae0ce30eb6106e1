package cmd

import (
	"fmt"
	"sort"
	"strings"
)

// diffContext is how many unchanged lines stand around a change.
const diffContext = 3

// unifiedDiff is what changes from one text to another, in the form that patch
// and people read; "" when nothing does. Note says what was done to the second. It is anchored at lines that both texts
// have exactly once, so that a moved block is shown as moved.
func unifiedDiff(name, note, before, after string) string {
	if before == after {
		return ""
	}
	d := differ{x: diffLines(before), y: diffLines(after)}
	fmt.Fprintf(&d.out, "--- %s\n+++ %s (%s)\n", name, name, note)
	d.run()
	return d.out.String()
}

// diffLines cuts a text in lines. The last one says when it does not end.
func diffLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		return lines[:len(lines)-1]
	}
	lines[len(lines)-1] += "\n\\ No newline at end of file\n"
	return lines
}

// match is a run of equal lines.
type match struct{ x, y, n int }

type differ struct {
	x, y []string
	out  strings.Builder
}

// run writes the hunks: changes with little between them stand in one.
func (d *differ) run() {
	var h hunk
	for _, m := range append(d.matches(), match{len(d.x), len(d.y), 0}) {
		h.change(d.x[h.x:m.x], d.y[h.y:m.y])
		if m.n <= 2*diffContext && (m.x+m.n < len(d.x) || m.y+m.n < len(d.y)) {
			h.keep(d.x[m.x : m.x+m.n])
			continue
		}
		h.keep(d.x[m.x : m.x+min(m.n, diffContext)])
		h.write(&d.out)
		lead := min(m.n, diffContext)
		h = hunk{fromX: m.x + m.n - lead, fromY: m.y + m.n - lead, x: m.x + m.n - lead, y: m.y + m.n - lead}
		h.keep(d.x[h.x : h.x+lead])
	}
	h.write(&d.out)
}

// hunk is a piece of a difference; x and y are where it ends in both texts.
type hunk struct {
	lines              []string
	fromX, fromY, x, y int
	changed            bool
}

func (h *hunk) change(before, after []string) {
	for _, line := range before {
		h.lines = append(h.lines, "-"+line)
	}
	for _, line := range after {
		h.lines = append(h.lines, "+"+line)
	}
	h.x, h.y = h.x+len(before), h.y+len(after)
	h.changed = h.changed || len(before)+len(after) > 0
}

func (h *hunk) keep(lines []string) {
	for _, line := range lines {
		h.lines = append(h.lines, " "+line)
	}
	h.x, h.y = h.x+len(lines), h.y+len(lines)
}

func (h *hunk) write(b *strings.Builder) {
	if h.changed {
		fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n%s", h.fromX+1, h.x-h.fromX, h.fromY+1, h.y-h.fromY, strings.Join(h.lines, ""))
	}
}

// matches are the longest run of anchors that stand in the same order in both
// texts, each grown in both directions as far as lines are equal.
func (d *differ) matches() []match {
	var found []match
	x, y := 0, 0
	for _, a := range append(d.anchors(), match{len(d.x), len(d.y), 0}) {
		if a.x < x {
			continue // A match before has grown over it.
		}
		m := a
		for m.x > x && m.y > y && d.x[m.x-1] == d.y[m.y-1] {
			m.x, m.y = m.x-1, m.y-1
		}
		endX, endY := a.x, a.y
		for endX < len(d.x) && endY < len(d.y) && d.x[endX] == d.y[endY] {
			endX, endY = endX+1, endY+1
		}
		if m.n = endX - m.x; m.n > 0 {
			found = append(found, m)
		}
		x, y = endX, endY
	}
	return found
}

// anchors are the lines that stand once in both texts, the longest increasing
// run of them.
func (d *differ) anchors() []match {
	count := map[string][2]int{}
	for _, line := range d.x {
		c := count[line]
		count[line] = [2]int{c[0] + 1, c[1]}
	}
	at := map[string]int{}
	for i, line := range d.y {
		c := count[line]
		count[line] = [2]int{c[0], c[1] + 1}
		at[line] = i
	}
	var pairs []match
	for i, line := range d.x {
		if count[line] == [2]int{1, 1} {
			pairs = append(pairs, match{x: i, y: at[line]})
		}
	}
	return increasing(pairs)
}

// increasing is a longest run of pairs with growing y; their x grow already.
func increasing(pairs []match) []match {
	var tops []int // of each length, the pair with the least y that ends such a run
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n := sort.Search(len(tops), func(k int) bool { return pairs[tops[k]].y >= p.y })
		before[i] = -1
		if n > 0 {
			before[i] = tops[n-1]
		}
		tops = append(tops[:n], append([]int{i}, tops[min(n+1, len(tops)):]...)...)
	}
	run := make([]match, len(tops))
	if len(tops) > 0 {
		for i, k := tops[len(tops)-1], len(tops)-1; i >= 0; i, k = before[i], k-1 {
			run[k] = pairs[i]
		}
	}
	return run
}
