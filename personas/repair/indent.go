package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// move is that some lines are to be indented otherwise.
type move struct {
	Mistake
	lines, by int  // how many lines, and by how many columns they are too far right
	isText    bool // they are a part of a text
}

// Bounds of the attempts to correct the indentation.
const (
	mostMoves    = 250
	mostSuspects = 20 // lines that may be indented wrongly
	mostColumns  = 8  // possible columns for one of them
	// mostColumnsOff is the maximum number of columns that a line is moved if the text then still
	// cannot be read as a whole, for another reason.
	mostColumnsOff = 3
)

// chooseMove returns the lines with wrong indentation. It prefers the lines that leave the fewest
// faults in the readable text when moved, then the fewest lines, then those closest to their new
// place. It is Unsure if several are equally good.
func (y *yamlText) chooseMove(failedAt int, read Reader, weigh Weigher) choice {
	moves := y.listBlockLines(failedAt)
	for _, start := range y.listSuspects(failedAt) {
		moves = append(moves, y.listMoves(start)...)
	}
	slices.SortStableFunc(moves, func(a, b move) int { return a.compareSize(b) })
	best, chosen := choice{reach: failedAt}, -1
	for i := range moves[:min(len(moves), mostMoves)] {
		m := &moves[i]
		if chosen >= 0 && best.whole && best.weight == 0 && m.compareSize(moves[chosen]) != 0 {
			break
		}
		c, asked := y.tryMove(m, failedAt, read, weigh)
		switch {
		case !asked:
			return best
		case !c.ok:
		case c.isBetter(best):
			best, chosen = c, i
		case chosen >= 0 && !best.isBetter(c) && m.compareSize(moves[chosen]) == 0 && m.Apply(y.text) != best.Apply(y.text):
			best.Unsure = true
		}
	}
	return best
}

// compareSize compares two moves by the size of the change.
func (m move) compareSize(other move) int {
	return cmp.Or(cmp.Compare(m.lines, other.lines), cmp.Compare(max(m.by, -m.by), max(other.by, -other.by)))
}

// tryMove reads the text with lines moved.
func (y *yamlText) tryMove(m *move, failedAt int, read Reader, weigh Weigher) (c choice, asked bool) {
	right := m.Apply(y.text)
	at, asked := read(right)
	switch {
	case !asked:
		return choice{}, false
	case at < 0:
		c = choice{m.Mistake, true, true, weigh(right, true), len(y.text)}
		c.Unsure = c.weight > 0 && !m.isText && c.weight > weigh(y.text[:m.Start], false)
		return c, true
	case lineStart(right, at) <= m.Start+len(m.Right):
		return choice{}, true
	}
	readable := right[:lineStart(right, at)]
	c = choice{m.Mistake, true, false, weigh(readable, false), len(readable) - len(m.Right) + m.End - m.Start}
	if c.reach <= failedAt || !m.isText && (max(m.by, -m.by) > mostColumnsOff || c.weight > weigh(y.text[:m.Start], false)) {
		return choice{}, true
	}
	return c, true
}

// listSuspects lists the lines that may have the wrong indentation: the one at the failure, and the
// earlier ones that are not deeper than all lines behind them, each with the one below it.
func (y *yamlText) listSuspects(failedAt int) []int {
	start := lineStart(y.text, failedAt)
	if strings.TrimSpace(y.text[start:lineEnd(y.text, start)]) == "" {
		start = y.lineBefore(start)
	}
	lines, least := []int(nil), len(y.text)
	for range mostLines {
		if start < 0 || len(lines) >= mostSuspects {
			break
		}
		l := y.splitLine(start)
		if lead := l.words - l.start; lead <= least && (l.item || l.nameTo > l.name) && !strings.Contains(y.leadOf(start), "\t") {
			least = lead
			lines = append(lines, start)
			if first := y.lineAfter(start); first >= 0 && first < failedAt && !slices.Contains(lines, first) {
				lines = append(lines, first)
			}
		}
		start = y.lineBefore(start)
	}
	return lines
}

// listMoves lists the places for a line: alone, with the deeper lines below it, and with all lines
// below it that are not less deep.
func (y *yamlText) listMoves(start int) []move {
	lead := len(y.leadOf(start))
	ends := []int{lineEnd(y.text, start), y.findRunEnd(start, lead+1), y.findRunEnd(start, lead)}
	var all []move
	for _, want := range y.listColumns(start, lead) {
		if !y.fitsColumn(start, want) {
			continue
		}
		for _, end := range slices.Compact(slices.Clone(ends)) {
			if !y.swallowsLines(start, end, lead-want) {
				all = append(all, y.newMove(start, end, lead-want))
			}
		}
	}
	return all
}

// listColumns lists the possible columns of a line: those of the open lines around it.
func (y *yamlText) listColumns(start, lead int) []int {
	var columns []int
	before := y.lineBefore(start)
	if before >= 0 {
		if l := y.splitLine(before); l.value == l.end {
			columns = append(columns, l.name-l.start+2)
		}
	}
	least := len(y.text)
	for looked := 0; before >= 0 && least > 0 && looked < mostLines; looked++ {
		if l := y.splitLine(before); l.words-l.start < least {
			least = l.words - l.start
			columns = append(columns, least, l.name-l.start)
		}
		before = y.lineBefore(before)
	}
	if after := y.lineAfter(start); after >= 0 {
		columns = append(columns, len(y.leadOf(after)))
	}
	slices.SortFunc(columns, func(a, b int) int {
		return cmp.Or(cmp.Compare(max(a-lead, lead-a), max(b-lead, lead-b)), cmp.Compare(a, b))
	})
	columns = slices.DeleteFunc(slices.Compact(columns), func(column int) bool { return column == lead })
	return columns[:min(len(columns), mostColumns)]
}

// fitsColumn reports whether a line can belong in a column: its new parent or sibling is a member
// or an item, and not a text that would absorb it.
func (y *yamlText) fitsColumn(start, column int) bool {
	l := y.splitLine(start)
	for before := y.lineBefore(start); before >= 0; before = y.lineBefore(before) {
		p := y.splitLine(before)
		lead, deep := p.words-p.start, p.name-p.start
		if lead > column {
			continue
		}
		opens := p.nameTo > p.name && p.value == p.end
		switch {
		case deep == column && !l.item:
			return p.nameTo > p.name
		case lead == column:
			return l.item && (p.item || opens)
		}
		return opens && deep < column
	}
	return column == 0
}

// swallowsLines reports whether a text under | or > would go on in the members below it once
// lines are moved.
func (y *yamlText) swallowsLines(start, end, by int) bool {
	header := yamlLine{start: -1}
	for at := start; at >= 0 && at < end; at = y.lineAfter(at) {
		if l := y.splitLine(at); l.value < l.end && isBlockHeader(y.text[l.value:l.end]) {
			header = l
		}
	}
	if header.start < 0 {
		return false
	}
	column := header.name - header.start
	for at := y.nextFilled(header.start); at >= 0; at = y.nextFilled(at) {
		if lead := len(y.leadOf(at)); lead <= column {
			return lead > column-by
		}
	}
	return false
}

// findRunEnd finds the end of the lines below a line that are indented by a column at least.
func (y *lineText) findRunEnd(start, column int) int {
	end := lineEnd(y.text, start)
	for at := y.lineAfter(start); at >= 0 && len(y.leadOf(at)) >= column && at-start < mostMoved; at = y.lineAfter(at) {
		end = lineEnd(y.text, at)
	}
	return end
}

// mostMoved is the size of the lines, in bytes, that are moved at most.
const mostMoved = 64 << 10

// newMove returns a move of all lines between two offsets by a number of columns.
func (y *yamlText) newMove(start, end, by int) move {
	l := y.splitLine(start)
	lead := l.words - l.start
	m := move{Mistake{At: l.words, Until: max(l.nameTo, l.words+1), Start: start}, 0, by, false}
	var right strings.Builder
	for line := range strings.Lines(y.text[start:end]) {
		words := strings.TrimLeft(line, " ")
		if strings.TrimSpace(words) != "" {
			m.lines++
			right.WriteString(strings.Repeat(" ", max(len(line)-len(words)-by, 0)))
		}
		right.WriteString(words)
	}
	m.End, m.Right = end, right.String()
	if m.lines == 1 {
		m.End, m.Right = l.words, strings.Repeat(" ", lead-by)
	}
	which, should := "the line is", "it should be"
	if m.lines > 1 {
		which, should = fmt.Sprintf("this line and the %d below it are", m.lines-1), "they should be"
	}
	m.Says = fmt.Sprintf("%s indented by %s than %s: %s", which, countColumns(by), should, compareColumns(lead, lead-by))
	return m
}

// countColumns returns by how many columns something is too far right or left.
func countColumns(by int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	count, more := max(by, -by), " more"
	if by < 0 {
		more = " less"
	}
	if count < len(words) {
		return words[count] + more
	}
	return fmt.Sprint(count) + more
}

// compareColumns returns how many columns there are and how many are wanted.
func compareColumns(have, want int) string {
	columns, are := "columns", "are"
	if have == 1 {
		columns = "column"
	}
	if want == 1 {
		are = "is"
	}
	return fmt.Sprintf("an indentation of %d %s, and %d %s wanted", have, columns, want, are)
}

// lookForDash finds an item of a list without its dash.
func (y *yamlText) lookForDash(start int) {
	before := y.lineBefore(start)
	if before < 0 || strings.Contains(y.leadOf(start), "\t") {
		return
	}
	l, b := y.splitLine(start), y.splitLine(before)
	after := y.lineAfter(start)
	if !l.item && l.nameTo == l.name && after >= 0 && y.splitLine(after).item && y.leadOf(after) == y.leadOf(start) && b.value == b.end {
		y.add(Mistake{At: l.words, Until: l.end, Start: l.words, End: l.words, Right: "- ", Says: `a "- " is missing in front of this item`})
	}
	if whole := y.text[b.value:b.end]; b.item && b.value == b.name && whole[0] == '{' && bracketEnd(whole) == len(whole) && l.nameTo > l.name && !l.item && l.words-l.start == b.name-b.start {
		y.add(Mistake{At: l.words, Until: l.nameTo, Start: l.words - 2, End: l.words, Right: "- ", Says: `a "- " is missing in front of this item`})
	}
	if b.item && !l.item && l.nameTo == l.name && l.words-l.start == b.words-b.start {
		y.add(Mistake{At: l.words, Until: l.end, Start: l.words, End: l.words, Right: "- ", Says: `a "- " is missing in front of this item`})
	}
}
